package attach

import (
	"net"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// addressesText is the external id with an endpoint's addresses, "" of one without.
func addressesText(ep *record.Endpoint) string {
	var out []string
	for _, a := range []netip.Addr{ep.IP, ep.IP6} {
		if a.IsValid() {
			out = append(out, a.String())
		}
	}
	return strings.Join(out, ",")
}

// addressesOf reads the external ids with addresses and MAC. What is no address is left out.
func addressesOf(ids map[string]string) (out []netip.Addr, mac record.MAC) {
	for text := range strings.SplitSeq(ids[ovsdb.IDAddresses], ",") {
		if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
			out = append(out, a.Unmap())
		}
	}
	if hw, err := net.ParseMAC(ids[ovsdb.IDMAC]); err == nil && len(hw) == len(mac) {
		copy(mac[:], hw)
	}
	return out, mac
}

// Ported returns the endpoints of containers that run here as the external ids of their ports say them, without what these do not have: labels, pod, rates. Ports
// that an earlier build made do not say addresses, and are left out. It does not block.
func (e *Engine) Ported() (out []record.Endpoint) {
	for _, a := range e.List() {
		id := identity.Endpoint{Network: identity.Network{Tenant: a.Tenant, Name: a.Network}, Endpoint: EndpointID(a.ContainerID, a.IfName)}
		if id.String() != a.StateID || len(a.Addresses) == 0 || a.MAC == (record.MAC{}) || a.ended() {
			continue
		}
		ep := record.Endpoint{ID: id, Service: a.Group, MAC: a.MAC, Host: e.Host, ContainerID: a.ContainerID, Machine: e.Machine}
		if a.Group != "" {
			ep.Group = identity.Group{Tenant: a.Tenant, Name: a.Group}
		}
		for _, address := range a.Addresses {
			if address.Is4() {
				ep.IP = address
			} else {
				ep.IP6 = address
			}
		}
		out = append(out, ep)
	}
	return out
}

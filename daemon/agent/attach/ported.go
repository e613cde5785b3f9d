// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"net"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// addressesText returns the external id with an endpoint's addresses, "" if it has none.
func addressesText(ep *record.Endpoint) string {
	var out []string
	for _, a := range []netip.Addr{ep.IP, ep.IP6} {
		if a.IsValid() {
			out = append(out, a.String())
		}
	}
	return strings.Join(out, ",")
}

// addressesOf parses the external ids with addresses and MAC. Malformed ones are skipped.
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

// Ported returns the endpoints of containers that run here as described by the external ids of their ports, without labels, pod and rates,
// which these do not have. Ports of earlier builds have no addresses, and are skipped. It does not block.
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

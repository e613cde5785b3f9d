// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// macOf derives the endpoint's Ethernet address from its IPv4 address.
func macOf(a netip.Addr) record.MAC {
	b := a.As4()
	return record.MAC{2, 2, b[0], b[1], b[2], b[3]}
}

// macFor returns the Ethernet address of the endpoint with IPv4 address a: the requested one, or the one derived from a. It refuses
// addresses derived from another endpoint's IPv4 address, and addresses that another endpoint of the network has.
func macFor(n *catalog.Network, a netip.Addr, wanted string) (mac record.MAC, err error) {
	if wanted == "" {
		return macOf(a), nil
	}
	const field = "ConfigEP.MacAddress"
	if err := mac.UnmarshalText([]byte(wanted)); err != nil || mac[0]&1 != 0 || mac == (record.MAC{}) {
		return mac, model.Errorf(model.CodeInvalid, field, "%q is not the MAC address of one interface", wanted).Try("it is like 0a:58:0a:01:01:07; leave it out to have one made")
	}
	if own := macOf(a); mac != own && mac[0] == own[0] && mac[1] == own[1] {
		return mac, model.Errorf(model.CodeConflict, field, "MAC address %s belongs to IPv4 address %s", mac, netip.AddrFrom4([4]byte(mac[2:]))).
			Try("those that begin with 02:02 are made of addresses; choose another, or leave it out")
	}
	for m := range n.Members {
		if m.MAC == mac {
			return mac, model.Errorf(model.CodeConflict, field, "endpoint %s has MAC address %s", m.ID, mac).Try("choose another, or leave it out to have one made")
		}
	}
	return mac, nil
}

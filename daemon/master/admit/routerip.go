// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// routersTenant is the tenant whose addresses BGP routers announce, and whose containers have addresses beside theirs.
const routersTenant = defaultTenant

// ownAddresses refuses a router with an address of another owner: the host would receive packets for its neighbor, another host or a
// container. Malformed addresses pass; the agent reports them.
func ownAddresses(tx *commit.Tx, b *model.Bgp) error {
	for _, own := range routerAddresses(b) {
		taken := func(whose, remedy string) error {
			return model.Errorf(model.CodeConflict, own.field, "%s %s is the address of %s", own.field, own.address, whose).Try("%s", remedy)
		}
		for word := range strings.SplitSeq(b.Neighbor, ",") {
			if n, err := netip.ParseAddr(strings.TrimSpace(word)); err == nil && n.Unmap() == own.address {
				return taken("its own neighbour", "the host needs an address of its own on the link to the neighbour")
			}
		}
		for _, o := range tx.Objects(model.KindBgp()) {
			other := o.(*model.Bgp)
			for _, theirs := range routerAddresses(other) {
				if other.Hostname != b.Hostname && theirs.address == own.address {
					return taken("the router of host "+other.Hostname, "each host needs an address of its own; netctl bgp ls lists the routers")
				}
			}
		}
		for _, h := range tx.Hosts() {
			for _, a := range []netip.Addr{h.VTEP, h.Control.Addr(), h.Node4, h.Node6} {
				if h.Label != b.Hostname && a.IsValid() && a.Unmap() == own.address {
					return taken("host "+h.Label, "each host needs an address of its own; netctl node ls -o wide lists them")
				}
			}
		}
		for _, n := range tx.Networks(routersTenant) {
			if r := n.Record; r.Kind != record.InfraNetwork && (r.Subnet.Contains(own.address) || r.Subnet6.Contains(own.address)) {
				return model.Errorf(model.CodeConflict, own.field, "%s %s is in the subnet of network %s", own.field, own.address, r.ID).
					Try("choose an address of the link to the neighbour")
			}
		}
	}
	return nil
}

// ofRouters refuses a network that contains a router's address.
func ofRouters(tx *commit.Tx, r *record.Network) error {
	if r.ID.Tenant != routersTenant || r.Kind == record.InfraNetwork {
		return nil
	}
	for _, o := range tx.Objects(model.KindBgp()) {
		b := o.(*model.Bgp)
		for _, a := range routerAddresses(b) {
			for field, p := range map[string]netip.Prefix{"subnet": r.Subnet, "ipv6Subnet": r.Subnet6} {
				if p.Contains(a.address) {
					return model.Errorf(model.CodeConflict, field, "subnet %s has address %s of the BGP router of host %s", p, a.address, b.Hostname).
						Try("choose a subnet that no router is in; netctl bgp ls lists the routers")
				}
			}
		}
	}
	return nil
}

// routerAddress is an address of a router, with the field that has it.
type routerAddress struct {
	field   string
	address netip.Addr
}

// routerAddresses returns a router's valid addresses.
func routerAddresses(b *model.Bgp) (out []routerAddress) {
	for _, f := range []struct{ field, text string }{{"routerip", b.Routerip}, {"routerip6", b.Routerip6}} {
		if p, err := netip.ParsePrefix(f.text); err == nil {
			out = append(out, routerAddress{f.field, p.Addr().Unmap()})
		}
	}
	return out
}

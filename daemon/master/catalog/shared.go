// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/identity"
)

// Shared is a pair of networks of different tenants with common addresses.
type Shared struct{ A, B *Network }

// String names both networks and their subnets.
func (s Shared) String() string {
	return fmt.Sprintf("%s (%s) and %s (%s)", s.A.Record.ID, s.A.subnets(), s.B.Record.ID, s.B.subnets())
}

// subnets returns the network's addresses as the operator wrote them.
func (n *Network) subnets() string {
	if !n.Record.Subnet6.IsValid() {
		return n.Record.Declared()
	}
	return n.Record.Declared() + ", " + n.Record.Subnet6.String()
}

// Sharing returns the first network by id, of another tenant than this one, whose subnet overlaps p, nil if there is none. Its time is
// proportional to the number of networks.
func (v *View) Sharing(tenant string, p netip.Prefix) *Network {
	for _, n := range v.Networks("") {
		if n.tenant != tenant && (n.Record.Subnet.Overlaps(p) || n.Record.Subnet6.Overlaps(p)) {
			return n
		}
	}
	return nil
}

// Shared returns all pairs of networks of different tenants whose subnets overlap, each once, in the order of ids. It takes time in
// proportion to the number of networks, sorted by their addresses, and of pairs.
func (v *View) Shared() (out []Shared) {
	seen := map[[2]identity.Network]struct{}{}
	for _, subnet := range []func(*Network) netip.Prefix{
		func(n *Network) netip.Prefix { return n.Record.Subnet }, func(n *Network) netip.Prefix { return n.Record.Subnet6 }} {
		all := slices.DeleteFunc(v.Networks(""), func(n *Network) bool { return !subnet(n).IsValid() })
		// Of two that overlap, one contains the other, so it sorts first, and everything between them is within it too.
		slices.SortFunc(all, func(a, b *Network) int { return subnet(a).Compare(subnet(b)) })
		for i, a := range all {
			for _, b := range all[i+1:] {
				if !subnet(a).Overlaps(subnet(b)) {
					break
				}
				pair := Shared{a, b}
				if b.id().Compare(a.id()) < 0 {
					pair = Shared{b, a}
				}
				key := [2]identity.Network{pair.A.id(), pair.B.id()}
				if _, ok := seen[key]; !ok && a.tenant != b.tenant {
					seen[key] = struct{}{}
					out = append(out, pair)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Shared) int {
		if c := a.A.id().Compare(b.A.id()); c != 0 {
			return c
		}
		return a.B.id().Compare(b.B.id())
	})
	return out
}

// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// narrowest is the shortest length of a reported subnet that keeps networks away: no machine is in a wider one, and with it one host could
// keep every network away.
const narrowest = 8

// Clash returns what a host has that an infra network would add again, and the field of the network: an interface of its name, or a subnet
// that overlaps its own. Both are "" if there is nothing, and for networks for containers.
func Clash(n *record.Network, h *record.Host) (field, what string) {
	if n.Kind != record.InfraNetwork {
		return "", ""
	}
	if slices.Contains(h.Interfaces, n.ID.Name) {
		return "networkName", fmt.Sprintf("host %s has an interface %s already", h.Label, n.ID.Name)
	}
	for _, f := range []struct {
		field  string
		subnet netip.Prefix
	}{{"subnet", n.Subnet}, {"ipv6Subnet", n.Subnet6}} {
		for _, p := range h.Own {
			if f.subnet.IsValid() && p.Bits() >= narrowest && p.Overlaps(f.subnet) {
				return f.field, fmt.Sprintf("subnet %s overlaps %s, in which host %s has address %s", f.subnet, p.Masked(), h.Label, p.Addr())
			}
		}
	}
	return "", ""
}

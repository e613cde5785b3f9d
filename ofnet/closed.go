// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"net/netip"
	"slices"
)

// Closed lists the destinations to which endpoints open no connection when their packets leave the tenant, by their host or by a router
// outside. Pings and answers pass. It is never modified once it is in a State.
type Closed struct {
	Machines []netip.Prefix   // addresses of the cluster's machines, and those closed by the operator
	Own      []netip.Addr     // addresses of this host: only by a router outside, since the host knows which of them it forwards
	Ports    []ProtocolPorts  // at any address: those of the control plane and of tunnels
	Doors    []netip.AddrPort // TCP addresses at which hosts are reachable
	Open     []ProtocolPorts  // at any address, even if closed otherwise
}

// Equal reports whether two are equal; nil closes nothing.
func (c *Closed) Equal(o *Closed) bool {
	if c == nil || o == nil {
		return c == o
	}
	return slices.Equal(c.Machines, o.Machines) && slices.Equal(c.Own, o.Own) && slices.Equal(c.Ports, o.Ports) &&
		slices.Equal(c.Doors, o.Doors) && slices.Equal(c.Open, o.Open)
}

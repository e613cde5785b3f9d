package ofnet

import (
	"net/netip"
	"slices"
)

// Closed is what endpoints open nothing to when their packets leave the tenant: by their host, or by a router outside. Pings pass, and answers.
// It is not changed once a State has it.
type Closed struct {
	Machines []netip.Prefix   // addresses of the cluster's machines, and what the operator has closed
	Own      []netip.Addr     // addresses of this host: by a router outside only, for the host itself knows what it leads elsewhere
	Ports    []ProtocolPorts  // at any address: those of the control plane and of tunnels
	Doors    []netip.AddrPort // of TCP, where hosts are met
	Open     []ProtocolPorts  // at any address, whatever else is closed
}

// Equal says whether two say the same; nil is nothing closed.
func (c *Closed) Equal(o *Closed) bool {
	if c == nil || o == nil {
		return c == o
	}
	return slices.Equal(c.Machines, o.Machines) && slices.Equal(c.Own, o.Own) && slices.Equal(c.Ports, o.Ports) &&
		slices.Equal(c.Doors, o.Doors) && slices.Equal(c.Open, o.Open)
}

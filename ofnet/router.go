package ofnet

import "net/netip"

// Router is how this host exchanges packets with routers outside: by an interface of its own on the uplink, untagged.
// One tenant's addresses are reachable that way.
type Router struct {
	Tenant string     // a key of State.Tenants
	Port   uint32     // OpenFlow port of the interface, on this switch
	MAC    MAC        // of the interface
	Addr   netip.Addr // IPv4, of the interface: where this host is the next hop
	Addr6  netip.Addr // the same of IPv6; invalid when there is none
}

// Route is a way out that routers outside have announced.
type Route struct {
	Prefix netip.Prefix // masked
	Via    string       // a key of State.NextHops
}

// NextHops are the next hops among which the connections to some prefixes are shared. One in a State is not changed;
// another takes its place.
type NextHops struct {
	Name string // the addresses
	ID   uint32 // 1..1<<24-1, no other NextHops of this host have it
	Hops []NextHop
}

// NextHop is one of them, on the link of the Router.
type NextHop struct {
	Addr netip.Addr
	MAC  MAC // zero: not resolved, and nothing is forwarded to it
}

// Resolved are the next hops to which packets can be sent.
func (n *NextHops) Resolved() (out []NextHop) {
	for _, h := range n.Hops {
		if h.MAC != (MAC{}) {
			out = append(out, h)
		}
	}
	return out
}

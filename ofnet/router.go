// SPDX-License-Identifier: Apache-2.0

package ofnet

import "net/netip"

// Router describes how this host exchanges packets with routers outside: by an interface of its own on the uplink, untagged. The addresses
// of one tenant are reachable by it.
type Router struct {
	Tenant string     // a key of State.Tenants
	Port   uint32     // OpenFlow port of the interface, on this switch
	MAC    MAC        // of the interface
	Addr   netip.Addr // IPv4 address of the interface: this host as a next hop
	Addr6  netip.Addr // the same for IPv6; invalid if there is none
}

// Route is a route that routers outside have announced.
type Route struct {
	Prefix netip.Prefix // masked
	Via    string       // NextHops are the next hops that share the connections to some prefixes. Those in a State are never modified, only replaced.
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
	MAC  MAC // zero: not resolved, and no packets are sent to it
}

// Resolved returns the next hops to which packets can be sent.
func (n *NextHops) Resolved() (out []NextHop) {
	for _, h := range n.Hops {
		if h.MAC != (MAC{}) {
			out = append(out, h)
		}
	}
	return out
}

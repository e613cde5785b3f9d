package ofnet

import "net/netip"

// Router is how this host exchanges packets with routers outside: by an interface of its own on the uplink, untagged.
// One tenant's addresses are reachable that way.
type Router struct {
	Tenant string     // a key of State.Tenants
	Port   uint32     // OpenFlow port of the interface, on this switch
	MAC    MAC        // of the interface
	Addr   netip.Addr // IPv4, of the interface: where this host is the next hop
}

// Route is a way out that a router outside has announced.
type Route struct {
	Prefix netip.Prefix // masked
	Via    netip.Addr   // next hop, on the link of the Router
	MAC    MAC          // of the next hop; zero: not resolved, and the route does not forward
}

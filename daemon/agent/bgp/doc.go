// Package bgp exchanges routes with routers outside: it announces where this host's endpoints are, and makes routes of
// the switch of what the routers say.
//
// A Speaker is a BGP session; a Router puts it to use: it keeps the host's own interface towards the routers, asks for the
// link addresses of next hops, and keeps the State equal to what is announced.
package bgp

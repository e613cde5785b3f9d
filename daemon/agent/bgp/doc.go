// SPDX-License-Identifier: Apache-2.0

// Package bgp exchanges routes with routers outside: it announces the host's endpoints, and adds the routers' routes to the State of the
// switch.
//
// A Speaker has the BGP sessions; a Router uses it: it keeps the host's own interface towards the routers, resolves the link addresses of
// next hops, and keeps the State equal to the announced routes.
package bgp

// SPDX-License-Identifier: Apache-2.0

package link

import (
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// Refuses reports whether the guard refuses a packet that opens a connection from an interface of GroupHost that belongs to no other host:
// to an address of the host itself if own is true, or beyond it. Pings pass, and so do packets that the host's own rules redirect, which
// are not known here.
func (g *Guard) Refuses(to netip.AddrPort, protocol uint8, own bool) bool {
	addr, port := to.Addr(), to.Port()
	among := func(list []Ports) bool {
		return slices.ContainsFunc(list, func(p Ports) bool { return p.Protocol == protocol && p.First <= port && port <= p.Last })
	}
	served := own && protocol == unix.IPPROTO_TCP && slices.Contains(g.Services, to)
	switch {
	case protocol == unix.IPPROTO_ICMP || protocol == unix.IPPROTO_ICMPV6:
		return false
	case among(g.Open) || served:
		return false
	case among(g.Control):
		return true
	case g.Meet && slices.ContainsFunc(g.Protected, func(p netip.Prefix) bool { return !own && p.Contains(addr) }):
		return true
	case g.Meet:
		return among(g.Shut) && (own || slices.Contains(g.Known, addr))
	case own:
		return true
	}
	return slices.Contains(g.Known, addr) || slices.ContainsFunc(g.Protected, func(p netip.Prefix) bool { return p.Contains(addr) })
}

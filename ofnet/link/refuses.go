package link

import (
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// Refuses tells whether the guard refuses what opens a conversation from an interface of GroupHost that belongs to no other host: towards
// to, at the host itself when own says so, or beyond it. Pings pass, and so does what rules of the host's own lead elsewhere,
// which is not known here.
func (g *Guard) Refuses(to netip.AddrPort, protocol uint8, own bool) bool {
	addr, port := to.Addr(), to.Port()
	switch {
	case protocol == unix.IPPROTO_ICMP || protocol == unix.IPPROTO_ICMPV6:
		return false
	case slices.ContainsFunc(g.Open, func(p Ports) bool { return p.Protocol == protocol && p.First <= port && port <= p.Last }):
		return false
	case g.Meet && slices.ContainsFunc(g.Protected, func(p netip.Prefix) bool { return !own && p.Contains(addr) }):
		return true
	case g.Meet:
		shut := slices.ContainsFunc(g.Shut, func(p Ports) bool { return p.Protocol == protocol && p.First <= port && port <= p.Last })
		return shut && (own && !(protocol == unix.IPPROTO_TCP && slices.Contains(g.Services, to)) || slices.Contains(g.Known, addr))
	case own:
		return protocol != unix.IPPROTO_TCP || !slices.Contains(g.Services, to)
	}
	return slices.Contains(g.Known, addr) || slices.ContainsFunc(g.Protected, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// ForgetPublished makes the kernel's connection tracker delete the connections of ports that no longer lead to their containers, so that
// the next owner of a container's private address receives none of them, and of datagrams that clients sent to the host's own addresses
// before their port led to a container, since later ones would still go to the host.
func (h *Host) ForgetPublished(gone, come []Published) error {
	if len(gone)+len(come) == 0 {
		return nil
	}
	own, err := h.addresses()
	if err != nil {
		return err
	}
	nl, err := netlink.NewHandleAt(netns.NsHandle(h.ns.fd), unix.NETLINK_NETFILTER)
	if err != nil {
		return fmt.Errorf("open the connection tracker: %w", err)
	}
	defer nl.Close()
	for _, family := range []netlink.InetFamily{unix.AF_INET, unix.AF_INET6} {
		filter := stale{led: ofFamily(gone, family), direct: ofFamily(come, family), own: own}
		if len(filter.led)+len(filter.direct) == 0 {
			continue
		}
		if _, err := nl.ConntrackDeleteFilters(netlink.ConntrackTable, family, &filter); err != nil {
			return fmt.Errorf("forget connections to published ports: %w", err)
		}
	}
	return nil
}

// addresses returns the host's own addresses.
func (h *Host) addresses() (map[netip.Addr]bool, error) {
	list, err := h.nl.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	own := map[netip.Addr]bool{}
	for _, a := range list {
		own[prefixOf(a.IPNet).Addr()] = true
	}
	return own, nil
}

func ofFamily(list []Published, family netlink.InetFamily) (out []Published) {
	for _, p := range list {
		if p.To.Addr().Is6() == (family == unix.AF_INET6) {
			out = append(out, p)
		}
	}
	return out
}

// stale matches the connections to delete.
type stale struct {
	led    []Published // to containers
	direct []Published // not to containers, to an address of own
	own    map[netip.Addr]bool
}

// MatchConntrackFlow implements netlink.CustomConntrackFilter.
func (s *stale) MatchConntrackFlow(f *netlink.ConntrackFlow) bool {
	dst, _ := netip.AddrFromSlice(f.Forward.DstIP)
	answers, _ := netip.AddrFromSlice(f.Reverse.SrcIP)
	dst, answers = dst.Unmap(), answers.Unmap()
	is := func(p Published) bool {
		from := p.From.Addr()
		return f.Forward.Protocol == p.Protocol && f.Forward.DstPort == p.From.Port() && (from.IsUnspecified() || from == dst)
	}
	for _, p := range s.led {
		if is(p) && answers == p.To.Addr() {
			return true
		}
	}
	for _, p := range s.direct {
		if is(p) && f.Forward.Protocol == unix.IPPROTO_UDP && answers != p.To.Addr() && s.own[dst] {
			return true
		}
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// NextHop is the kernel's decision for a packet that arrives at an interface.
type NextHop struct {
	Own  bool       // the destination is an address of the host itself
	Dev  string     // the interface by which the packet leaves; "" if it does not
	Via  netip.Addr // the next hop; invalid if the destination is on the link of Dev
	Lost string     // why it is dropped, as in "has no route to 192.0.2.1"; "" if it is the host's own, or leaves
	Try  string     // the remedy for Lost
	None bool       // Lost is due to a missing route
}

// NextHop asks the kernel for the decision about a packet that arrives at the interface named in: whether it forwards packets, and by which
// route (rtnetlink(7), RTM_GETROUTE with an input interface, so that policy routing applies). It sends nothing. It ignores the host's own
// filters. An error means that the kernel could not answer.
func (h *Host) NextHop(in string, src, dst netip.Addr) (NextHop, error) {
	from, err := h.nl.LinkByName(in)
	if err != nil {
		return NextHop{}, fmt.Errorf("look up interface %s: %w", in, err)
	}
	routes, err := h.nl.RouteGetWithOptions(dst.AsSlice(), &netlink.RouteGetOptions{IifIndex: from.Attrs().Index, SrcAddr: src.AsSlice()})
	passes, remedy, failed := h.forwards(in, dst.Is6())
	if failed != nil {
		return NextHop{}, failed
	}
	off := NextHop{Lost: "does not pass packets on", Try: remedy}
	if lost, ok := noRoute(dst, err); ok && passes {
		return lost, nil
	} else if ok {
		return off, nil
	}
	if err != nil || len(routes) == 0 {
		return NextHop{}, errors.Join(fmt.Errorf("ask for the route to %s", dst), err)
	}
	r := &routes[0]
	switch {
	case r.Type == unix.RTN_LOCAL || r.Type == unix.RTN_ANYCAST:
		return NextHop{Own: true}, nil
	case r.Type == unix.RTN_BROADCAST || r.Type == unix.RTN_MULTICAST:
		return NextHop{Lost: "does not pass on what is for many", Try: "ask for the address of one machine"}, nil
	case r.Type != unix.RTN_UNICAST:
		return NextHop{Lost: "has a route that forbids " + dst.String(), Try: "ip route get " + dst.String() + " shows it"}, nil
	case !passes:
		return off, nil
	}
	return h.leaves(r, dst)
}

// leaves returns the exit by a route.
func (h *Host) leaves(r *netlink.Route, dst netip.Addr) (NextHop, error) {
	out, err := h.nl.LinkByIndex(r.LinkIndex)
	if err != nil {
		return NextHop{}, fmt.Errorf("look up the interface of the route to %s: %w", dst, err)
	}
	a := out.Attrs()
	switch {
	case a.Group == GroupHost:
		return NextHop{Lost: "passes nothing from a container to interface " + a.Name + " of another network of Contiv",
			Try: "containers of one tenant reach one another by their own addresses"}, nil
	case a.Flags&net.FlagUp == 0 || a.OperState == netlink.OperDown || a.OperState == netlink.OperLowerLayerDown || a.OperState == netlink.OperNotPresent:
		return NextHop{Lost: "has a route to " + dst.String() + " by interface " + a.Name + ", which is down", Try: "ip link show " + a.Name + " shows its state"}, nil
	}
	to := NextHop{Dev: a.Name}
	if gw, ok := netip.AddrFromSlice(r.Gw); ok {
		to.Via = gw.Unmap()
	} else if via, ok := r.Via.(*netlink.Via); ok { // a next hop of the other family
		if gw, ok := netip.AddrFromSlice(via.Addr); ok {
			to.Via = gw.Unmap()
		}
	}
	return to, nil
}

// noRoute explains the kernel's refusal of a route; ok is false for other errors, and for nil.
func noRoute(dst netip.Addr, err error) (lost NextHop, ok bool) {
	shows := "ip route get " + dst.String() + " shows it"
	switch {
	case errors.Is(err, unix.ENETUNREACH):
		return NextHop{Lost: "has no route to " + dst.String(), Try: "give it one, as by ip route add " + netip.PrefixFrom(dst, dst.BitLen()).String() + " via ROUTER, or a default route", None: true}, true
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.EACCES):
		return NextHop{Lost: "has a route that forbids " + dst.String(), Try: shows}, true
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EXDEV):
		return NextHop{Lost: "takes no packet to " + dst.String() + ": a black hole, an address that cannot be sent to, or one that its filter of source addresses refuses", Try: shows}, true
	}
	return NextHop{}, false
}

// forwards reports whether the kernel forwards what arrives at an interface, and the setting that decides.
func (h *Host) forwards(in string, six bool) (yes bool, remedy string, err error) {
	file, name := filepath.Join("/proc/sys/net/ipv4/conf", in, "forwarding"), "net.ipv4.ip_forward"
	if six {
		file, name = forwarding6, "net.ipv6.conf.all.forwarding"
	}
	err = h.ns.Do(func() error {
		now, err := os.ReadFile(file)
		yes = strings.TrimSpace(string(now)) == "1"
		return err
	})
	if err != nil {
		return false, "", fmt.Errorf("read whether packets are passed on: %w", err)
	}
	return yes, "sysctl -w " + name + "=1", nil
}

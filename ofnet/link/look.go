// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Seen is the state of a container's interface, as the kernel reports it in its namespace.
type Seen struct {
	Netns   bool // the namespace exists; otherwise nothing else is known
	Outer   bool // the host end exists
	OuterUp bool // and is up
	Inner   bool // the container's end exists there and is the host end's peer
	InnerUp bool // and is up
	MAC     net.HardwareAddr
	MTU     int
	Addrs   []netip.Prefix
	Default []netip.Addr // gateways of default routes by this interface
	Other   bool         // there is a default route by another interface

	Listeners []Listener // only if requested
	Drops     []string   // descriptions of the container's own filters that drop packets
}

// Look reads the state of a container's interface. It changes nothing and waits only for the kernel. It reads sockets if listeners is true.
func (h *Host) Look(netns, ifname, host string, listeners bool) (s Seen, err error) {
	outer, err := find(h.nl, host)
	if err != nil {
		return s, err
	}
	if s.Outer = outer != nil; s.Outer {
		s.OuterUp = outer.Attrs().Flags&net.FlagUp != 0
	}
	ns, err := h.container(netns)
	if errors.Is(err, ErrNoNamespace) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer ns.Close()
	s.Netns = true
	err = ns.Do(func() error {
		in, err := netlink.NewHandle(unix.NETLINK_ROUTE)
		if err != nil {
			return err
		}
		defer in.Close()
		inner, err := find(in, ifname)
		if err != nil || inner == nil || outer != nil && !paired(outer, inner) {
			return err
		}
		s.Inner = true
		if err := s.read(in, inner); err != nil || !listeners {
			return err
		}
		s.Listeners, err = sockets()
		return err
	})
	if err == nil && s.Inner {
		s.Drops, err = drops(ns)
	}
	return s, wrap(err, "look at %s in %s", ifname, netns)
}

func (s *Seen) read(in *netlink.Handle, l netlink.Link) error {
	a := l.Attrs()
	s.InnerUp, s.MAC, s.MTU = a.Flags&net.FlagUp != 0, a.HardwareAddr, a.MTU
	have, err := in.AddrList(l, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list addresses: %w", err)
	}
	for _, x := range have {
		if addr, ok := netip.AddrFromSlice(x.IP); ok {
			ones, _ := x.Mask.Size()
			s.Addrs = append(s.Addrs, netip.PrefixFrom(addr.Unmap(), ones))
		}
	}
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		gw, other, err := defaultVia(in, l, family)
		if err != nil {
			return fmt.Errorf("list routes: %w", err)
		}
		if gw.IsValid() {
			s.Default = append(s.Default, gw)
		}
		s.Other = s.Other || other
	}
	return nil
}

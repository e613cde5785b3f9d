package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Seen is how a container's interface is, by what the kernel says in its namespace.
type Seen struct {
	Netns   bool // the namespace exists; without it nothing else is known
	Outer   bool // the host end exists, and
	OuterUp bool // is up
	Inner   bool // the container's end exists there, is the host end's peer, and
	InnerUp bool // is up
	MAC     net.HardwareAddr
	MTU     int
	Addrs   []netip.Prefix
	Default []netip.Addr // gateways of default routes by this interface
	Other   bool         // there is a default route by another interface

	Listeners []Listener // only those asked for
	Drops     []string   // filters of the container's own that drop packets, in words
}

// Listener is a socket that takes what comes for its port.
type Listener struct {
	Protocol uint8
	Addr     netip.Addr // unspecified: any address
	Port     uint16
}

// Look reads how a container's interface is. It changes nothing, and does not wait for anything but the kernel. Sockets are read if listeners is true.
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
		families := []int{unix.NETLINK_ROUTE}
		if listeners {
			families = append(families, unix.NETLINK_INET_DIAG)
		}
		in, err := netlink.NewHandle(families...)
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
		return s.sockets(in)
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

// sockets lists the sockets that listen, of TCP and UDP.
func (s *Seen) sockets(in *netlink.Handle) error {
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		tcp, err := in.SocketDiagTCP(family)
		if err != nil {
			return fmt.Errorf("list sockets of TCP: %w", err)
		}
		udp, err := in.SocketDiagUDP(family)
		if err != nil {
			return fmt.Errorf("list sockets of UDP: %w", err)
		}
		for _, x := range tcp {
			if x.State == netlink.TCP_LISTEN {
				s.listens(unix.IPPROTO_TCP, &x.ID)
			}
		}
		for _, x := range udp {
			if x.ID.DestinationPort == 0 {
				s.listens(unix.IPPROTO_UDP, &x.ID)
			}
		}
	}
	return nil
}

func (s *Seen) listens(protocol uint8, id *netlink.SocketID) {
	if at, ok := netip.AddrFromSlice(id.Source); ok {
		s.Listeners = append(s.Listeners, Listener{protocol, at.Unmap(), id.SourcePort})
	}
}

// Listens tells whether a socket takes what comes for a port of an address.
func (s *Seen) Listens(protocol uint8, to netip.AddrPort) bool {
	for _, l := range s.Listeners {
		// A socket of IPv6 for any address takes IPv4 as well, unless it was told not to, which the kernel does not say.
		if l.Protocol == protocol && l.Port == to.Port() && (l.Addr == to.Addr() || l.Addr.IsUnspecified() && (l.Addr.Is6() || to.Addr().Is4())) {
			return true
		}
	}
	return false
}

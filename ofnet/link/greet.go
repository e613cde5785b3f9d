package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// discard is the UDP port whose datagrams no one answers (RFC 863).
const discard = 9

// Greet sends an empty UDP datagram to a neighbour, so that the kernel resolves its link address; Open vSwitch learns
// it from the answer as that passes by. It does not wait for one. An address that no route leads to is an error.
func (h *Host) Greet(addr netip.Addr) error {
	err := h.ns.Do(func() error {
		c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, discard)))
		if err != nil {
			return err
		}
		_, err = c.Write(nil)
		if closed := c.Close(); err == nil {
			err = closed
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("greet %s: %w", addr, err)
	}
	return nil
}

// ForgetAndGreet is Greet after the kernel has forgotten the neighbour's link address, or that of the gateway on the way, so that it
// asks and an answer passes by. A neighbour heard from lately would only be written to, and Open vSwitch, which believes answers
// alone, would learn nothing. A permanent entry stays.
func (h *Host) ForgetAndGreet(addr netip.Addr) error {
	routes, err := h.nl.RouteGet(addr.AsSlice())
	if err != nil {
		return fmt.Errorf("greet %s: %w", addr, err)
	}
	for _, r := range routes {
		via := addr
		if gateway, ok := netip.AddrFromSlice(r.Gw); ok {
			via = gateway.Unmap()
		}
		if err := h.forget(r.LinkIndex, via); err != nil {
			return fmt.Errorf("greet %s: %w", addr, err)
		}
	}
	return h.Greet(addr)
}

// forget has the kernel forget the link address of a neighbour on an interface, unless someone has set it for good.
func (h *Host) forget(link int, addr netip.Addr) error {
	n, err := h.neighbour(link, addr)
	if n == nil || err != nil || n.State&(netlink.NUD_PERMANENT|netlink.NUD_NOARP) != 0 {
		return err
	}
	if err := h.nl.NeighDel(n); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("forget the link address of %s: %w", addr, err)
	}
	return nil
}

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

// discard is the UDP port whose datagrams no one answers (RFC 863).
const discard = 9

// Greet sends an empty UDP datagram to a neighbour, so that the kernel resolves its link address; Open vSwitch learns it from the passing
// answer. It does not wait for one. An address without a route is an error.
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

// ForgetAndGreet makes the kernel delete the neighbour's link address, or that of the gateway to it, before it calls Greet, so that the
// kernel sends a query and an answer passes by. Without the deletion the kernel would use the known address, and Open vSwitch, which learns
// only from answers, would learn nothing. A permanent entry stays.
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

// forget makes the kernel delete the link address of a neighbour on an interface, unless the entry is permanent.
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

// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Check verifies the results of Create and Configure. It returns ErrNoNamespace, or ErrDiffers with the first difference.
func (h *Host) Check(c Config) error {
	ns, err := h.container(c.Netns)
	if err != nil {
		return err
	}
	defer ns.Close()
	outer, err := find(h.nl, c.Host)
	if err != nil {
		return err
	}
	if outer == nil {
		return fmt.Errorf("%w: host end %s is missing", ErrDiffers, c.Host)
	}
	if outer.Attrs().Flags&net.FlagUp == 0 {
		return fmt.Errorf("%w: host end %s is down", ErrDiffers, c.Host)
	}
	return ns.Do(func() error {
		in, err := netlink.NewHandle(unix.NETLINK_ROUTE)
		if err != nil {
			return err
		}
		defer in.Close()
		inner, err := find(in, c.IfName)
		if err != nil {
			return err
		}
		if inner == nil {
			return fmt.Errorf("%w: %s is missing in %s", ErrDiffers, c.IfName, c.Netns)
		}
		if !paired(outer, inner) {
			return fmt.Errorf("%w: %s in %s is not the peer of %s", ErrDiffers, c.IfName, c.Netns, c.Host)
		}
		return c.check(in, inner)
	})
}

func (c *Config) check(in *netlink.Handle, l netlink.Link) error {
	a := l.Attrs()
	differs := func(what string, want, got any) error {
		return fmt.Errorf("%w: %s of %s in %s: want %v, got %v", ErrDiffers, what, c.IfName, c.Netns, want, got)
	}
	switch {
	case a.Flags&net.FlagUp == 0:
		return differs("state", "up", "down")
	case c.MAC != nil && !bytes.Equal(a.HardwareAddr, c.MAC):
		return differs("MAC address", c.MAC, a.HardwareAddr)
	}
	have, err := in.AddrList(l, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("list addresses of %s: %w", c.IfName, err)
	}
	present := map[string]bool{}
	for _, x := range have {
		present[x.IPNet.String()] = true
	}
	for _, p := range c.Addrs {
		if !present[ipNet(p).String()] {
			return differs("addresses", p, have)
		}
	}
	for _, gw := range c.Gateways {
		got, other, err := defaultVia(in, l, family(gw))
		if err != nil {
			return fmt.Errorf("list routes in %s: %w", c.Netns, err)
		}
		if got != gw && !other {
			return differs("default route", gw, got)
		}
	}
	return nil
}

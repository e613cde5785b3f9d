package link

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet"
)

// EnsureAddress sets an interface of the host up and gives it one IPv4 address and no other. What is so already stays.
func (h *Host) EnsureAddress(name string, address netip.Prefix) error {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return fmt.Errorf("look up interface %s: %w", name, err)
	}
	if err := h.SetUp(name); err != nil {
		return err
	}
	have, err := h.nl.AddrList(l, netlink.FAMILY_V4)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list addresses of %s: %w", name, err)
	}
	want, found := &netlink.Addr{IPNet: ipNet(address)}, false
	for i := range have {
		if have[i].Equal(*want) {
			found = true
			continue
		}
		if err := h.nl.AddrDel(l, &have[i]); err != nil && !errors.Is(err, unix.EADDRNOTAVAIL) {
			return fmt.Errorf("take address %s from %s: %w", have[i].IPNet, name, err)
		}
	}
	if found {
		return nil
	}
	return wrap(h.nl.AddrReplace(l, want), "give %s the address %s", name, address)
}

// Neighbour returns the link address that the kernel knows of a neighbour on an interface of the host; ok is false
// while it knows none.
func (h *Host) Neighbour(name string, addr netip.Addr) (mac ofnet.MAC, ok bool) {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return mac, false
	}
	list, err := h.nl.NeighList(l.Attrs().Index, netlink.FAMILY_V4)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return mac, false
	}
	const known = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE | netlink.NUD_PERMANENT
	for _, n := range list {
		if a, valid := netip.AddrFromSlice(n.IP); valid && a.Unmap() == addr && n.State&known != 0 && len(n.HardwareAddr) == len(mac) {
			copy(mac[:], n.HardwareAddr)
			return mac, true
		}
	}
	return mac, false
}

package link

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet"
)

// EnsureAddresses sets an interface of the host up and gives it these addresses and no others, IPv6 addresses of the link
// apart. What is so already stays. Nobody is asked whether an address is taken (RFC 4862, section 5.4): it is used at once.
func (h *Host) EnsureAddresses(name string, addresses ...netip.Prefix) error {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return fmt.Errorf("look up interface %s: %w", name, err)
	}
	if err := h.SetUp(name); err != nil {
		return err
	}
	have, err := h.nl.AddrList(l, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list addresses of %s: %w", name, err)
	}
	found := map[netip.Prefix]bool{}
	for i := range have {
		at, _ := netip.AddrFromSlice(have[i].IP)
		bits, _ := have[i].Mask.Size()
		p := netip.PrefixFrom(at.Unmap(), bits)
		if slices.Contains(addresses, p) {
			found[p] = true
			continue
		}
		if at.Is6() && at.IsLinkLocalUnicast() {
			continue
		}
		if err := h.nl.AddrDel(l, &have[i]); err != nil && !errors.Is(err, unix.EADDRNOTAVAIL) {
			return fmt.Errorf("take address %s from %s: %w", have[i].IPNet, name, err)
		}
	}
	for _, p := range addresses {
		if found[p] {
			continue
		}
		a := &netlink.Addr{IPNet: ipNet(p)}
		if p.Addr().Is6() {
			a.Flags = unix.IFA_F_NODAD
		}
		if err := h.nl.AddrReplace(l, a); err != nil {
			return fmt.Errorf("give %s the address %s: %w", name, p, err)
		}
	}
	return nil
}

// Neighbour returns the link address that the kernel knows of a neighbour on an interface of the host; ok is false
// while it knows none.
func (h *Host) Neighbour(name string, addr netip.Addr) (mac ofnet.MAC, ok bool) {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return mac, false
	}
	family := netlink.FAMILY_V4
	if addr.Is6() {
		family = netlink.FAMILY_V6
	}
	list, err := h.nl.NeighList(l.Attrs().Index, family)
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

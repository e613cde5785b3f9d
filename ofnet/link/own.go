// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// EnsureAddresses sets an interface of the host up and gives it exactly these addresses, except IPv6 link-local ones. Existing ones stay.
// There is no duplicate address detection (RFC 4862, section 5.4): an address is usable at once.
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

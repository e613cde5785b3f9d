// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// NodeAddresses returns the addresses that others use for the machine that has addr: addr itself, and the first permanent global address of
// the other family on the same interface, or an invalid one. It returns an error if no interface has addr, or if the kernel does not
// answer.
func (h *Host) NodeAddresses(addr netip.Addr) (four, six netip.Addr, err error) {
	addr = addr.Unmap()
	u, err := h.Underlay(addr)
	if err != nil {
		return four, six, err
	}
	l, err := h.nl.LinkByIndex(u.Index)
	if err != nil {
		return four, six, fmt.Errorf("look up interface of %s: %w", addr, err)
	}
	family := netlink.FAMILY_V6
	if addr.Is6() {
		family = netlink.FAMILY_V4
	}
	list, err := h.nl.AddrList(l, family)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return four, six, fmt.Errorf("list addresses of %s: %w", u.Name, err)
	}
	var other netip.Addr
	for _, a := range list {
		if a.Scope == int(netlink.SCOPE_UNIVERSE) && a.Flags&(unix.IFA_F_TEMPORARY|unix.IFA_F_DEPRECATED) == 0 {
			other, _ = netip.AddrFromSlice(a.IP)
			break
		}
	}
	if addr.Is6() {
		return other.Unmap(), addr, nil
	}
	return addr, other, nil
}

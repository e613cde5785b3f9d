// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
)

// Addresses returns the addresses at which others may reach the host, sorted: those of all links (scope global) except interfaces of
// GroupHost.
func (h *Host) Addresses() ([]netip.Addr, error) {
	have, err := h.nl.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	at := map[int][]netip.Addr{}
	for _, a := range have {
		if addr, ok := netip.AddrFromSlice(a.IP); ok && a.Scope == int(netlink.SCOPE_UNIVERSE) {
			at[a.LinkIndex] = append(at[a.LinkIndex], addr.Unmap())
		}
	}
	var out []netip.Addr
	for index, addrs := range at {
		l, err := h.nl.LinkByIndex(index)
		if err != nil {
			if _, gone := errors.AsType[netlink.LinkNotFoundError](err); gone {
				continue
			}
			return nil, fmt.Errorf("look up interface of %s: %w", addrs[0], err)
		}
		if l.Attrs().Group != GroupHost {
			out = append(out, addrs...)
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out), nil
}

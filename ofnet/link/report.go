// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink"
)

// Report has the addresses and interfaces of the host itself.
type Report struct {
	Addrs []netip.Prefix // all addresses at which others may reach it, each with its subnet's length: wide subnets first, then by address
	Names []string       // of its interfaces, in order
}

// Equal reports whether two are equal.
func (r *Report) Equal(o *Report) bool {
	return slices.Equal(r.Addrs, o.Addrs) && slices.Equal(r.Names, o.Names)
}

// Report lists the addresses and interfaces of the host itself: not those of loopback and link-local ones, and none of interfaces of
// GroupHost, host ends, and those named ours. Interfaces of containers and virtual machines come and go, so veths and taps are listed only
// if they have an address or are among kept.
func (h *Host) Report(kept, ours []string) (out Report, err error) {
	links, err := h.nl.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return out, fmt.Errorf("list interfaces: %w", err)
	}
	have, err := h.nl.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return out, fmt.Errorf("list addresses: %w", err)
	}
	at := map[int][]netip.Prefix{}
	for _, a := range have {
		if addr, ok := netip.AddrFromSlice(a.IP); ok && addr.Unmap().IsGlobalUnicast() {
			bits, _ := a.Mask.Size()
			at[a.LinkIndex] = append(at[a.LinkIndex], netip.PrefixFrom(addr.Unmap(), bits))
		}
	}
	for _, l := range links {
		a := l.Attrs()
		if a.Group == GroupHost || a.Group == GroupLive || a.Group == GroupDeleting || slices.Contains(ours, a.Name) {
			continue
		}
		out.Addrs = append(out.Addrs, at[a.Index]...)
		passing := l.Type() == "veth" || l.Type() == "tuntap"
		if !passing || len(at[a.Index]) > 0 || slices.Contains(kept, a.Name) {
			out.Names = append(out.Names, a.Name)
		}
	}
	slices.SortFunc(out.Addrs, func(a, b netip.Prefix) int {
		return cmp.Or(cmp.Compare(a.Bits(), b.Bits()), a.Addr().Compare(b.Addr()))
	})
	out.Addrs = slices.Compact(out.Addrs)
	slices.Sort(out.Names)
	return out, nil
}

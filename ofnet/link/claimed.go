// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Claimed is a part of a subnet to which the host has a route that is not ours.
type Claimed struct {
	Prefix netip.Prefix
	Dev    string
	Within netip.Prefix // the subnet
}

// Claimed returns the routes of the main table that lead to subnets, or to parts of them, by interfaces outside GroupHost, sorted. It
// ignores wider routes, which change nothing.
func (h *Host) Claimed(subnets ...netip.Prefix) (out []Claimed, err error) {
	routes, err := h.nl.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	for _, r := range routes {
		if r.Dst == nil {
			continue
		}
		to := prefixOf(r.Dst)
		at := slices.IndexFunc(subnets, func(s netip.Prefix) bool { return s.Bits() <= to.Bits() && s.Contains(to.Addr()) })
		if at < 0 {
			continue
		}
		l, err := h.nl.LinkByIndex(r.LinkIndex)
		if _, gone := errors.AsType[netlink.LinkNotFoundError](err); gone {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look up the interface of route %s: %w", to, err)
		}
		if l.Attrs().Group != GroupHost {
			out = append(out, Claimed{to, l.Attrs().Name, subnets[at]})
		}
	}
	slices.SortFunc(out, func(a, b Claimed) int { return strings.Compare(a.Prefix.String()+a.Dev, b.Prefix.String()+b.Dev) })
	return out, nil
}

// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The kernel's settings for forwarding packets from one interface to another, and the directory of those of interfaces (ip-sysctl, in the
// kernel's documentation).
const (
	forwarding4 = "/proc/sys/net/ipv4/ip_forward"
	forwarding6 = "/proc/sys/net/ipv6/conf/all/forwarding"
	interfaces6 = "/proc/sys/net/ipv6/conf"
)

// EnableForwarding makes the host forward IPv4 packets, or with six IPv6 packets, and reports whether it did not before; the setting is
// kept from then on (Settings). A host that forwards IPv6 ignores router advertisements by default: interfaces that have IPv6 because of
// such an advertisement, and NICs that accept them, continue to accept them.
func (h *Host) EnableForwarding(six bool) (changed bool, err error) {
	file, remedy := forwarding4, "net.ipv4.ip_forward=1"
	if six {
		file, remedy = forwarding6, "net.ipv6.conf.all.forwarding=1"
	}
	h.settings.keep(file, keptSetting{value: "1"})
	err = h.ns.Do(func() error {
		now, err := os.ReadFile(file)
		if err != nil || strings.TrimSpace(string(now)) == "1" {
			return err
		}
		if six {
			if err := h.keepListening(); err != nil {
				return err
			}
		}
		changed = true
		return h.change(file, "1")
	})
	if err != nil {
		return changed, fmt.Errorf("let the host pass packets on (run `sysctl -w %s` on it): %w", remedy, err)
	}
	return changed, nil
}

// ReleaseForwarding stops keeping the setting of EnableForwarding: the host forwards packets until someone disables it.
func (h *Host) ReleaseForwarding(six bool) {
	if six {
		h.settings.release(forwarding6)
		return
	}
	h.settings.release(forwarding4)
}

// keepListening makes interfaces that accept router advertisements now accept them although the host is a router: those that have accepted
// one, and NICs. It does not apply to later interfaces, ends of containers, and NICs that CloseEnds has closed.
func (h *Host) keepListening() error {
	links, err := h.nl.LinkList()
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return fmt.Errorf("list interfaces: %w", err)
	}
	accepted, err := h.autoconfigured()
	if err != nil {
		return err
	}
	closed, _ := h.ends.closedBefore()
	for _, l := range links {
		a := l.Attrs()
		_, has := accepted[a.Index]
		ours := a.Group == GroupLive || a.Group == GroupDeleting || a.Group == GroupHost
		if ours || !has && (l.Type() != "device" || slices.Contains(closed, a.Name)) {
			continue
		}
		file := filepath.Join(interfaces6, a.Name, "accept_ra")
		now, err := os.ReadFile(file)
		if err == nil && strings.TrimSpace(string(now)) == "1" {
			err = h.change(file, "2")
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // an interface may disappear meanwhile
			return err
		}
	}
	return nil
}

// autoconfigured returns the indexes of interfaces that have an address or a route because of a router advertisement.
func (h *Host) autoconfigured() (map[int]struct{}, error) {
	addrs, err := h.nl.AddrList(nil, netlink.FAMILY_V6)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list addresses: %w", err)
	}
	routes, err := h.nl.RouteListFiltered(netlink.FAMILY_V6, &netlink.Route{Protocol: unix.RTPROT_RA}, netlink.RT_FILTER_PROTOCOL)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	out := map[int]struct{}{}
	for _, a := range addrs {
		if a.Flags&unix.IFA_F_PERMANENT == 0 { // it has a lifetime (RFC 4862 section 5.5.3)
			out[a.LinkIndex] = struct{}{}
		}
	}
	for _, r := range routes {
		out[r.LinkIndex] = struct{}{}
	}
	return out, nil
}

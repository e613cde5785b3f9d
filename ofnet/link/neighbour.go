// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet"
)

// Neighbour returns the link address that the kernel knows of a neighbour on an interface of the host; ok is false if it knows none. It
// marks a stale neighbour as in use (STALE), as if the kernel had sent it a packet: the kernel soon probes it, and deletes it if it does
// not answer (RFC 4861 section 7.3.3). Flows that a switch forwards by would not cause that, and would lead to a link address that no
// machine has any longer.
func (h *Host) Neighbour(name string, addr netip.Addr) (mac ofnet.MAC, ok bool) {
	l, err := h.nl.LinkByName(name)
	if err != nil {
		return mac, false
	}
	n, err := h.neighbour(l.Attrs().Index, addr)
	const known = netlink.NUD_REACHABLE | netlink.NUD_STALE | netlink.NUD_DELAY | netlink.NUD_PROBE | netlink.NUD_PERMANENT
	if n == nil || err != nil || n.State&known == 0 || len(n.HardwareAddr) != len(mac) {
		return mac, false
	}
	if n.State&netlink.NUD_STALE != 0 {
		// Best effort: the known address stays usable, and the next call tries again.
		_ = h.nl.NeighSet(&netlink.Neigh{LinkIndex: n.LinkIndex, Family: n.Family, IP: n.IP, Flags: unix.NTF_USE})
	}
	copy(mac[:], n.HardwareAddr)
	return mac, true
}

// neighbour returns the kernel's entry for a neighbour on the interface with an index, or nil.
func (h *Host) neighbour(link int, addr netip.Addr) (*netlink.Neigh, error) {
	family := netlink.FAMILY_V4
	if addr.Is6() {
		family = netlink.FAMILY_V6
	}
	list, err := h.nl.NeighList(link, family)
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list neighbours: %w", err)
	}
	for i := range list {
		if a, valid := netip.AddrFromSlice(list[i].IP); valid && a.Unmap() == addr {
			return &list[i], nil
		}
	}
	return nil, nil
}

// WatchNeighbours makes the kernel doubt its neighbours on an interface of the host 2.5 to 7.5 seconds after their last packet, and probe
// those in use one second later, instead of 15 to 45 and five (base_reachable_time_ms and delay_first_probe_time of ip-sysctl, in the
// kernel's documentation). It is for an interface whose traffic the kernel does not see.
func (h *Host) WatchNeighbours(name string) error {
	return h.ns.Do(func() error {
		for _, family := range []string{"ipv4", "ipv6"} {
			folder := filepath.Join("/proc/sys/net", family, "neigh", name)
			for setting, value := range map[string]string{"base_reachable_time_ms": "5000", "delay_first_probe_time": "1"} {
				if err := set(filepath.Join(folder, setting), value); err != nil {
					return fmt.Errorf("have the kernel watch the neighbours of %s: %w", name, err)
				}
			}
		}
		return nil
	})
}

// set writes a setting of the kernel unless it has the value already: some settings restart a timer with each write.
func set(file, value string) error {
	if now, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(now)) == value {
		return nil
	}
	return os.WriteFile(file, []byte(value), 0)
}

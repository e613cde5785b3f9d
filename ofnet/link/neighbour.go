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

// Neighbour returns the link address that the kernel knows of a neighbour on an interface of the host; ok is false
// while it knows none. One that has not been heard of for a while (STALE) is said to be in use, as if the kernel had sent it a packet:
// it is asked soon whether it is still there, and forgotten when it does not answer (RFC 4861 section 7.3.3). Flows that a switch
// forwards by would not do that, and lead to a link address that no one has any more.
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
		// Best effort: what is known stays of use, and the next look tries again.
		_ = h.nl.NeighSet(&netlink.Neigh{LinkIndex: n.LinkIndex, Family: n.Family, IP: n.IP, Flags: unix.NTF_USE})
	}
	copy(mac[:], n.HardwareAddr)
	return mac, true
}

// neighbour is what the kernel has of a neighbour on the interface with an index; nil when it has nothing.
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

// WatchNeighbours has the kernel doubt its neighbours on an interface of the host 2.5 to 7.5 seconds after it has heard of them, and
// ask those that are in use a second later, instead of 15 to 45 and five (base_reachable_time_ms and delay_first_probe_time of
// ip-sysctl, in the kernel's documentation). It is for an interface whose traffic the kernel does not see.
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

// set writes a switch of the kernel unless it has the value already: some begin again with each write.
func set(file, value string) error {
	if now, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(now)) == value {
		return nil
	}
	return os.WriteFile(file, []byte(value), 0)
}

package link

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The kernel's switches for passing packets on from one interface to another, and where it keeps those of interfaces
// (ip-sysctl, in the kernel's documentation).
const (
	forwarding4 = "/proc/sys/net/ipv4/ip_forward"
	forwarding6 = "/proc/sys/net/ipv6/conf/all/forwarding"
	interfaces6 = "/proc/sys/net/ipv6/conf"
)

// EnableForwarding has the host pass IPv4 packets on, or with six IPv6 packets, and reports whether it did not before. A
// host that passes IPv6 on would no longer listen to router advertisements: interfaces that do so now are told to go on.
func (h *Host) EnableForwarding(six bool) (changed bool, err error) {
	file, remedy := forwarding4, "net.ipv4.ip_forward=1"
	if six {
		file, remedy = forwarding6, "net.ipv6.conf.all.forwarding=1"
	}
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

// keepListening makes interfaces accept router advertisements although the host is a router, where they accept them now.
func (h *Host) keepListening() error {
	files, err := filepath.Glob(interfaces6 + "/*/accept_ra")
	if err != nil {
		return err
	}
	for _, f := range files {
		now, err := os.ReadFile(f)
		if err == nil && strings.TrimSpace(string(now)) == "1" {
			err = h.change(f, "2")
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // an interface may go meanwhile
			return err
		}
	}
	return nil
}

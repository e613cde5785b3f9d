// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// interfaces4 is the directory of the kernel's IPv4 settings of interfaces; "all" has the minimum of each (ip-sysctl, in the kernel's
// documentation).
const interfaces4 = "/proc/sys/net/ipv4/conf"

// LimitARP makes the kernel answer ARP at a NIC only for the NIC's own addresses (arp_ignore), and reports whether it answered for those of
// all interfaces before, which is the default. The setting is kept from then on (Settings).
func (h *Host) LimitARP(nic string) (changed bool, err error) {
	h.settings.keep(arpIgnore(nic), keptSetting{value: "1", or: arpIgnore("all")})
	err = h.ns.Do(func() error {
		for _, name := range []string{"all", nic} {
			now, err := os.ReadFile(arpIgnore(name))
			if err != nil {
				return err
			}
			if strings.TrimSpace(string(now)) != "0" {
				return nil
			}
		}
		changed = true
		return h.change(arpIgnore(nic), "1")
	})
	if err != nil {
		return false, fmt.Errorf("let the kernel answer ARP at %s only for its own addresses (run `sysctl -w net.ipv4.conf.%s.arp_ignore=1` on the host): %w",
			nic, strings.ReplaceAll(nic, ".", "/"), err)
	}
	return changed, nil
}

func arpIgnore(nic string) string { return filepath.Join(interfaces4, nic, "arp_ignore") }

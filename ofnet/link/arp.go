package link

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// interfaces4 is where the kernel keeps the IPv4 switches of interfaces, "all" for what is at least so on each of them
// (ip-sysctl, in the kernel's documentation).
const interfaces4 = "/proc/sys/net/ipv4/conf"

// LimitARP has the kernel answer ARP at a NIC for the NIC's own addresses alone, and reports whether it answered for those of all
// interfaces before, as it does when no one says otherwise (arp_ignore). The setting is kept from then on (Settings).
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
		return false, fmt.Errorf("let the kernel answer ARP at %s for its own addresses alone (run `sysctl -w net.ipv4.conf.%s.arp_ignore=1` on the host): %w",
			nic, strings.ReplaceAll(nic, ".", "/"), err)
	}
	return changed, nil
}

func arpIgnore(nic string) string { return filepath.Join(interfaces4, nic, "arp_ignore") }

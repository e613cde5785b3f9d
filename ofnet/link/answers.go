package link

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// AnswerOwn has the kernel answer ARP requests that arrive at these interfaces only for the addresses that they have
// themselves (arp_ignore of ip-sysctl, in the kernel's documentation), not for those of the host's other interfaces. Of a
// userspace switch's port the kernel sees all frames too: it would tell who asks for an address behind the switch the link
// address of the port. A setting that answers less already stays.
func (h *Host) AnswerOwn(names ...string) error {
	for _, name := range names {
		file := "/proc/sys/net/ipv4/conf/" + name + "/arp_ignore"
		err := h.ns.Do(func() error {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if now, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && now > 0 {
				return nil
			}
			return os.WriteFile(file, []byte("1"), 0)
		})
		if err != nil {
			return fmt.Errorf("have %s answer ARP for its own addresses alone (run `sysctl -w net.ipv4.conf.%s.arp_ignore=1` on the host): %w", name, name, err)
		}
	}
	return nil
}

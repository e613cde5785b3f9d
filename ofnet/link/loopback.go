// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"os"
	"path/filepath"
)

// AllowLoopback lets an interface carry packets of the host's loopback addresses (net.ipv4.conf.IFACE.route_localnet), so that ports that
// lead to containers are also reachable at 127.0.0.1.
func (h *Host) AllowLoopback(ifname string) error {
	return wrap(h.ns.Do(func() error {
		file := filepath.Join("/proc/sys/net/ipv4/conf", ifname, "route_localnet")
		h.settings.keep(file, keptSetting{value: "1"})
		now, err := os.ReadFile(file)
		if err != nil || bytes.Equal(bytes.TrimSpace(now), []byte("1")) {
			return err
		}
		return os.WriteFile(file, []byte("1"), 0o644)
	}), "let loopback addresses speak by %s", ifname)
}

package link

import (
	"bytes"
	"os"
	"path/filepath"
)

// AllowLoopback lets the host's loopback addresses speak by an interface (net.ipv4.conf.IFACE.route_localnet), so that ports which
// lead to containers are there at 127.0.0.1 too.
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

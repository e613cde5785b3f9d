package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// switchDelay is a drop-in for the unit of ovs-vswitchd (systemd.unit(5)): ovs-vswitchd starts no earlier than twelve seconds after the boot.
// Some releases of Open vSwitch, 3.1 of Debian 12 among them, count the machine's processors only from ten seconds after the boot on
// (count_cpu_cores of lib/ovs-thread.c; later ones do so at once). If such a release has bridges of the kernel's datapath before, it has no
// thread for the first packet of a connection, and no such packet passes until ovs-vswitchd restarts.
const switchDelay = `# contiv: some releases of Open vSwitch have no threads for first packets if they start within ten seconds after the boot.
[Service]
ExecStartPre=/bin/sh -c 'read up rest </proc/uptime; up=$${up%%.*}; [ $$up -ge 12 ] || sleep $$((12 - up))'
`

// switchDelayFile is where the drop-in is.
func (h *Host) switchDelayFile() string {
	return filepath.Join(filepath.Dir(h.unitFile(Netplugin)), "ovs-vswitchd.service.d", "contiv.conf")
}

// delaySwitch writes the drop-in; systemd reads it with the next daemon-reload.
func (s Systemd) delaySwitch() (changed bool, err error) {
	return write(s.Host.switchDelayFile(), []byte(switchDelay), 0o644)
}

// undelaySwitch removes the drop-in, and its directory if nothing else is there.
func (s Systemd) undelaySwitch(ctx context.Context) error {
	path := s.Host.switchDelayFile()
	if removed, err := remove(path); err != nil || !removed {
		return err
	}
	if err := os.Remove(filepath.Dir(path)); err != nil && !errors.Is(err, fs.ErrExist) { // which includes a directory that is not empty
		return err
	}
	return s.Ctl(ctx, "daemon-reload")
}

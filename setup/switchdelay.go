// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/setup/unit"
)

// switchDelayFile is where the drop-in is.
func (h *Host) switchDelayFile() string {
	return filepath.Join(filepath.Dir(h.unitFile(Netplugin)), unit.SwitchDelayName)
}

// delaySwitch writes the drop-in; systemd reads it with the next daemon-reload.
func (s Systemd) delaySwitch() (changed bool, err error) {
	return write(s.Host.switchDelayFile(), []byte(unit.SwitchDelay), 0o644)
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

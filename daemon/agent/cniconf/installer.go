// SPDX-License-Identifier: Apache-2.0

package cniconf

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Installer keeps the plugin and its configuration installed on a host while it runs.
type Installer struct {
	Program  string          // path of the plugin to install, which keeps its name
	Bin      string          // directory of the runtime's plugins; "" leaves the plugin to others
	Conf     string          // directory of the runtime's configurations
	Stays    bool            // the configuration stays when the agent ends, for its successor
	Waiting  func() []string // what the agent lacks to serve; none: the configuration may be written
	Interval time.Duration   // between two checks
	Log      *slog.Logger
}

// Modes of the files.
const (
	programMode fs.FileMode = 0o755
	confMode    fs.FileMode = 0o644
)

// Run installs the plugin, writes the configuration as soon as the agent serves, and restores both if they are changed, until ctx ends.
// Then it removes the configuration, unless that stays, and leaves the plugin: pods that end need it, whatever plugin connects new ones. It
// logs and retries failures.
func (k *Installer) Run(ctx context.Context) error {
	conf, err := Conf(filepath.Base(k.Program))
	if err != nil {
		return err
	}
	at := filepath.Join(k.Conf, File)
	defer func() {
		if k.Stays {
			return
		}
		switch gone, err := withdraw(at, conf, confMode); {
		case err != nil:
			k.Log.Error("cannot remove the CNI configuration at the end of the agent", "error", err)
		case gone:
			k.Log.Info("removed the CNI configuration: this node accepts no pods without an agent", "path", at)
		}
	}()
	tick := time.NewTicker(k.Interval)
	defer tick.Stop()
	said := ""
	for serves := false; ; {
		err := k.install()
		if serves = serves || len(k.Waiting()) == 0; serves && err == nil {
			err = k.write(at, conf)
		}
		if err != nil && err.Error() != said {
			k.Log.Error("cannot install the CNI plugin; retrying", "error", err)
		}
		if said = ""; err != nil {
			said = err.Error()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// install installs the plugin in Bin.
func (k *Installer) install() error {
	if k.Bin == "" {
		return nil
	}
	to := filepath.Join(k.Bin, filepath.Base(k.Program))
	if from, err := os.Stat(k.Program); err == nil {
		if there, err := os.Stat(to); err == nil && os.SameFile(from, there) {
			return nil
		}
	}
	text, err := os.ReadFile(k.Program)
	if err != nil {
		return fmt.Errorf("--cni-bin-dir: the plugin is to be beside netplugin: %w", err)
	}
	return k.put("--cni-bin-dir", to, text, programMode)
}

func (k *Installer) write(at string, conf []byte) error {
	return k.put("--cni-conf-dir", at, conf, confMode)
}

func (k *Installer) put(flag, path string, text []byte, mode fs.FileMode) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), tidy(path)); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	changed, err := put(path, text, mode)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if changed {
		k.Log.Info("installed", "path", path)
	}
	return nil
}

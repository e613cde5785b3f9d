// SPDX-License-Identifier: Apache-2.0

// Package setup makes a machine a host of a cluster, and reverts that. It works in steps, which can be repeated and undone.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/contiv/contiv/setup/unit"
	"github.com/contiv/contiv/trust"
)

// Host is a machine, described by its directories.
type Host struct {
	Root string // prefix of all paths; "" is /
	Bin  string // directory of netmaster and netplugin
}

// Names of the daemons.
const (
	Netmaster = "netmaster"
	Netplugin = "netplugin"
)

// at returns a path below the root.
func (h *Host) at(path string) string { return filepath.Join(cmp.Or(h.Root, "/"), path) }

// Trust returns the directory of the host's certificates.
func (h *Host) Trust() trust.Dir { return trust.Dir(h.at(trust.DefaultDir)) }

// SettingsFile returns the path of a daemon's environment as contiv init and contiv join write it.
func (h *Host) SettingsFile(daemon string) string { return h.at("/etc/contiv/host/" + daemon + ".env") }

// EnvFile returns the path of a daemon's environment as the operator writes it. It is read after SettingsFile, so its values take
// precedence.
func (h *Host) EnvFile(daemon string) string { return h.at("/etc/contiv/" + daemon + ".env") }

// StoreDir returns the directory of the embedded store.
func (h *Host) StoreDir() string { return h.at("/var/lib/contiv/store") }

// SnapshotDir returns the default directory of the store's snapshots.
func (h *Host) SnapshotDir() string { return h.at("/var/lib/contiv/snapshots") }

// LastLines returns the path of the last log lines of a daemon.
func (h *Host) LastLines(daemon string) string { return h.at("/var/log/contiv/" + daemon + ".last") }

// LogFile returns the path of the log of a daemon that systemd does not start.
func (h *Host) LogFile(daemon string) string { return h.at("/var/log/contiv/" + daemon + ".log") }

// pidFile returns the path of a file with the process id of a daemon that systemd does not start.
func (h *Host) pidFile(daemon string) string { return h.at("/run/contiv/" + daemon + ".pid") }

// unitFile returns the path of a daemon's systemd unit, unless a package has it.
func (h *Host) unitFile(daemon string) string {
	return h.at("/etc/systemd/system/" + unit.Name(daemon))
}

// packaged reports whether a package on this host has the unit of a daemon.
func (h *Host) packaged(daemon string) bool {
	_, err := os.Stat(h.at("/usr/lib/systemd/system/" + unit.Name(daemon)))
	return err == nil
}

// startedFile returns the path of a file with the digest of the program and the settings with which systemd has started a daemon.
func (h *Host) startedFile(daemon string) string {
	return h.at("/etc/contiv/host/" + daemon + ".started")
}

// Locate returns the directory of the daemons: that of this program, or the one in which packages have them.
func Locate(self string) string {
	dir := filepath.Dir(self)
	for _, dir := range []string{dir, "/usr/sbin"} {
		for _, daemon := range []string{Netmaster, Netplugin} {
			if _, err := os.Stat(filepath.Join(dir, daemon)); err == nil {
				return dir
			}
		}
	}
	return dir
}

// Masters reports whether the host is set up to run a netmaster.
func (h *Host) Masters() bool {
	return h.Variables(Netmaster) != nil
}

// Member reports whether the host is part of a cluster.
func (h *Host) Member() bool { return h.Trust().Has(trust.Agent) || h.Trust().Has(trust.Master) }

// unfinished returns the path of a file that exists while contiv init has not finished.
func (h *Host) unfinished() string { return h.at("/etc/contiv/host/init-unfinished") }

// Finished records that contiv init has finished.
func (h *Host) Finished() error {
	_, err := remove(h.unfinished())
	return err
}

// Complete reports whether the host is part of a cluster and no contiv init is unfinished.
func (h *Host) Complete() bool {
	_, err := os.Stat(h.unfinished())
	return h.Member() && err != nil
}

// begin refuses a host that is part of a cluster, unless a contiv init did not finish.
func (h *Host) begin() Step {
	return Step{Name: "begin", Do: func(context.Context) (string, error) {
		if !h.Complete() {
			_, err := write(h.unfinished(), []byte("contiv init is not complete: run it again to continue.\n"), 0o600)
			return "", err
		}
		label, err := h.Labelled()
		if err != nil {
			return "", err
		}
		what := "an agent"
		if h.Masters() {
			what = "a netmaster"
		}
		return "", fmt.Errorf("this host is already %s in a cluster, with %s, and netmasters at %s: run contiv leave to remove it from that cluster, or contiv token create to add other hosts",
			label, what, strings.Join(h.Netmasters(), ", "))
	}, Undo: func(context.Context) (string, error) { return "", h.Finished() }}
}

// write writes a file atomically, and creates its directory if necessary: a reader finds the old text or the new one. It reports
// whether the file has changed.
func write(path string, text []byte, mode fs.FileMode) (did bool, err error) {
	if was, err := os.ReadFile(path); err == nil && string(was) == string(text) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	next := path + ".new"
	if err := os.WriteFile(next, text, mode); err != nil {
		return false, fmt.Errorf("write %s: %w", path, err)
	}
	return true, os.Rename(next, path)
}

// remove removes a file, and reports whether it existed.
func remove(path string) (did bool, err error) {
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Uninstaller returns a function that runs the host's netplugin with --uninstall once, with the agent's settings, and returns the
// program's output. It blocks for some seconds.
func Uninstaller(h *Host) func(ctx context.Context, settings Env) ([]string, error) {
	return func(ctx context.Context, settings Env) ([]string, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(h.Bin, Netplugin), "--uninstall", "once")
		cmd.Env = os.Environ()
		for name, value := range settings {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		err := cmd.Run()
		lines := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
		if err != nil {
			return lines, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, last(log.String()))
		}
		return lines, nil
	}
}

// last returns the last line of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// asideDir returns the path to which the embedded store's data are moved when a host leaves.
func (h *Host) asideDir() string { return h.at("/var/lib/contiv/store.left") }

// removeDirs removes the last log lines of the daemons, and the directories of contiv that are empty. It takes back those that stay.
func (h *Host) removeDirs(context.Context) (string, error) {
	var all []error
	for _, daemon := range Daemons() {
		if err := os.Remove(h.LastLines(daemon)); !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	for _, path := range []string{"/etc/contiv/host", "/etc/contiv/trust", "/etc/contiv", "/var/lib/contiv", "/var/log/contiv", "/run/contiv"} {
		if os.Remove(h.at(path)) != nil { // it is not empty, or a mount point
			all = append(all, unshare(h.at(path)))
		}
	}
	return "", errors.Join(all...)
}

// unshare takes a directory that a netmaster shared with its group back to root. Other directories, and missing ones, stay as they are.
func unshare(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode()&fs.ModeSticky == 0 {
		return err
	}
	return errors.Join(os.Chown(dir, -1, 0), os.Chmod(dir, 0o755))
}

// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contiv/contiv/configfile"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/fileowner"
)

// Daemons are the names of both daemons.
func Daemons() []string { return []string{Netmaster, Netplugin} }

// ConfigDir returns the directory of the configuration files.
func (h *Host) ConfigDir() string { return h.at(flags.DefaultDir) }

// otherDir returns the directory of the configuration files if it is not the default of the daemons, else "".
func (h *Host) otherDir() string {
	if dir := h.ConfigDir(); dir != flags.DefaultDir {
		return dir
	}
	return ""
}

// ConfigFile returns the path of a daemon's configuration file, which only the operator writes.
func (h *Host) ConfigFile(daemon string) string {
	return filepath.Join(h.ConfigDir(), daemon+".yaml")
}

// ConfigFiles returns the paths of the existing configuration files of a daemon, the lowest layer first.
func (h *Host) ConfigFiles(daemon string) (out []string) {
	if _, err := os.Lstat(h.ConfigFile(daemon)); err == nil {
		out = append(out, h.ConfigFile(daemon))
	}
	more, _ := configfile.Files(filepath.Join(h.ConfigDir(), "conf.d")) // the daemon reports an error
	return append(out, more...)
}

// Variables returns the variables with which a daemon is started: those that contiv init and contiv join wrote, overridden by the operator's
// file. It is nil if the host has no such daemon.
func (h *Host) Variables(daemon string) Env {
	own, err := ReadEnv(h.SettingsFile(daemon))
	if err != nil && !h.older(daemon) {
		return nil
	}
	operators, err := ReadEnv(h.EnvFile(daemon))
	if err != nil || !fileowner.Trusted(h.EnvFile(daemon)) {
		return own
	}
	if own == nil {
		return operators
	}
	maps.Copy(own, operators)
	return own
}

// Settings returns the settings of a daemon, by the names of their variables, from all files. It is nil if the host has no such daemon. If the
// configuration files have errors, only the variables count; Configured returns the errors.
func (h *Host) Settings(daemon string) Env {
	env := h.Variables(daemon)
	if env == nil || len(h.ConfigFiles(daemon)) == 0 {
		return env
	}
	all, err := h.Configured(daemon)
	if err != nil {
		return env
	}
	for i := range all {
		if one := &all[i]; one.Origin.Layer == flags.LayerFile || one.Origin.Layer == flags.LayerDropIn {
			env[one.Variable] = one.Text()
		}
	}
	return env
}

// Configured returns the settings of a daemon with their origins, or the errors of its configuration files. The daemon's program reads them.
func (h *Host) Configured(daemon string) (out []flags.Setting, err error) {
	text, err := h.Ask(context.Background(), daemon, "--print-config=json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("%s --print-config: %w", daemon, err)
	}
	return out, nil
}

// ConfigError has the errors of a daemon's configuration.
type ConfigError struct {
	Daemon string
	Lines  []string
}

// Error returns the errors, a line each.
func (e *ConfigError) Error() string { return strings.Join(e.Lines, "\n") }

// Ask runs a daemon's program with a flag about its configuration, in the environment in which its unit starts it, and returns the output. With an
// error it may return output as well.
func (h *Host) Ask(ctx context.Context, daemon, flag string) ([]byte, error) {
	program := filepath.Join(h.Bin, daemon)
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("the program that reads the configuration: %w; name its directory with --bin", err)
	}
	cmd := exec.CommandContext(ctx, program, flag)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "CONTIV_NETMASTER_") || strings.HasPrefix(v, "CONTIV_NETPLUGIN_")
	}), "CONTIV_"+strings.ToUpper(daemon)+"_CONFIG_DIR="+h.ConfigDir())
	for name, value := range h.Variables(daemon) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		text := strings.TrimPrefix(strings.TrimSpace(errs.String()), daemon+": ")
		if text == "" {
			text = err.Error()
		}
		err = &ConfigError{Daemon: daemon, Lines: strings.Split(text, "\n")}
	}
	return out.Bytes(), err
}

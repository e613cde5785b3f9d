// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/contiv/contiv/configfile"
)

// Env is the environment of a daemon: values by the names of variables that its --variables lists.
type Env map[string]string

// written is the first line of each file that this package writes. An older contiv wrote such a file at the path of the operator's.
const written = "# Written by contiv init or contiv join"

// Text encodes the environment as a file that systemd reads (systemd.exec(5), EnvironmentFile).
func (e Env) Text() []byte {
	var out bytes.Buffer
	out.WriteString(written + ", which overwrite it. Settings in the file of this name in the parent directory take precedence.\n")
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if e[name] != "" {
			fmt.Fprintf(&out, "%s=%s\n", name, quoted(e[name]))
		}
	}
	return out.Bytes()
}

// quoted quotes a value so that a shell and systemd read the same.
func quoted(value string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=@%+", r)
	}
	if strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) < 0 {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value) + `"`
}

// ReadEnv reads a file in the format of Text.
func ReadEnv(path string) (Env, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := Env{}
	for _, v := range configfile.ParseEnv(text) {
		out[v.Name] = v.Value
	}
	return out, nil
}

// older reports whether an older contiv wrote the file that is now the operator's.
func (h *Host) older(daemon string) bool {
	text, err := os.ReadFile(h.EnvFile(daemon))
	return err == nil && bytes.HasPrefix(text, []byte(written))
}

// handBack removes from a file that an older contiv wrote the settings that contiv now writes elsewhere, and keeps the others for
// the operator.
func (h *Host) handBack(daemon string, ours Env) error {
	if !h.older(daemon) {
		return nil
	}
	path := h.EnvFile(daemon)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	settings := false
	for line := range strings.Lines(string(text)) {
		name, _, set := strings.Cut(strings.TrimSpace(line), "=")
		if _, is := ours[name]; is || strings.HasPrefix(line, written) {
			continue
		}
		settings = settings || set && !strings.HasPrefix(name, "#")
		kept.WriteString(line)
	}
	if !settings {
		_, err := remove(path)
		return err
	}
	_, err = write(path, kept.Bytes(), 0o600)
	return err
}

// writeSettings returns the step that writes the settings of a daemon.
func (h *Host) writeSettings(daemon string, env func() Env) Step {
	path := h.SettingsFile(daemon)
	return Step{
		Name: "settings of " + daemon,
		Do: func(context.Context) (string, error) {
			ours := env()
			did, err := write(path, ours.Text(), 0o600)
			if err == nil {
				err = h.handBack(daemon, ours)
			}
			return when(did, "wrote "+path), err
		},
		Undo: func(context.Context) (string, error) {
			if h.older(daemon) {
				if _, err := remove(h.EnvFile(daemon)); err != nil {
					return "", err
				}
			}
			did, err := remove(path)
			if _, absent := os.Stat(h.EnvFile(daemon)); did && absent == nil {
				return "removed " + path + "; " + h.EnvFile(daemon) + " is yours and is kept", err
			}
			return when(did, "removed "+path), err
		},
	}
}

// when returns text if something was done, else "".
func when(did bool, text string) string {
	if !did {
		return ""
	}
	return text
}

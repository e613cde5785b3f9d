package setup

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Env is what a daemon is told: values by the names of environment variables, as its --variables lists them.
type Env map[string]string

// Text is the environment as a file that systemd reads (systemd.exec(5), EnvironmentFile).
func (e Env) Text() []byte {
	var out bytes.Buffer
	out.WriteString("# Written by contiv init or contiv join, which write it again when they are called again.\n")
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if e[name] != "" {
			fmt.Fprintf(&out, "%s=%s\n", name, quoted(e[name]))
		}
	}
	return out.Bytes()
}

// quoted is a value that a shell and systemd read alike.
func quoted(value string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:,=@%+", r)
	}
	if strings.IndexFunc(value, func(r rune) bool { return !plain(r) }) < 0 {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value) + `"`
}

// ReadEnv reads a file that Text has written.
func ReadEnv(path string) (Env, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := Env{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		name, value, ok := strings.Cut(line, "=")
		if line == "" || line[0] == '#' || !ok {
			continue
		}
		if inner, ok := strings.CutPrefix(value, `"`); ok {
			value = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`").Replace(strings.TrimSuffix(inner, `"`))
		}
		out[name] = value
	}
	return out, nil
}

// told writes what a daemon is told.
func (h *Host) told(daemon string, env func() Env) Step {
	path := h.EnvFile(daemon)
	return Step{
		Name: "settings of " + daemon,
		Do: func(context.Context) (string, error) {
			did, err := write(path, env().Text(), 0o600)
			return when(did, "wrote "+path), err
		},
		Undo: func(context.Context) (string, error) {
			did, err := remove(path)
			return when(did, "removed "+path), err
		},
	}
}

// when is a text if something was done.
func when(did bool, text string) string {
	if !did {
		return ""
	}
	return text
}

// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Fix is a change of the kernel: a setting, or a module to load.
type Fix struct {
	Setting, Value string // as sysctl(8) names it
	Module         string
}

// settingsFile and modulesFile return the paths of the files by which a boot repeats fixes (sysctl.d(5), modules-load.d(5)).
func (h *Host) settingsFile() string { return h.at("/etc/sysctl.d/90-contiv.conf") }
func (h *Host) modulesFile() string  { return h.at("/etc/modules-load.d/contiv.conf") }

// Commands runs a program, and returns its output.
func Commands(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

// previously begins the comment that records the value of a setting before its fix.
const previously = "# previously: "

// Fix carries out changes, and writes them to the files of a boot. It returns a line for each. A repetition changes nothing.
func (h *Host) Fix(ctx context.Context, fixes []Fix, run func(ctx context.Context, name string, args ...string) (string, error)) (did []string, err error) {
	for _, f := range fixes {
		switch {
		case f.Module != "":
			if _, err := run(ctx, "modprobe", f.Module); err != nil {
				return did, err
			}
			if _, err := addLine(h.modulesFile(), f.Module); err != nil {
				return did, err
			}
			did = append(did, "loaded module "+f.Module+", and wrote it to "+h.modulesFile())
		case f.Setting != "":
			was, err := run(ctx, "sysctl", "-n", f.Setting)
			if err != nil {
				return did, err
			}
			// The previous value is written first: contiv leave restores it even if this command is interrupted.
			if _, err := addLine(h.settingsFile(), previously+f.Setting+" = "+was); err != nil {
				return did, err
			}
			if _, err := addLine(h.settingsFile(), f.Setting+" = "+f.Value); err != nil {
				return did, err
			}
			if _, err := run(ctx, "sysctl", "-w", f.Setting+"="+f.Value); err != nil {
				return did, err
			}
			did = append(did, fmt.Sprintf("set %s to %s (it was %s), and wrote it to %s", f.Setting, f.Value, was, h.settingsFile()))
		}
	}
	return did, nil
}

// addLine adds a line to a file, unless a line has the same name already: the first one counts.
func addLine(path, line string) (did bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	name, _, _ := strings.Cut(line, " = ")
	for one := range strings.Lines(string(text)) {
		if have, _, _ := strings.Cut(strings.TrimSpace(one), " = "); have == name {
			return false, nil
		}
	}
	return write(path, []byte(string(text)+line+"\n"), 0o644)
}

// fixed returns the step whose Undo reverts what contiv preflight --fix has changed. A setting that was changed since keeps its value, and
// modules stay loaded until the next boot.
func (h *Host) fixed(run func(ctx context.Context, name string, args ...string) (string, error)) Step {
	return Step{Name: "kernel settings", Undo: func(ctx context.Context) (string, error) {
		var lines []string
		text, _ := os.ReadFile(h.settingsFile())
		values, previous := map[string]string{}, map[string]string{}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			into := values
			if rest, ok := strings.CutPrefix(line, previously); ok {
				line, into = rest, previous
			}
			if name, value, ok := strings.Cut(line, " = "); ok {
				into[name] = value
			}
		}
		for name, was := range previous {
			now, err := run(ctx, "sysctl", "-n", name)
			if err != nil || now != values[name] {
				continue // it has no interface any more, or someone has changed it
			}
			if _, err := run(ctx, "sysctl", "-w", name+"="+was); err != nil {
				return strings.Join(lines, "\n"), err
			}
			lines = append(lines, "restored "+name+" to "+was)
		}
		for _, path := range []string{h.settingsFile(), h.modulesFile()} {
			did, err := remove(path)
			if err != nil {
				return strings.Join(lines, "\n"), err
			}
			if did {
				lines = append(lines, "removed "+path)
			}
		}
		return strings.Join(lines, "\n"), nil
	}}
}

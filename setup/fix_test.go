// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// kernelOf is a kernel with settings. Like sysctl(8) it refuses unknown ones.
type kernelOf map[string]string

func (k kernelOf) run(_ context.Context, name string, args ...string) (string, error) {
	switch {
	case name == "sysctl" && args[0] == "-n":
		if v, ok := k[args[1]]; ok {
			return v, nil
		}
	case name == "sysctl" && args[0] == "-w":
		key, value, _ := strings.Cut(args[1], "=")
		if _, ok := k[key]; ok {
			k[key] = value
			return "", nil
		}
	case name == "modprobe" && args[0] == "openvswitch":
		k["module openvswitch"] = "loaded"
		return "", nil
	}
	return "", fmt.Errorf("%s %v: unknown", name, args)
}

// Changes by contiv preflight --fix last beyond a boot, and contiv leave reverts them.
func TestFix(t *testing.T) {
	const setting = "net.ipv4.conf.eth0.rp_filter"
	h := &Host{Root: t.TempDir()}
	k := kernelOf{setting: "1"}
	fixes := []Fix{{Setting: setting, Value: "2"}, {Module: "openvswitch"}}
	did, err := h.Fix(t.Context(), fixes, k.run)
	if err != nil || len(did) != 2 || !strings.HasPrefix(did[0], "set "+setting+" to 2 (it was 1), and wrote it to ") {
		t.Fatalf("got %q, %v", did, err)
	}
	if _, err := h.Fix(t.Context(), fixes, k.run); err != nil { // the previous value stays that of the first time
		t.Fatal(err)
	}
	for path, want := range map[string]string{h.settingsFile(): "# previously: " + setting + " = 1\n" + setting + " = 2\n", h.modulesFile(): "openvswitch\n"} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s: got %q, %v, want %q", path, text, err, want)
		}
	}
	if k[setting] != "2" || k["module openvswitch"] == "" {
		t.Errorf("the kernel has %v", k)
	}
	said, err := h.fixed(k.run).Undo(t.Context())
	if err != nil || !strings.Contains(said, "restored "+setting+" to 1") || k[setting] != "1" {
		t.Errorf("undo: got %q, %v, and the kernel has %v", said, err, k)
	}
	for _, path := range []string{h.settingsFile(), h.modulesFile()} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s remains: %v", path, err)
		}
	}
	if said, err := h.fixed(k.run).Undo(t.Context()); said != "" || err != nil {
		t.Errorf("undo again: got %q, %v, want nothing", said, err)
	}
}

// A setting that someone has changed since keeps its value; one that the kernel does not have is an error, and is not written.
func TestFixOfOthers(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	k := kernelOf{"net.a": "1"}
	if did, err := h.Fix(t.Context(), []Fix{{Setting: "net.b", Value: "2"}}, k.run); err == nil || len(did) > 0 {
		t.Errorf("an unknown setting: got %q, %v, want an error", did, err)
	}
	if _, err := h.Fix(t.Context(), []Fix{{Setting: "net.a", Value: "2"}}, k.run); err != nil {
		t.Fatal(err)
	}
	k["net.a"] = "3"
	if said, err := h.fixed(k.run).Undo(t.Context()); err != nil || k["net.a"] != "3" || strings.Contains(said, "restored") {
		t.Errorf("got %q, %v, and the kernel has %v", said, err, k)
	}
	steps := (&Leave{Host: h}).Steps()
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Name == "kernel settings" }) {
		t.Error("contiv leave does not revert kernel settings")
	}
}

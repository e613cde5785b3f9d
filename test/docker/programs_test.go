// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// programs builds the programs of the managed plugin, once, as they are shipped: without libraries.
var programs = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "programs"); err != nil {
		return "", err
	}
	for name, from := range map[string]string{"netplugin": "daemon/agent", "netmaster": "daemon/master", "netctl": "netctl",
		"startcontiv": "docker/startcontiv", "pack": "docker/pack"} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), "github.com/contiv/contiv/"+from)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s: %w: %s", name, err, out)
		}
	}
	return dir, nil
})

// built is the directory of the built programs.
func built(t *testing.T) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// packed makes the directory of a managed plugin of a version.
func packed(t *testing.T, version string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plugin")
	if text, err := exec.Command(filepath.Join(built(t), "pack"), "-bin", built(t), "-version", version, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("pack: %v: %s", err, text)
	}
	return out
}

// netctl asks the netmaster on a host and returns what it prints.
func netctl(t *testing.T, master string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(built(t), "netctl"), args...)
	cmd.Env = append(os.Environ(), "NETMASTER="+master)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// asProgram is the variable that has the test be the program.
const asProgram = "STARTOVS_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// host is a machine's network namespace and directories.
type host struct {
	t    *testing.T
	args []string
	dir  string
}

func newHost(t *testing.T) *host {
	t.Helper()
	dir := t.TempDir()
	id := filepath.Join(dir, "machine-id")
	if err := os.WriteFile(id, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &host{t: t, dir: dir, args: []string{"-data", filepath.Join(dir, "data"), "-run", filepath.Join(dir, "run"), "-machine-id", id}}
}

// output is what a program prints. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// start starts a part in a network namespace of its own. It ends with the test.
func (h *host) start(part string, more ...string) (*exec.Cmd, *output) {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd, out := exec.Command(self, append(append([]string{part}, h.args...), more...)...), &output{}
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, out
}

// vsctl runs ovs-vsctl, which waits for the database and the switch, for half a minute.
func (h *host) vsctl(log *output, args ...string) string {
	h.t.Helper()
	out, err := exec.CommandContext(h.t.Context(), "ovs-vsctl", append([]string{"--db=unix:" + filepath.Join(h.dir, "run/db.sock"), "--retry", "--timeout=30"}, args...)...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("ovs-vsctl %v: %v: %s\nlog:\n%s", args, err, out, log)
	}
	return strings.TrimSpace(string(out))
}

// Database and switch start in any order, with the machine's identity; the database outlives both, and a second server is refused.
func TestStart(t *testing.T) {
	h := newHost(t)
	vswitch, switchLog := h.start("switch", "--", "--disable-system")
	database, log := h.start("database")
	h.vsctl(log, "wait-until", "Open_vSwitch", ".", "external_ids:system-id=0123456789abcdef0123456789abcdef")
	h.vsctl(switchLog, "add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev")
	if got := h.vsctl(switchLog, "get", "Open_vSwitch", ".", "ovs_version"); !strings.Contains(got, ".") {
		t.Errorf("version of the switch: got %s, want that of ovs-vswitchd", got)
	}
	second := exec.Command(database.Path, append([]string{"database"}, h.args...)...)
	second.Env = append(os.Environ(), asProgram+"=1")
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "already runs on this host") || !strings.Contains(string(out), "contiv.io/openvswitch") {
		t.Errorf("a second server: got %v, %s, want a refusal with the remedy", err, out)
	}
	for _, cmd := range []*exec.Cmd{vswitch, database} {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the signal
	}
	_, log = h.start("database")
	if got := h.vsctl(log, "list-br"); got != "br0" {
		t.Errorf("bridges of a new server: got %q, want br0", got)
	}
}

// A database of an older schema is converted, and its copy kept.
func TestStart_Older(t *testing.T) {
	h := newHost(t)
	schema, err := os.ReadFile("/usr/share/openvswitch/vswitch.ovsschema")
	if err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(h.dir, "older.ovsschema")
	if err := os.WriteFile(older, bytes.Replace(schema, []byte(`"version": "`), []byte(`"version": "0`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(h.dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ovsdb-tool", "create", filepath.Join(h.dir, "data/conf.db"), older).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, log := h.start("database")
	h.vsctl(log, "--no-wait", "init")
	copies, err := filepath.Glob(filepath.Join(h.dir, "data/conf.db.backup-*"))
	if err != nil || len(copies) != 1 {
		t.Errorf("copies: got %v, %v, want one; log:\n%s", copies, err, log)
	}
}

func TestRun_Invalid(t *testing.T) {
	for _, args := range [][]string{nil, {"both"}, {"database", "-nonesuch"}} {
		if err := run(t.Context(), args, &output{}); err == nil {
			t.Errorf("%v: want an error", args)
		}
	}
}

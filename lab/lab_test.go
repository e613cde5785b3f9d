// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// contivLab builds the program that is process 1 of a host.
func contivLab(tb testing.TB) string {
	tb.Helper()
	self := filepath.Join(tb.TempDir(), Program)
	if out, err := exec.Command("go", "build", "-o", self, "github.com/contiv/contiv/lab/contivlab").CombinedOutput(); err != nil {
		tb.Fatalf("build contiv-lab: %v\n%s", err, out)
	}
	return self
}

// directory is a directory with a name short enough for sockets.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func run(tb testing.TB, l *Lab, where string, args ...string) string {
	tb.Helper()
	cmd, err := l.In(tb.Context(), where, args...)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%s: %s: %v\n%s", where, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// nothingLeft checks that a lab that is down has left nothing behind.
func nothingLeft(tb testing.TB, l *Lab, pids []int) {
	tb.Helper()
	if _, err := os.Stat(l.Dir); err == nil {
		tb.Errorf("directory %s still exists", l.Dir)
	}
	if _, err := os.Stat("/run/netns/" + l.switches()); err == nil {
		tb.Errorf("namespace %s is still there", l.switches())
	}
	if _, err := net.InterfaceByName(l.link()); err == nil {
		tb.Errorf("interface %s is still there", l.link())
	}
	for _, pid := range pids {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && strings.Contains(string(line), l.Dir) {
			tb.Errorf("process %d still runs: %s", pid, line)
		}
	}
}

func TestBare(t *testing.T) {
	self, dir := contivLab(t), folder(t)
	var out strings.Builder
	l, err := New(Plan{Name: "bare", Dir: dir, Hosts: 2, Masters: 1, Store: StoreEmbedded, Bare: true}, self, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Down(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := l.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 {
		t.Errorf("progress: want a line about the datapath and two of hosts, got %q", out.String())
	}
	if got := strings.TrimSpace(run(t, l, "h2", "hostname")); got != "h2" {
		t.Errorf("host name: want h2, got %s", got)
	}
	run(t, l, "h1", "ping", "-c", "3", "-i", "0.2", "-W", "5", "192.168.251.2")
	if _, err := New(Plan{Name: "bare", Dir: dir, Hosts: 1, Masters: 1, Store: StoreEmbedded}, self, &out); err == nil {
		t.Error("a second lab of that name: want an error")
	}
	if err := l.Kill("h1", PartOVS); err != nil {
		t.Fatal(err)
	}
	if p, err := l.part("h1", PartOVS); err != nil || p.Running() || p.Outcome != "killed" {
		t.Errorf("after a kill: got %+v (%v)", p, err)
	}
	if err := l.Start(t.Context(), "h1", PartOVS); err != nil {
		t.Fatal(err)
	}
	if err := l.Stop("h1", PartOVS); err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), "h1", PartOVS, "--mlockall"); err != nil {
		t.Fatal(err)
	}
	run(t, l, "h1", "sh", "-c", "tr '\\0' ' ' < /proc/$(cat /run/openvswitch/ovs-vswitchd.pid)/cmdline | grep -q -- ' --mlockall'")
	run(t, l, "h1", "ping", "-c", "3", "-i", "0.2", "-W", "5", "192.168.251.2")
	for _, wrong := range [][2]string{{"h3", PartOVS}, {"h1", PartMaster}, {"h1", "paper"}} {
		if err := l.Start(t.Context(), wrong[0], wrong[1]); err == nil {
			t.Errorf("start %s on %s: want an error", wrong[1], wrong[0])
		}
	}
	again, err := Open(dir, "bare", self, &out)
	if err != nil || again.Plan.Number != l.Number {
		t.Fatalf("open: got %+v (%v)", again, err)
	}
	var pids []int
	for _, h := range l.hostNames() {
		pid, err := l.pid(h)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	for range 2 {
		if err := Down(t.Context(), dir, "bare", &out); err != nil {
			t.Fatal(err)
		}
	}
	nothingLeft(t, l, pids)
}

// TestHalf ends a lab that came no further than its first host, and one whose program died.
func TestHalf(t *testing.T) {
	self, dir := contivLab(t), folder(t)
	var out strings.Builder
	l, err := New(Plan{Name: "half", Dir: dir, Hosts: 2, Masters: 1, Store: StoreEmbedded, Bare: true}, self, &out)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := l.spawn(1)
	if err == nil {
		err = Down(t.Context(), dir, "half", &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, l, []int{pid})
}

// TestPartFails shows which part failed on which host, and the end of its log.
func TestPartFails(t *testing.T) {
	self, dir := contivLab(t), folder(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "netmaster"), []byte("#!/bin/sh\necho the reason\nexit 22\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	l, err := New(Plan{Name: "fails", Dir: dir, Hosts: 1, Masters: 1, Store: StoreEmbedded, Bin: bin}, self, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Down(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	err = l.Up(t.Context())
	for _, want := range []string{"h1: master is not ready", "exit code 22", "the reason"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in the error, got %v", want, err)
		}
	}
}

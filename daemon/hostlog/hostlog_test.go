// SPDX-License-Identifier: Apache-2.0

package hostlog

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/logging"
)

// begun returns the logs of a host with a netmaster in a directory, and its logger.
func begun(t *testing.T, dir, part string) (*Logs, *slog.Logger) {
	t.Helper()
	recent := &logging.Recent{}
	if err := recent.KeepIn(dir, part); err != nil {
		t.Fatal(err)
	}
	log, err := logging.New(logging.Config{Level: "INFO"}, part, os.Stderr, recent)
	if err != nil {
		t.Fatal(err)
	}
	return &Logs{Part: part, Recent: recent, Dir: dir}, log
}

// A daemon shows its own lines, and those that the other daemon of the host has left, each line once.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	own, log := begun(t, dir, model.LogNetmaster)
	other, _ := begun(t, t.TempDir(), model.LogNetplugin)
	other.Dir = dir
	for i := range 5 {
		log.Info("step", "revision", i)
	}
	log.Error("netmaster ends", "error", "no space left on device")
	for name, l := range map[string]*Logs{"its own": own, "the other one's": other} {
		out, err := l.Read(model.LogNetmaster, "", 2)
		if err != nil || len(out.Lines) != 2 || !strings.Contains(out.Lines[0], "revision=4") || !strings.Contains(out.Lines[1], "no space left") || out.Ended != (l == other) {
			t.Fatalf("%s: want the last two, got %+v, %v", name, out, err)
		}
		again, err := l.Read(model.LogNetmaster, out.Next, 0)
		if err != nil || len(again.Lines) != 0 || again.Next != out.Next {
			t.Errorf("%s: want no line twice, got %+v, %v", name, again, err)
		}
	}
	before, err := other.Read(model.LogNetmaster, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	log.Info("after\x1b[2J")
	for name, l := range map[string]*Logs{"its own": own, "the other one's": other} {
		after := before.Next
		if l == own {
			after = "m6"
		}
		if out, err := l.Read(model.LogNetmaster, after, 0); err != nil || len(out.Lines) != 1 || !strings.Contains(out.Lines[0], "after") || strings.Contains(out.Lines[0], "\x1b") {
			t.Errorf("%s: want only the new line, got %+v, %v", name, out, err)
		}
	}
	if got := other.LastError(); !strings.Contains(got, "no space left on device") || !strings.Contains(got, "level=ERROR") {
		t.Errorf("want the last error of the other one, got %q", got)
	}
	if got := own.LastError(); got != "" {
		t.Errorf("the agent has left nothing: got %q", got)
	}
	for part, want := range map[string]string{"passwd": "want one of netplugin", model.LogVSwitchd: "ask the host's agent", model.LogNetplugin: "there is no log in"} {
		if out, err := own.Read(part, "", 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %+v, %v", part, want, out, err)
		}
	}
}

// The lines of Open vSwitch are read where a daemon has its log open, and a crash counts as an error.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "vswitchd.log")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	_, _ = f.WriteString("one\ntwo\nhalf")
	if err := os.WriteFile(filepath.Join(dir, "ovs-vswitchd.pid"), fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &Logs{Part: model.LogNetplugin, Dir: dir, Switch: dir}
	out, err := l.Read(model.LogVSwitchd, "", 0)
	if err != nil || !slices.Equal(out.Lines, []string{"one", "two"}) || out.From != path || out.Ended {
		t.Fatalf("got %+v, %v", out, err)
	}
	_, _ = f.WriteString(" done\n")
	if out, err = l.Read(model.LogVSwitchd, out.Next, 0); err != nil || !slices.Equal(out.Lines, []string{"half done"}) {
		t.Errorf("want the line once it is whole, got %+v, %v", out, err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("new\n"), 0); err != nil {
		t.Fatal(err)
	}
	if out, err = l.Read(model.LogVSwitchd, out.Next, 0); err != nil || !slices.Equal(out.Lines, []string{"new"}) {
		t.Errorf("a log that begins again: got %+v, %v", out, err)
	}
	if err := os.WriteFile(logging.TailFile(dir, model.LogNetmaster), []byte("panic: index out of range\n\ngoroutine 1 [running]:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := l.LastError(); got != "panic: index out of range" {
		t.Errorf("got %q", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a\nb\n", "f2", 1)
	f.Add("\x00\n\xff", "m9", -1)
	f.Add(strings.Repeat("x", 100), "f18446744073709551615", 5)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, after string, most int) {
		if err := os.WriteFile(logging.TailFile(dir, model.LogNetmaster), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := (&Logs{Part: model.LogNetplugin, Dir: dir}).Read(model.LogNetmaster, after, most)
		if err != nil || len(out.Lines) > maxLines {
			t.Fatalf("got %d lines, %v", len(out.Lines), err)
		}
		for _, line := range out.Lines {
			if strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("letters of control in %q", line)
			}
		}
	})
}

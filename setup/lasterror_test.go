// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// lastError prefers the line with which a daemon ended to errors, and errors to warnings; it returns the last line of a kind.
func TestLastError(t *testing.T) {
	const info = "time=2026-01-02T12:00:00.000Z level=INFO msg=\"netmaster starts\"\n"
	const warn = "time=2026-01-02T12:00:01.000Z level=WARN msg=\"waits for the store\"\n"
	const fail = "time=2026-01-02T12:00:02.000Z level=ERROR msg=\"the store is away\" error=refused\n"
	const end = "netmaster: embedded etcd: bind: address already in use\n"
	for name, c := range map[string]struct{ log, want string }{
		"nothing":        {"", ""},
		"no problem":     {info, ""},
		"a warning":      {info + warn + info, warn},
		"an error":       {fail + warn + info, fail},
		"the last error": {strings.Replace(fail, "refused", "other", 1) + fail, fail},
		"its end":        {info + end + fail, end},
		"JSON":           {`{"time":"2026-01-02T12:00:00Z","level":"ERROR","msg":"away"}` + "\n", `{"time":"2026-01-02T12:00:00Z","level":"ERROR","msg":"away"}`},
		"of another":     {"netplugin: no\n", ""},
		"control codes":  {"netmaster: a\x1b[2Jb\xffc\n", "netmaster: a[2Jb?c"},
		"a long line":    {"netmaster: " + strings.Repeat("ä", 1000), "netmaster: " + strings.Repeat("ä", 294) + "..."},
	} {
		if got := lastError(Netmaster, c.log); got != strings.TrimSpace(c.want) {
			t.Errorf("%s: want %q, got %q", name, c.want, got)
		}
	}
}

func FuzzLastError(f *testing.F) {
	f.Add("netmaster: a\nlevel=ERROR b\n{\"level\":\"WARN\"}\xff\x1b")
	f.Fuzz(func(t *testing.T, log string) {
		got := lastError(Netmaster, log)
		if len(got) > maxLineBytes+len("...") || strings.IndexFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Errorf("%q is shown as %q", log, got)
		}
		if rest := after(log, time.Unix(0, 0)); !strings.HasSuffix(log, rest) {
			t.Errorf("%q of %q", rest, log)
		}
	})
}

// A log file also has lines of earlier runs, which after drops.
func TestLogSince(t *testing.T) {
	old := "time=2026-01-02T11:00:00.000Z level=ERROR msg=old\nnetmaster: old end\ntime=2026-01-02T11:00:01.000Z level=INFO msg=old\n"
	recent := "time=2026-01-02T12:00:00.500Z level=ERROR msg=recent\n"
	since := time.Date(2026, 1, 2, 12, 0, 0, 900e6, time.UTC) // the log is written by a clock that is read a moment earlier
	for name, c := range map[string]struct{ log, want string }{
		"nothing":     {"", ""},
		"all older":   {old, ""},
		"one recent":  {old + recent, recent},
		"a quick end": {old + "netmaster: end\n", "netmaster: end\n"},
		"JSON":        {`{"time":"2026-01-02T12:00:01Z","level":"INFO"}`, `{"time":"2026-01-02T12:00:01Z","level":"INFO"}`},
	} {
		h := &Host{Root: t.TempDir()}
		if _, err := write(h.LogFile(Netmaster), []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := (Detached{h}).Log(t.Context(), Netmaster, since); err != nil || got != c.want {
			t.Errorf("%s: want %q, got %q, %v", name, c.want, got, err)
		}
	}
	h := &Host{Root: t.TempDir()}
	if got, err := (Detached{h}).Log(t.Context(), Netmaster, since); got != "" || err != nil {
		t.Errorf("without a log: got %q, %v", got, err)
	}
	large := strings.Repeat("x", logBytes) + "\nnetmaster: end\n"
	if _, err := write(h.LogFile(Netmaster), []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := (Detached{h}).Log(t.Context(), Netmaster, since); err != nil || len(got) > logBytes || !strings.HasSuffix(got, "\nnetmaster: end\n") {
		t.Errorf("want the end of a large log, got %d bytes, %v", len(got), err)
	}
}

// The error of a wait that fails has the reason: what the daemon answers, and what it logged.
func TestReason(t *testing.T) {
	h := &Host{Root: t.TempDir()}
	if _, err := write(h.LogFile(Netplugin), []byte("netplugin: --vtep-ip: no interface has 192.0.2.9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // as after a timeout
	got := h.reason(ended, Detached{h}, Netplugin, time.Now(), "it does not answer")
	for _, want := range []string{"it does not answer", "netplugin: --vtep-ip: no interface has 192.0.2.9", h.LogFile(Netplugin)} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
	if got := h.reason(t.Context(), Detached{h}, Netmaster, time.Now(), "it waits for the store"); !strings.HasPrefix(got, "it waits for the store; it has logged no error") {
		t.Errorf("got %q", got)
	}
	var asked []string
	s := Systemd{Host: h, Journal: func(_ context.Context, args ...string) (string, error) {
		asked = args
		return "", errors.New("no journal files were found")
	}}
	if got := h.reason(t.Context(), s, Netmaster, time.Unix(1767355200, 0), "it does not answer"); !strings.Contains(got, "its log cannot be read: no journal files were found") {
		t.Errorf("want the journal's error, got %q", got)
	}
	if !slices.Contains(asked, "contiv-netmaster.service") || !slices.Contains(asked, "@1767355200") {
		t.Errorf("want the unit's lines since this command began, got %v", asked)
	}
}

// The plugin and an example configuration are installed, replaced by another build, and removed; files of others stay.
func TestPlugin(t *testing.T) {
	h := &Host{Root: t.TempDir(), Bin: t.TempDir()}
	text := func(path string) string {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(b)
	}
	put := func(path, text string) {
		t.Helper()
		if _, err := write(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	does := func(what func(context.Context) (string, error), want string) {
		t.Helper()
		output, err := what(t.Context())
		if err != nil || want == "" && output != "" || !strings.Contains(output, want) {
			t.Errorf("want %q, got %q, %v", want, output, err)
		}
	}
	own := filepath.Join(h.Bin, plugin)
	does(h.cni().Do, own+" is missing")
	put(own, "build 1")
	does(h.cni().Do, "installed the CNI plugin "+h.PluginFile())
	does(h.cni().Do, "")
	if info, err := os.Stat(h.PluginFile()); err != nil || info.Mode().Perm() != 0o755 || text(h.PluginFile()) != "build 1" {
		t.Errorf("want the plugin, got %v, %v", info, err)
	}
	if conf := text(h.ConfFile()); !strings.Contains(conf, `"contivk8s"`) {
		t.Errorf("want a configuration, got %q", conf)
	}
	if entries, err := os.ReadDir(filepath.Dir(h.RuntimeConfFile())); err == nil {
		t.Errorf("want nothing where runtimes look, got %v", entries)
	}
	put(own, "build 2")
	does(h.cni().Do, "installed")
	if got := text(h.PluginFile()); got != "build 2" {
		t.Errorf("want the other build, got %q", got)
	}
	put(h.PluginFile(), "another's")
	does(h.cni().Do, "to replace it: cp "+own+" "+h.PluginFile())
	does(h.cni().Undo, "removed "+h.ConfFile())
	if got := text(h.PluginFile()); got != "another's" {
		t.Errorf("want another's plugin to stay, got %q", got)
	}
	does(h.cni().Do, "to replace it")
	put(h.PluginFile(), "build 2") // equal to ours, and installed by someone else
	does(h.cni().Do, "")
	does(h.cni().Undo, "removed")
	if got := text(h.PluginFile()); got != "build 2" {
		t.Errorf("want what someone else put there to stay, got %q", got)
	}
	if _, err := remove(h.PluginFile()); err != nil {
		t.Fatal(err)
	}
	does(h.cni().Do, "installed")
	put(h.RuntimeConfFile(), text(h.ConfFile()))
	does(h.cni().Undo, h.RuntimeConfFile()+" stays: remove it")
	if text(h.PluginFile()) != "" || text(h.ConfFile()) != "" || text(h.pluginMark()) != "" || text(h.RuntimeConfFile()) == "" {
		t.Error("want only what was installed to be gone")
	}
	if _, err := remove(h.RuntimeConfFile()); err != nil {
		t.Fatal(err)
	}
	does(h.cni().Undo, "")
}

// Directories created for the plugin are removed with it, unless they existed before or are not empty.
func TestPluginDirs(t *testing.T) {
	for name, row := range map[string]struct {
		before, during string // directories of others
		left           string // the deepest directory that stays, below the root; "": none
	}{
		"nothing was there":       {"", "", ""},
		"a directory existed":     {"opt", "", "opt"},
		"another directory since": {"", "opt/cni/cache", "opt/cni/cache"},
		"all directories existed": {"opt/cni/bin", "", "opt/cni/bin"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &Host{Root: t.TempDir(), Bin: t.TempDir()}
			if err := os.WriteFile(filepath.Join(h.Bin, plugin), []byte("build 1"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, do := range []func() error{
				func() error { return os.MkdirAll(h.at(row.before), 0o755) },
				func() error { _, err := h.cni().Do(t.Context()); return err },
				func() error { return os.WriteFile(filepath.Join(h.Bin, plugin), []byte("build 2"), 0o755) },
				func() error { _, err := h.cni().Do(t.Context()); return err },
				func() error { return os.MkdirAll(h.at(row.during), 0o755) },
				func() error { _, err := h.cni().Undo(t.Context()); return err },
			} {
				if err := do(); err != nil {
					t.Fatal(err)
				}
			}
			left := ""
			for dir := h.at("opt/cni/bin"); dir != h.at(""); dir = filepath.Dir(dir) {
				if _, err := os.Stat(dir); err == nil {
					left, _ = filepath.Rel(h.at(""), dir)
					break
				}
			}
			if row.during != "" {
				if _, err := os.Stat(h.at(row.during)); err == nil {
					left = row.during
				}
			}
			if left != row.left {
				t.Errorf("got directory %q, want %q", left, row.left)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// A reload applies what can change at run time, names what needs a restart until it is as it was, and changes nothing if the files are wrong.
func TestReload(t *testing.T) {
	dir := written(t, map[string]string{"netmaster.yaml": "log-level: INFO\n"})
	args := []string{"--config-dir", dir}
	first := newSample(io.Discard)
	if err := first.Parse(args, nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	level, broken := "", error(nil)
	r := NewReloader(first.Set, log, func() (*Set, []Live, error) {
		next := newSample(io.Discard)
		err := first.Reparse(next.Set, args)
		return next.Set, []Live{{[]string{"log-level", "quiet"}, func() error {
			if broken == nil {
				level = next.level
			}
			return broken
		}}}, err
	})
	for _, row := range []struct {
		name, text string
		broken     error
		level      string
		want, not  []string
	}{
		{"nothing", "log-level: INFO\n", nil, "", []string{"reloaded the configuration"}, []string{"changed"}},
		{"the level", "log-level: DEBUG\n", nil, "DEBUG", []string{`msg="changed a setting" key=log-level was=INFO is=DEBUG from=DIR/netmaster.yaml:1`}, []string{"restart"}},
		{"the level and another", "log-level: WARN\nmax-agents: 5\n", nil, "WARN", []string{"key=log-level was=DEBUG is=WARN", `level=WARN msg="a changed setting needs a restart" key=max-agents was=10 is=5 from=DIR/netmaster.yaml:2`}, nil},
		{"still", "log-level: WARN\nmax-agents: 5\n", nil, "WARN", []string{"needs a restart"}, []string{"log-level"}},
		{"as it was", "log-level: WARN\n", nil, "WARN", []string{"reloaded"}, []string{"needs a restart"}},
		{"an error", "log-level: INFO\nmax-agent: 5\n", nil, "WARN", []string{"level=ERROR", "DIR/netmaster.yaml:2: unknown key max-agent: did you mean max-agents?"}, []string{"msg=\"changed"}},
		{"a setting that cannot be applied", "log-level: ERROR\n", errors.New("no server"), "WARN", []string{`msg="cannot apply a changed setting" key=log-level error="no server"`}, []string{"msg=\"changed"}},
		{"again", "log-level: ERROR\n", nil, "ERROR", []string{"key=log-level was=WARN is=ERROR"}, nil},
	} {
		if err := os.WriteFile(filepath.Join(dir, "netmaster.yaml"), []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		broken = row.broken
		r.Reload()
		got := strings.ReplaceAll(out.String(), dir, "DIR")
		if level != row.level {
			t.Errorf("%s: want level %q, got %q", row.name, row.level, level)
		}
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: want %q, got %s", row.name, want, got)
			}
		}
		for _, not := range row.not {
			if strings.Contains(got, not) {
				t.Errorf("%s: want no %q, got %s", row.name, not, got)
			}
		}
	}
}

// Each signal reloads, until the context ends.
func TestReloader_Run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count, signals := 0, make(chan os.Signal)
		ctx, cancel := context.WithCancel(t.Context())
		r := NewReloader(newSample(io.Discard).Set, slog.New(slog.DiscardHandler), func() (*Set, []Live, error) {
			count++
			return nil, nil, errors.New("wrong")
		})
		ended := make(chan struct{})
		go func() { defer close(ended); r.Run(ctx, signals) }()
		signals <- syscall.SIGHUP
		signals <- syscall.SIGHUP
		synctest.Wait()
		cancel()
		<-ended
		if count != 2 {
			t.Errorf("want 2 reloads, got %d", count)
		}
	})
}

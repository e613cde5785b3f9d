// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A program that crashes is started again, later and later.
func TestCrashes(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var pauses []time.Duration
	p := &program{name: "netplugin", path: filepath.Join(folder(t, map[string]string{"x": "exit 3"}), "x"), out: &buffer{}, log: slog.New(slog.DiscardHandler)}
	p.after = func(d time.Duration) <-chan time.Time {
		if pauses = append(pauses, d); len(pauses) == 7 {
			stop()
		}
		c := make(chan time.Time, 1)
		c <- time.Time{}
		return c
	}
	p.run(ctx)
	want := []time.Duration{1, 2, 4, 8, 16, 30, 30}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(pauses, want) {
		t.Errorf("pauses: want %v, got %v", want, pauses)
	}
}

// A program that is not there is tried again too: it says so.
func TestMissingProgram(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var said buffer
	p := &program{name: "netplugin", path: "/no/such/program", out: &buffer{}, log: slog.New(slog.NewTextHandler(&said, nil))}
	p.after = func(time.Duration) <-chan time.Time { stop(); return nil }
	p.run(ctx)
	if got := said.String(); !strings.Contains(got, "/no/such/program") || !strings.Contains(got, "component=netplugin") {
		t.Errorf("want the program named, got %s", got)
	}
}

// A program that ignores SIGTERM is killed.
func TestStubbornProgram(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var out buffer
	p := &program{name: "netplugin", path: filepath.Join(folder(t, map[string]string{"x": "trap '' TERM; echo there; while :; do sleep 0.05; done"}), "x"),
		out: writer(func(b []byte) (int, error) { stop(); return out.Write(b) }), log: slog.New(slog.DiscardHandler)}
	began := time.Now()
	p.run(ctx)
	if took := time.Since(began); took < timeout || took > timeout+10*time.Second {
		t.Errorf("it ended after %s, not soon after %s", took, timeout)
	}
}

// writer is a function as an io.Writer.
type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// A full disk stops no program, and is reported once.
func TestLossyLog(t *testing.T) {
	var said buffer
	var fail error
	w := &lossy{path: "/x.log", stderr: &said, to: writer(func(p []byte) (int, error) { return len(p), fail })}
	for i, err := range []error{nil, errors.New("full"), errors.New("full"), nil, errors.New("full")} {
		fail = err
		if n, err := fmt.Fprint(w, "line"); n != 4 || err != nil {
			t.Errorf("write %d: %d, %v", i, n, err)
		}
	}
	line := "startcontiv: the log /x.log is not written: full\n"
	if got := said.String(); got != line+line {
		t.Errorf("want twice %q, got %q", line, got)
	}
}

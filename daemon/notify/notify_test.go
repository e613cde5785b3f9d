// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A daemon is ready once it waits for nothing, or has waited long enough, and reports changes and signs of life.
func TestReporter(t *testing.T) {
	for _, row := range []struct {
		name     string
		watchdog time.Duration
		waits    time.Duration // until it serves
		runs     time.Duration
		want     []string
	}{
		{"serves", 40 * time.Second, 0, time.Millisecond, []string{"READY=1", "STATUS=ready", "WATCHDOG=1"}},
		{"waits", 20 * time.Second, 5 * time.Second, 9 * time.Second, []string{"STATUS=waiting for the store; a leader", "WATCHDOG=1", "READY=1", "STATUS=ready", "WATCHDOG=1"}},
		{"waits long", 40 * time.Second, time.Hour, 33 * time.Second, []string{"STATUS=waiting for the store; a leader", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "READY=1", "WATCHDOG=1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var got []string
				r := &Reporter{log: slog.New(slog.DiscardHandler), watchdog: row.watchdog, send: func(state string) error {
					got = append(got, strings.Split(state, "\n")...)
					return nil
				}, waiting: func() string {
					if time.Since(begun) < row.waits {
						return "the store\na leader"
					}
					return ""
				}}
				ctx, cancel := context.WithTimeout(t.Context(), row.runs)
				defer cancel()
				if err := r.Task().Run(ctx); err != nil {
					t.Error(err)
				}
				want := append(row.want, "STOPPING=1", "STATUS=stopping")
				if !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

// A daemon that does not answer what it waits for gives no signs of life.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck, signs := make(chan struct{}), 0
		begun := time.Now()
		r := &Reporter{log: slog.New(slog.DiscardHandler), watchdog: 40 * time.Second, send: func(state string) error {
			signs += strings.Count(state, "WATCHDOG=1")
			return nil
		}, waiting: func() string {
			if time.Since(begun) > time.Minute {
				<-stuck
			}
			return ""
		}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Task().Run(ctx) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		before := signs
		time.Sleep(time.Hour)
		if before < 6 || signs != before {
			t.Errorf("got %d signs of life in a minute and %d in all, want 6 and not another", before, signs)
		}
		cancel()
		close(stuck)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// The messages reach the socket that the service manager names; without one the task ends.
func TestSocket(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := New(func() string { return "" }, slog.New(slog.DiscardHandler)).Task().Run(t.Context()); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "1000000")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- New(func() string { return "" }, slog.New(slog.DiscardHandler)).Task().Run(ctx) }()
	text := make([]byte, 1<<10)
	for _, want := range []string{"READY=1\nSTATUS=ready\nWATCHDOG=1", "STOPPING=1\nSTATUS=stopping"} {
		n, err := l.Read(text)
		if err != nil || string(text[:n]) != want {
			t.Errorf("got %q, %v, want %q", text[:n], err, want)
		}
		cancel()
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

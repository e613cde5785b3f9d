package main

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/daemon/store/embedded"
)

// The embedded store waits for room, which netmaster says meanwhile.
func TestAwaitRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config{Embedded: embedded.Config{Dir: "/var/lib/contiv/store"}}
		c.Store.Embedded = true
		f, log := newFront(), slog.New(slog.DiscardHandler)
		looks := 0
		left := func(string) (uint64, error) {
			if looks++; looks == 3 {
				if got, want := said(f), "netmaster waits for room for the store: 3 MiB are left in the file system of /var/lib/contiv/store, 80 are needed: remove something there"; got != want {
					t.Errorf("want %q, got %q", want, got)
				}
				return leastRoom, nil
			}
			return 3 << 20, nil
		}
		if err := c.awaitRoom(t.Context(), f, left, log); err != nil || looks != 3 || said(f) != "netmaster waits for the store" {
			t.Errorf("want three looks, got %d, %v, %q", looks, err, said(f))
		}
		broken := errors.New("input/output error")
		if err := c.awaitRoom(t.Context(), f, func(string) (uint64, error) { return 0, broken }, log); !errors.Is(err, broken) || !strings.Contains(err.Error(), c.Embedded.Dir) {
			t.Errorf("want the error with the folder, got %v", err)
		}
	})
}

// A folder that does not exist yet has the room of the one that it will be in.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	there, err := room(dir)
	if err != nil || there == 0 {
		t.Fatalf("want some room, got %d, %v", there, err)
	}
	if got, err := room(filepath.Join(dir, "a", "b")); err != nil || got == 0 {
		t.Errorf("want room for a folder to come, got %d, %v", got, err)
	}
}

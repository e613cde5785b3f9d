// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/daemon/store/embedded"
)

// The embedded store waits for space, which netmaster reports meanwhile.
func TestAwaitSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opener(embedded.Config{Dir: "/var/lib/contiv/store"}, "")
		checks := 0
		w.free = func(string) (uint64, error) {
			if checks++; checks == 3 {
				if got, want := w.what(), "room for the store: 3 MiB are left in the file system of /var/lib/contiv/store, 80 are needed: remove something there"; got != want {
					t.Errorf("want %q, got %q", want, got)
				}
				return MinSpace, nil
			}
			return 3 << 20, nil
		}
		if err := w.awaitSpace(t.Context()); err != nil || checks != 3 || w.what() != "the store" {
			t.Errorf("want three checks, got %d, %v, %q", checks, err, w.what())
		}
		broken := errors.New("input/output error")
		w.free = func(string) (uint64, error) { return 0, broken }
		if err := w.awaitSpace(t.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), w.Embedded.Dir) {
			t.Errorf("want the error with the directory, got %v", err)
		}
	})
}

// A directory that does not exist yet has the space of its parent.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	there, err := Free(dir)
	if err != nil || there == 0 {
		t.Fatalf("want some space, got %d, %v", there, err)
	}
	if got, err := Free(filepath.Join(dir, "a", "b")); err != nil || got == 0 {
		t.Errorf("want space for a future directory, got %d, %v", got, err)
	}
}

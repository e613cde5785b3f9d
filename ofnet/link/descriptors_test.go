// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
)

// A process that has no free file descriptor, or only a few, gets an error of nftables and continues: each operation needs some, at
// different moments.
func TestNoDescriptors(t *testing.T) {
	h, _ := open(t)
	if err := h.SetGuard(&link.Guard{}); err != nil {
		t.Fatal(err)
	}
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 64
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var taken []*os.File
	free := func(n int) {
		for range min(n, len(taken)) {
			_ = taken[len(taken)-1].Close()
			taken = taken[:len(taken)-1]
		}
	}
	defer func() {
		free(len(taken))
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}()
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, f)
	}
	failed := 0
	for range 8 { // none is free, then one more each time
		for _, err := range []error{h.SetGuard(&link.Guard{}), driftError(h), h.RemoveTables()} {
			switch {
			case errors.Is(err, unix.EMFILE):
				failed++
			case err != nil:
				t.Errorf("want no error, or that there is no descriptor, got %v", err)
			}
		}
		free(1)
	}
	if failed < 3 {
		t.Errorf("want the first three to fail at least, got %d", failed)
	}
	free(len(taken))
	if err := errors.Join(h.SetGuard(&link.Guard{}), driftError(h)); err != nil {
		t.Errorf("with descriptors again: %v", err)
	}
}

func driftError(h *link.Host) error {
	_, err := h.Tables().Drift()
	return err
}

// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Descriptors counts opened files, and reports the limit if no descriptor is free.
func TestDescriptors(t *testing.T) {
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
	defer func() {
		for _, f := range taken {
			_ = f.Close()
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}()
	count := func() (used, limit uint64) {
		for _, r := range Descriptors() {
			used, limit = r.Used, r.Max
		}
		return used, limit
	}
	before, limit := count()
	for range 5 {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, f)
	}
	if used, _ := count(); before < 3 || used != before+5 || limit != 64 {
		t.Errorf("want 5 more than %d of 64, got %d of %d", before, used, limit)
	}
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, unix.EMFILE) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, f)
	}
	if used, limit := count(); used != 64 || limit != 64 {
		t.Errorf("no free descriptor: want 64 of 64, got %d of %d", used, limit)
	}
}

// SPDX-License-Identifier: Apache-2.0

package resources

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
	before, most := Descriptors()
	for range 5 {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, f)
	}
	if used, _ := Descriptors(); before < 3 || used != before+5 || most != 64 {
		t.Errorf("want 5 more than %d of 64, got %d of %d", before, used, most)
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
	if used, most := Descriptors(); used != 64 || most != 64 {
		t.Errorf("no free descriptor: want 64 of 64, got %d of %d", used, most)
	}
}

// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk is free when no process has it locked, and one that was never made is.
func TestUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk")
	if err := unlocked(path); err != nil {
		t.Errorf("no file: want it free, got %v", err)
	}
	if other := os.Getenv("LOCK_DISK"); other != "" {
		lock(t, other)
		_, _ = os.Stdout.WriteString("locked\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	if err := makeDisk(path); err != nil {
		t.Fatal(err)
	}
	if err := unlocked(path); err != nil {
		t.Errorf("no lock: want it free, got %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestUnlocked$")
	cmd.Env = append(os.Environ(), "LOCK_DISK="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("locked\n"))); err != nil {
		t.Fatal(err)
	}
	if err := unlocked(path); err == nil || !strings.Contains(err.Error(), "has "+path+" locked") {
		t.Errorf("locked by another process: want that, got %v", err)
	}
	_ = in.Close()
	_ = cmd.Wait() // it ends as a test does
	if err := unlocked(path); err != nil {
		t.Errorf("its process has ended: want it free, got %v", err)
	}
}

// lock locks a file for as long as this process lives.
func lock(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}); err != nil {
		t.Fatal(err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// mode returns the permissions of the file at path.
func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// directory makes one with a short path and these permissions.
func folder(t *testing.T, perm os.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, perm); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A directory that is there, such as /run, stays as open as it is; those that are made are closed. The socket is closed in both.
func TestListen(t *testing.T) {
	shared := folder(t, 0o755)
	for _, path := range []string{filepath.Join(shared, "x.sock"), filepath.Join(shared, "own", "more", "x.sock")} {
		for range 2 { // the second one finds the socket of the first
			l, err := ListenUnix(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := mode(t, path); got != 0o600 {
				t.Errorf("%s: want mode 0600, got %o", path, got)
			}
			if _, err := ListenUnix(path); err == nil {
				t.Error("a second one at a live socket: want an error, got none")
			}
			c, err := net.Dial("unix", path)
			if err != nil {
				t.Errorf("dial: %v", err)
			} else {
				_ = c.Close()
			}
			_ = l.Close()
		}
	}
	for dir, want := range map[string]os.FileMode{shared: 0o755, filepath.Join(shared, "own"): 0o700, filepath.Join(shared, "own", "more"): 0o700} {
		if got := mode(t, dir); got != want {
			t.Errorf("%s: want mode %o, got %o", dir, want, got)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".s*")); left != nil {
			t.Errorf("want nothing left over, got %v", left)
		}
	}
	file := filepath.Join(shared, "precious")
	if err := os.WriteFile(file, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenUnix(file); err == nil {
		t.Error("at a file that is not a socket: want an error, got none")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "data" {
		t.Errorf("a file that is no socket: want only it left, got %q, %v", data, err)
	}
}

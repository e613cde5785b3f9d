// SPDX-License-Identifier: Apache-2.0

package fileowner

import (
	"os"
	"path/filepath"
	"testing"
)

// owner returns the owner and the group of a file.
func owner(t *testing.T, path string) [2]int {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	uid, gid := ids(info)
	return [2]int{uid, gid}
}

// A new file gets the owner of the file that it replaces, or of its directory.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chown(dir, 61, 62); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(old, 71, 72); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, replaces string
		want           [2]int
	}{
		{"the replaced file", old, [2]int{71, 72}},
		{"the directory", filepath.Join(dir, "absent"), [2]int{61, 62}},
	} {
		f, err := os.CreateTemp(dir, "new")
		if err != nil {
			t.Fatal(err)
		}
		if err := Keep(f, row.replaces); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if got := owner(t, f.Name()); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
		_ = f.Close()
	}
	f, err := os.CreateTemp(dir, "new")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := Keep(f, filepath.Join(dir, "absent", "file")); err == nil {
		t.Error("no directory: want an error, got none")
	}
}

// A file is trusted if it belongs to root.
func TestTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if Trusted(path) {
		t.Error("a file that is not there is trusted")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !Trusted(path) {
		t.Error("a file of root is not trusted")
	}
	if err := os.Chown(path, 61, 62); err != nil {
		t.Fatal(err)
	}
	if Trusted(path) {
		t.Error("a file of another user is trusted")
	}
}

// A directory is given with its content, but not with what its symbolic links name.
func TestGive(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	inner := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "at")
	if err := os.Symlink(dir, at); err != nil {
		t.Fatal(err)
	}
	was := owner(t, other)
	for range 2 {
		if err := Give(at, 61, 62); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{dir, inner, filepath.Join(dir, "link")} {
		if got := owner(t, path); got != [2]int{61, 62} {
			t.Errorf("%s: got %v, want 61 62", path, got)
		}
	}
	if got := owner(t, other); got != was {
		t.Errorf("what a link names: got %v, want %v", got, was)
	}
	if err := Give(filepath.Join(dir, "absent"), 61, 62); err != nil {
		t.Errorf("no file: %v", err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Stores are on the disk only when the directory of labs has no room for them and the disk has more.
func TestChooseRoom(t *testing.T) {
	const MiB = 1 << 20
	for _, test := range []struct {
		name         string
		run, disk    uint64
		onDisk, says bool
	}{
		{"room", 3072 * MiB, 90000 * MiB, false, false},
		{"no room", 3071 * MiB, 90000 * MiB, true, true},
		{"nowhere", 300 * MiB, 200 * MiB, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, out := Plan{Name: "a", Dir: "/run/contiv-lab/a", Masters: 3}, &strings.Builder{}
			err := p.chooseRoom(func(dir string) (uint64, error) {
				return map[string]uint64{"/run/contiv-lab": test.run, "/var/lib": test.disk}[dir], nil
			}, out)
			if err != nil || (p.Disk == "/var/lib/contiv-lab/a") != test.onDisk || (out.Len() > 0) != test.says {
				t.Errorf("got directory %q, error %v and %q", p.Disk, err, out)
			}
		})
	}
}

// A host finds its stores by their usual paths, and they go with the lab.
func TestStoresOnDisk(t *testing.T) {
	p := Plan{Name: "a", Dir: t.TempDir(), Disk: filepath.Join(t.TempDir(), "a")}
	if err := p.placeStores("h1"); err != nil {
		t.Fatal(err)
	}
	for _, name := range stores() {
		path := filepath.Join(p.Dir, "h1", name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(path, "x"), nil, 0o600); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(p.Disk, "h1", name, "x")); err != nil {
			t.Error(err)
		}
	}
	if err := p.removeStores(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.Disk); !os.IsNotExist(err) {
		t.Errorf("after the lab: got %v, want no directory %s", err, p.Disk)
	}
}

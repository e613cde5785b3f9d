// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// DiskDir is the directory of the hosts' stores if the directory of labs has no room for them: the latter is in memory on most machines.
const DiskDir = "/var/lib/contiv-lab"

// storeRoom is the minimum space of each netmaster's store, in bytes, as contiv init requires it.
const storeRoom = 1 << 30

// stores are the directories of stores below a host's directory.
func stores() []string { return []string{"etcd", "consul", "var/lib/contiv/store"} }

// chooseRoom keeps stores on the disk if the directory of all labs has no room for them, and reports that. free is the space that a
// directory's file system has, in bytes.
func (p *Plan) chooseRoom(free func(dir string) (uint64, error), out io.Writer) error {
	here, err := free(filepath.Dir(p.Dir))
	want := uint64(p.Masters) * storeRoom
	if err != nil || here >= want {
		return err
	}
	there, err := free(filepath.Dir(DiskDir))
	if err != nil || there <= here {
		return err
	}
	p.Disk = filepath.Join(DiskDir, p.Name)
	_, err = fmt.Fprintf(out, "lab: %s has %d MiB left, want %d MiB for stores: stores are in %s\n", filepath.Dir(p.Dir), here>>20, want>>20, p.Disk)
	return err
}

// freeSpace is the space that a directory's file system has left for root, in bytes.
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return s.Bfree * uint64(s.Bsize), nil
}

// placeStores links the directories of a new host's stores to the disk, if the plan says so.
func (p *Plan) placeStores(host string) error {
	if p.Disk == "" {
		return nil
	}
	for _, name := range stores() {
		to, from := filepath.Join(p.Disk, host, name), filepath.Join(p.hostDir(host), name)
		if err := errors.Join(os.MkdirAll(to, 0o700), os.MkdirAll(filepath.Dir(from), 0o755)); err != nil {
			return err
		}
		if err := os.Symlink(to, from); err != nil {
			return err
		}
	}
	return nil
}

// removeStores removes the stores on the disk.
func (p *Plan) removeStores() error {
	if p.Disk == "" {
		return nil
	}
	if err := os.RemoveAll(p.Disk); err != nil {
		return err
	}
	if err := os.Remove(DiskDir); err != nil && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, fs.ErrNotExist) { // another lab is in it
		return err
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// diskSize is the room of a further disk, in bytes: enough for the store of a netmaster, which wants 1 GiB.
const diskSize = 2 << 30

// disk is the file of a disk. Disk 0 is that of the root, and has what differs from the release's image.
func (m *Machine) disk(n int) string {
	return filepath.Join(m.stand.Dir, fmt.Sprintf("%s-disk%d", m.Name, n))
}

// makeDisk makes an empty disk.
func makeDisk(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(diskSize), f.Close())
}

// LoseDisk puts a new disk in the place of one, while the machine is off: disk 0 is as on a new machine, the others are empty.
func (m *Machine) LoseDisk(n int) error {
	switch {
	case m.On():
		return fmt.Errorf("lose disk %d of %s: the machine is on: cut its power first", n, m.Name)
	case n < 0 || n > m.Spec.Disks:
		return fmt.Errorf("lose disk %d of %s: it has disks 0 to %d", n, m.Name, m.Spec.Disks)
	}
	if err := os.Remove(m.disk(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if n == 0 {
		return nil // made at the next boot
	}
	return makeDisk(m.disk(n))
}

// freeTimeout is how long the processes of a machine that is off may keep its disks.
const freeTimeout = 30 * time.Second

// disksFree waits until no process has the machine's disks locked: User-Mode Linux has several, and the others outlive the first one for
// a moment. A kernel that starts meanwhile finds no root.
func (m *Machine) disksFree(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, freeTimeout, fmt.Errorf("waited %s", freeTimeout))
	defer cancel()
	for n := range m.Spec.Disks + 1 {
		if err := eventually(ctx, func() error { return unlocked(m.disk(n)) }); err != nil {
			return err
		}
	}
	return nil
}

// unlocked returns an error with the process that has locked a file, as User-Mode Linux does (fcntl, F_SETLK). A file that does not exist
// has no lock.
func unlocked(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil {
		return fmt.Errorf("lock of %s: %w", path, err)
	}
	if lock.Type != unix.F_UNLCK {
		return fmt.Errorf("process %d has %s locked", lock.Pid, path)
	}
	return nil
}

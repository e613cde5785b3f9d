package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

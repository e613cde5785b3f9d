// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// MinSpace is the free space that the embedded store needs to start, in bytes: it allocates the next file of its log in advance, 64 MiB, and ends without
// it.
const MinSpace = 80 << 20

// spaceInterval is the time between two checks of the free space.
const spaceInterval = 2 * time.Second

// Free returns the free bytes of the file system of a directory that may not exist yet.
func Free(dir string) (uint64, error) {
	for {
		var s unix.Statfs_t
		err := unix.Statfs(dir, &s)
		parent := filepath.Dir(dir)
		if errors.Is(err, fs.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		return s.Bavail * uint64(s.Bsize), err
	}
}

// awaitSpace waits until the embedded store has enough space. Without it, the process would end and restart without end.
func (o *Opener) awaitSpace(ctx context.Context) error {
	tick := time.NewTicker(spaceInterval)
	defer tick.Stop()
	for logged := false; ; logged = true {
		free, err := o.free(o.Embedded.Dir)
		if err != nil {
			return fmt.Errorf("room for the embedded store in %s: %w", o.Embedded.Dir, err)
		}
		if free >= MinSpace {
			break
		}
		o.Waiting(fmt.Sprintf("room for the store: %d MiB are left in the file system of %s, %d are needed: remove something there", free>>20, o.Embedded.Dir, MinSpace>>20))
		if !logged {
			o.Log.Error("wait for room in the file system of the store: remove something there", "path", o.Embedded.Dir, "bytes", free, "enough", MinSpace)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	o.Waiting("the store")
	return nil
}

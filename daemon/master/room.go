package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// leastRoom is what the embedded store needs to start, in bytes: it allocates the next file of its log ahead, 64 MiB, and ends without it.
const leastRoom = 80 << 20

// roomEvery is how often room is looked for.
const roomEvery = 2 * time.Second

// room returns how many bytes are left in the file system of a folder that may not exist yet.
func room(dir string) (uint64, error) {
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

// awaitRoom waits until there is room for the store in this process, which would end again and again without it. left returns the bytes that are left.
func (c *config) awaitRoom(ctx context.Context, front *front, left func(dir string) (uint64, error), log *slog.Logger) error {
	if !c.Store.Embedded {
		return nil
	}
	tick := time.NewTicker(roomEvery)
	defer tick.Stop()
	for said := false; ; said = true {
		free, err := left(c.Embedded.Dir)
		if err != nil {
			return fmt.Errorf("room for the embedded store in %s: %w", c.Embedded.Dir, err)
		}
		if free >= leastRoom {
			break
		}
		front.waits(fmt.Sprintf("room for the store: %d MiB are left in the file system of %s, %d are needed: remove something there", free>>20, c.Embedded.Dir, leastRoom>>20))
		if !said {
			log.Error("wait for room in the file system of the store: remove something there", "path", c.Embedded.Dir, "bytes", free, "enough", leastRoom)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	front.waits("the store")
	return nil
}

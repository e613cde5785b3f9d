// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Times of scheduled snapshots.
const (
	DefaultInterval = 12 * time.Hour
	DefaultKeep     = 5
	first           = time.Minute      // after the start, where one is due
	firstRetry      = 15 * time.Second // after one that failed; each further retry waits twice as long
	lastRetry       = 10 * time.Minute // at most
	saveTimeout     = 15 * time.Minute // for one of them
)

// Bounds of a Schedule.
const (
	Soonest = 10 * time.Minute
	MaxKeep = 1000
)

// Check refuses a Schedule that no Saver accepts. Interval may be 0, which is never.
func (s *Schedule) Check() error {
	if s.Interval != 0 && s.Interval < Soonest {
		return fmt.Errorf("every: got %s, want at least %s, or 0s for never", s.Interval, Soonest)
	}
	if s.Keep < 1 || s.Keep > MaxKeep {
		return fmt.Errorf("keep %d: it is a number from 1 to %d", s.Keep, MaxKeep)
	}
	return nil
}

// Schedule has the directory and the interval of snapshots, and the number of them to keep.
type Schedule struct {
	Dir      string
	Interval time.Duration
	Keep     int
}

// Saver saves snapshots as a Schedule says. Each netmaster has one, on its own disk: whichever machines are lost, the others have
// snapshots, and who leads does not matter. Its methods are safe for concurrent use.
type Saver struct {
	Schedule
	From Source
	Of   func() Header                    // what the headers do not follow from the store
	Room func(dir string) (uint64, error) // free bytes of a directory, which may not exist yet; nil: not checked
	Log  *slog.Logger

	mu     sync.Mutex
	began  time.Time
	last   Info // the newest; the zero Info: there is none
	failed error
	since  time.Time // when it failed
	errors uint64
	retry  time.Duration // the last wait after a failure
}

// String names the task.
func (k *Saver) String() string { return "snapshots of the store" }

// Run saves snapshots until ctx ends.
func (k *Saver) Run(ctx context.Context) error {
	k.look()
	wait := k.due(time.Now())
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		wait = k.save(ctx)
	}
}

// look finds the newest snapshot that is there already.
func (k *Saver) look() {
	all, unread, err := List(k.Dir)
	for path, why := range unread {
		k.Log.Warn("cannot read a snapshot", "path", path, "error", why)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.began = time.Now()
	if err != nil {
		k.failed, k.since = err, k.began
	}
	for _, one := range all {
		if strings.HasPrefix(filepath.Base(one.Path), Scheduled) {
			k.last = one
			return
		}
	}
}

// due is how long it takes until the next snapshot is due.
func (k *Saver) due(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return min(k.Interval, max(first, k.last.Created.Add(k.Interval).Sub(now))) // a clock that was ahead delays none for longer
}

// save saves one, and returns when the next is to follow.
func (k *Saver) save(ctx context.Context) time.Duration {
	limited, cancel := context.WithTimeout(ctx, saveTimeout)
	defer cancel()
	var made Info
	err := k.enough()
	if err == nil {
		made, err = Save(limited, k.From, k.Dir, Scheduled, k.Of())
	}
	if err == nil {
		k.Log.Info("saved a snapshot of the store", "file", made.Path, "revision", made.Revision, "bytes", made.Size)
		err = prune(k.Dir, k.Keep)
	}
	if ctx.Err() != nil {
		return k.Interval
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if made.Path != "" {
		k.last = made
	}
	k.failed = err
	if err != nil {
		k.since = time.Now()
		k.errors++
		k.Log.Warn("cannot save the store", "path", k.Dir, "error", err)
		k.retry = min(max(firstRetry, 2*k.retry), lastRetry)
		return min(k.Interval, k.retry)
	}
	k.retry = 0
	return k.Interval
}

// leastRoom is the space that a snapshot leaves free, in bytes: the store may be on the same file system.
const leastRoom = 128 << 20

// enough refuses a snapshot that could fill the file system: it is written twice, and the store may have grown since the last one.
func (k *Saver) enough() error {
	if k.Room == nil {
		return nil
	}
	k.mu.Lock()
	want := leastRoom + 4*uint64(k.last.Size)
	k.mu.Unlock()
	left, err := k.Room(k.Dir)
	if err == nil && left < want {
		err = fmt.Errorf("room in %s: got %d MiB, want %d MiB: free some space, or save elsewhere with --snapshot-dir", k.Dir, left>>20, want>>20)
	}
	return err
}

// Failures is how many snapshots failed since the process started.
func (k *Saver) Failures() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.errors
}

// Age is how old the newest snapshot is, in seconds; while there is none, since when this process saves some.
func (k *Saver) Age() float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.age(time.Now()).Seconds()
}

func (k *Saver) age(now time.Time) time.Duration {
	switch {
	case !k.last.Created.IsZero():
		return now.Sub(k.last.Created)
	case !k.began.IsZero():
		return now.Sub(k.began)
	}
	return 0
}

// Status is how it stands. A snapshot is old when two more were due since.
func (k *Saver) Status() *model.SnapshotStatus {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	out := &model.SnapshotStatus{Dir: k.Dir, Interval: k.Interval.String(), Keep: k.Keep, Old: k.age(now) > 2*k.Interval}
	if k.last.Path != "" {
		out.Last, out.Revision, out.Bytes = k.last.Created.Format(time.RFC3339), k.last.Revision, k.last.Size
	}
	if k.failed != nil {
		out.Error = fmt.Sprintf("%s: %v", k.since.UTC().Format(time.RFC3339), k.failed)
	}
	return out
}

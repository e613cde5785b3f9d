// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
)

// Feed keeps a catalog up to date with a store. It is a task.Task.
type Feed struct {
	catalog *Catalog
	db      store.Store
	log     *slog.Logger
	ready   chan struct{}
	once    sync.Once
	away    atomic.Pointer[string] // why the store does not answer; nil while it does
	// confirmed is the time of the last linearizable read that succeeded; nil: none has.
	confirmed atomic.Pointer[time.Time]
}

// Intervals and limits of confirmations.
const (
	confirmInterval = time.Second
	confirmLimit    = 3 * time.Second // for an answer
	confirmTimeout  = 5 * time.Second // after which the catalog may be old
)

// NewFeed returns a Feed.
func NewFeed(c *Catalog, db store.Store, log *slog.Logger) *Feed {
	return &Feed{catalog: c, db: db, log: log, ready: make(chan struct{})}
}

// Run watches until ctx ends or the store is recreated (mirror.ErrReset); then subscriptions end too. A store that is away is logged once
// per outage.
func (f *Feed) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() { f.confirm(ctx) })
	for {
		if done, err := f.follow(ctx); done || err != nil {
			return err
		}
	}
}

// follow applies one watch. It ends with done unset if a list of the watch is older than what Load has read meanwhile: the list may have
// been made before, or by another store; the next one decides.
func (f *Feed) follow(ctx context.Context) (done bool, _ error) {
	f.catalog.watching()
	for u, err := range f.db.Watch(ctx, record.Root) {
		if err != nil {
			if errors.Is(err, store.ErrClosed) {
				return true, err
			}
			why := fmt.Sprintf("the store %s: %v", f.db, err)
			if f.away.Swap(&why) == nil {
				f.log.Warn("lost the store; using the last known state", "store", f.db.String(), "error", err)
			}
			continue
		}
		if f.away.Swap(nil) != nil {
			f.log.Info("the store is back", "store", f.db.String(), "revision", u.Revision)
		}
		switch err := f.catalog.Apply(u, f.log); {
		case errors.Is(err, mirror.ErrReset):
			close(f.catalog.reset)
			return true, err
		case err != nil:
			return false, nil
		}
		f.once.Do(func() { close(f.ready) })
	}
	return true, nil
}

// confirm reads the store repeatedly, with linearizable reads, until ctx ends. A watch does not detect every failure: a member of the store
// that receives its leader's heartbeats but whose answers are lost gets neither changes nor errors.
func (f *Feed) confirm(ctx context.Context) {
	tick := time.NewTicker(confirmInterval)
	defer tick.Stop()
	for {
		asked := time.Now()
		limited, cancel := context.WithTimeout(ctx, confirmLimit)
		_, err := f.db.Read(limited, record.LeaderKey)
		cancel()
		if err == nil || errors.Is(err, store.ErrNotFound) {
			f.confirmed.Store(&asked)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Away returns why the catalog may be older than the store, "" if it is current. Reasons: the store does not answer, or has confirmed
// nothing for a while. It does not block.
func (f *Feed) Away() string {
	if why := f.away.Load(); why != nil {
		return *why
	}
	if at := f.confirmed.Load(); at != nil && time.Since(*at) > confirmTimeout {
		return fmt.Sprintf("the store %s: it has confirmed nothing since %s", f.db, at.UTC().Format(time.RFC3339))
	}
	return ""
}

// Ready is closed after the first full list.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

// String names the task.
func (f *Feed) String() string { return "the content of the store" }

// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
)

// Apply applies one update of a watch over record.Root. Malformed records are logged and skipped. Errors: mirror.ErrReset and
// mirror.ErrStale.
func (c *Catalog) Apply(u store.Update, log *slog.Logger) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	changes, err := c.store.Watched(u)
	if err == nil {
		c.since.updated(u, c.store.Transient())
		c.view.listing = u.Full
		c.apply(changes, log)
		c.view.listing = false
	}
	return err
}

// watching records that a watch starts.
func (c *Catalog) watching() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.Watching()
}

// Lister is the part of a store.Store that reads it.
type Lister interface {
	List(ctx context.Context, prefix string) ([]store.Item, store.Revision, error)
}

// CatchUp brings the catalog up to rev or later, for a leader whose term begins and that has no transaction in flight: rev is that of its
// lock, or later. It waits for the watch, which has delivered nearly everything to a follower; after patience it reads the whole store, as
// Load does. Errors: those of ctx and of db, and mirror.ErrReset.
func (c *Catalog) CatchUp(ctx context.Context, rev store.Revision, patience time.Duration, db Lister, log *slog.Logger) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		c.mu.RLock()
		complete, whole := c.store.Complete(), c.whole
		c.mu.RUnlock()
		if complete >= rev {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.reset:
			return mirror.ErrReset
		case <-whole:
		case <-late.C:
			log.Info("the store's watch is late: the new leader lists the store", "revision", rev)
			return c.Load(ctx, db, log)
		}
	}
}

// Load reads the whole store into the catalog, for a leader whose term begins and that has no transaction in flight.
func (c *Catalog) Load(ctx context.Context, db Lister, log *slog.Logger) error {
	items, rev, err := db.List(ctx, record.Root)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since.listed()
	c.view.listing = true
	c.apply(c.store.Listed(items, rev), log)
	c.view.listing = false
	return nil
}

// apply applies changes of the store to the tables and publishes them. The caller holds the lock.
func (c *Catalog) apply(changes []mirror.Change, log *slog.Logger) {
	ahead := readAhead(changes)
	for i, ch := range inOrder(changes) {
		if !ch.Has {
			c.since.deleted(ch.Key)
		}
		var err error
		if ahead != nil && ahead[i] != nil {
			err = ahead[i](c.view)
			ahead[i] = nil
		} else {
			err = c.view.set(ch.Key, ch.After.Value, ch.Has)
		}
		if err != nil {
			log.Error("skipped malformed record", "key", ch.Key, "error", err)
		}
	}
	c.publish()
}

// spacious is the number of changes after which a map is replaced, since it is too large to be kept: a list of everything exceeds it.
const spacious = 1000

// publish hands the changes to the subscribers, and wakes all waiting callers. The caller holds the lock.
func (c *Catalog) publish() {
	close(c.whole)
	c.whole = make(chan struct{})
	if c.view.revision != c.store.Revision() {
		c.view.revision = c.store.Revision()
		close(c.moved)
		c.moved = make(chan struct{})
	}
	if len(c.view.dirty) == 0 {
		return
	}
	for s := range c.subs {
		maps.Copy(s.dirty, c.view.dirty)
		s.Notify()
	}
	if len(c.view.dirty) > spacious {
		c.view.dirty = map[Ref]struct{}{}
	}
	clear(c.view.dirty)
}

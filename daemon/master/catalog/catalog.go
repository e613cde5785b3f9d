// Package catalog is netmaster's memory: every object and record of the store, in tables, with the pools of addresses and numbers that
// follow from them.
//
// The store is the truth. A Catalog is fed by a watch of the store and, on the leader, by the leader's own commits,
// which it knows before the watch tells it; feeding the same change twice is harmless. Nothing derived is stored:
// links, counts and pools are computed from the records, so they cannot outlive their cause.
package catalog

import (
	"context"
	"sync"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
)

// Catalog is safe for concurrent use.
type Catalog struct {
	mu    sync.RWMutex
	store *mirror.Mirror
	view  *View
	subs  map[*Subscription]struct{}
	moved chan struct{} // closed and replaced when the revision moves
	whole chan struct{} // closed and replaced when that moves up to which everything is known
	reset chan struct{} // closed when the store that it is of is no more
	since *since        // what has happened since the last snapshot; nil before the first
}

// New returns an empty catalog.
func New() *Catalog {
	m := mirror.New()
	return &Catalog{store: m, view: newView(m), subs: map[*Subscription]struct{}{}, moved: make(chan struct{}), whole: make(chan struct{}), reset: make(chan struct{})}
}

// View calls fn with what is known. fn must not block, keep the view, or change what it gets from it.
func (c *Catalog) View(fn func(v *View)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fn(c.view)
}

// Wait blocks until the catalog knows a change at rev or later, ctx ends, or the store is made again (mirror.ErrReset). On a leader
// that may be one of its own; then what others have changed before it is still to come.
func (c *Catalog) Wait(ctx context.Context, rev store.Revision) error {
	for {
		c.mu.RLock()
		known, moved := c.store.Revision(), c.moved
		c.mu.RUnlock()
		if known >= rev {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.reset:
			return mirror.ErrReset
		case <-moved:
		}
	}
}

// Revision is the store revision of the newest change that the catalog knows.
func (c *Catalog) Revision() store.Revision {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.store.Revision()
}

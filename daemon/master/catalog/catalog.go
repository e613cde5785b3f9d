// SPDX-License-Identifier: Apache-2.0

// Package catalog is netmaster's memory: every object and record of the store, in tables, with the pools of addresses and numbers that
// follow from them.
//
// The store is the truth. A watch of the store feeds a Catalog, and on the leader so do the leader's own commits, which it knows before the
// watch delivers them; applying the same change twice is harmless. Nothing derived is stored: links, counts and pools are computed from the
// records, so they cannot outlive their cause.
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
	whole chan struct{} // closed and replaced when the revision up to which everything is known moves
	reset chan struct{} // closed when the store was recreated
	since *since        // changes since the last snapshot; nil before the first
}

// New returns an empty catalog.
func New() *Catalog {
	m := mirror.New()
	return &Catalog{store: m, view: newView(m), subs: map[*Subscription]struct{}{}, moved: make(chan struct{}), whole: make(chan struct{}), reset: make(chan struct{})}
}

// View calls fn with the current view. fn must not block, keep the view, or change any part of it.
func (c *Catalog) View(fn func(v *View)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fn(c.view)
}

// Wait blocks until the catalog knows a change at rev or later, ctx ends, or the store is recreated (mirror.ErrReset). On a leader that may
// be one of its own changes; earlier changes of others may still be missing.
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

// Revision returns the store revision of the newest known change.
func (c *Catalog) Revision() store.Revision {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.store.Revision()
}

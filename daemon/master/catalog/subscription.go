// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"iter"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Subscription reports which objects changed. It keeps names, not values, so a slow receiver costs no memory and never delays the catalog:
// it sees the latest state, and misses only intermediate states.
type Subscription struct {
	c     *Catalog
	wake  chan struct{}
	dirty map[Ref]struct{}
}

// Subscribe starts to collect changes. Close ends it.
func (c *Catalog) Subscribe() *Subscription {
	s := &Subscription{c: c, wake: make(chan struct{}, 1), dirty: map[Ref]struct{}{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs[s] = struct{}{}
	return s
}

// Subscriptions returns the number of open subscriptions: one for each watch stream, and the master's own.
func (c *Catalog) Subscriptions() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.subs)
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	delete(s.c.subs, s)
}

// Changes yields the names of the objects that changed since it last yielded, with the revision up to which they are complete. After the
// given time without changes it yields none. It blocks in between, and ends with ctx or when the store is recreated.
func (s *Subscription) Changes(ctx context.Context, every time.Duration) iter.Seq2[map[Ref]struct{}, store.Revision] {
	return func(yield func(map[Ref]struct{}, store.Revision) bool) {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.c.reset:
				return
			case <-s.wake:
			case <-ticker.C:
			}
			s.c.mu.Lock()
			dirty, rev := s.dirty, s.c.store.Revision()
			s.dirty = map[Ref]struct{}{}
			s.c.mu.Unlock()
			if !yield(dirty, rev) {
				return
			}
		}
	}
}

// Notify makes Changes yield now, with or without changes. It does not block.
func (s *Subscription) Notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

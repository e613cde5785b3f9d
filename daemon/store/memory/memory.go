// SPDX-License-Identifier: Apache-2.0

// Package memory is a store in the memory of one process, for tests and for programs that need no other. It behaves like the real stores,
// limits and leases included, and can inject their failures.
package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// limits are those of etcd, so that transactions accepted here are accepted there.
var limits = store.Limits{Ops: 128, Bytes: 1400 << 10}

// Store is one client's view of the data: Open returns more clients, and a fault injected into one does not affect the others. All methods
// are safe for concurrent use.
type Store struct {
	data     *data
	away     bool // data.mu guards the following fields
	closed   bool
	lost     int // number of further commits that are applied without an answer
	last     int // number of further commits that a full store applies although it refuses them
	watchers map[*watcher]struct{}
}

var _ store.Store = (*Store)(nil)

// data is shared by all clients of one store.
type data struct {
	mu       sync.Mutex
	revision store.Revision
	full     bool // the quota is used up
	items    map[string]entry
	leases   map[string]*lease
	serial   int
	watchers map[*watcher]struct{}
}

type entry struct {
	store.Item
	lease *lease
}

// New returns the first client of a new empty store.
func New() *Store {
	d := &data{items: map[string]entry{}, leases: map[string]*lease{}, watchers: map[*watcher]struct{}{}}
	return &Store{data: d, watchers: map[*watcher]struct{}{}}
}

// Open returns another client of the same data.
func (s *Store) Open() *Store {
	return &Store{data: s.data, watchers: map[*watcher]struct{}{}}
}

// Away makes the store unreachable for this client until Back: every call returns ErrUnavailable, and leases are not refreshed.
func (s *Store) Away() { s.reach(true) }

// Back ends the effect of Away.
func (s *Store) Back() { s.reach(false) }

func (s *Store) reach(away bool) {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	if s.away == away {
		return
	}
	s.away = away
	for w := range s.watchers {
		w.back = !away
		w.rouse()
	}
}

// Compact discards the history: every watch of every client yields the full list next, as after a compaction in etcd.
func (s *Store) Compact() {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	for w := range s.data.watchers {
		w.gap()
	}
}

// Reset wipes the data, as if the store were recreated: keys and leases are gone, revisions start again, and every watch of every client
// yields the full list next.
func (s *Store) Reset() {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	for _, l := range s.data.leases {
		l.expiry.Stop()
	}
	clear(s.data.leases)
	clear(s.data.items)
	s.data.revision = 0
	for w := range s.data.watchers {
		w.gap()
	}
}

// Recreate is another name of Reset.
func (s *Store) Recreate() { s.Reset() }

// LoseAnswers makes the next n commits of this client apply and nevertheless return ErrUnavailable, as if a connection broke between a
// request and its answer.
func (s *Store) LoseAnswers(n int) {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	s.lost = n
}

// Fill uses up the quota until Drain: what needs space is refused with store.ErrNoSpace. The next applied commits of this client are
// refused and nevertheless applied, as by an etcd that has just noticed.
func (s *Store) Fill(applied int) {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	s.data.full, s.last = true, applied
}

// Drain frees space.
func (s *Store) Drain() {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	s.data.full, s.last = false, 0
}

// enter locks the data and returns nil, or returns why the client may not use it. The caller unlocks after nil.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.data.mu.Lock()
	switch {
	case s.closed:
		s.data.mu.Unlock()
		return store.ErrClosed
	case s.away:
		s.data.mu.Unlock()
		return store.ErrUnavailable
	}
	return nil
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, key string) (store.Item, error) {
	if err := s.enter(ctx); err != nil {
		return store.Item{}, fmt.Errorf("read %s: %w", key, err)
	}
	defer s.data.mu.Unlock()
	e, ok := s.data.items[key]
	if !ok {
		return store.Item{}, fmt.Errorf("read %s: %w", key, store.ErrNotFound)
	}
	return clone(e.Item), nil
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, prefix string) ([]store.Item, store.Revision, error) {
	if err := s.enter(ctx); err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", prefix, err)
	}
	defer s.data.mu.Unlock()
	return s.data.list(prefix), s.data.revision, nil
}

func (d *data) list(prefix string) []store.Item {
	var items []store.Item
	for key, e := range d.items {
		if strings.HasPrefix(key, prefix) {
			items = append(items, clone(e.Item))
		}
	}
	slices.SortFunc(items, func(a, b store.Item) int { return strings.Compare(a.Key, b.Key) })
	return items
}

// clone copies an item, so that callers cannot change the store's copy.
func clone(i store.Item) store.Item {
	i.Value = append([]byte{}, i.Value...)
	return i
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	if err := limits.Check(tx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	if err := s.enter(ctx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	defer s.data.mu.Unlock()
	if err := s.data.holds(tx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	if puts := slices.ContainsFunc(tx.Ops(), func(op store.Op) bool { return !op.Delete }); puts && s.data.full {
		if s.last > 0 {
			s.last--
			s.data.apply(tx.Ops())
		}
		return 0, fmt.Errorf("commit: %w", store.ErrNoSpace)
	}
	s.data.apply(tx.Ops())
	if s.lost > 0 {
		s.lost--
		return 0, fmt.Errorf("commit: the answer was lost: %w", store.ErrUnavailable)
	}
	return s.data.revision, nil
}

// holds checks the conditions of a transaction.
func (d *data) holds(tx *store.Tx) error {
	if f := tx.Fence(); f != nil {
		if e, ok := d.items[f.Key]; !ok || e.Created != f.Created {
			return fmt.Errorf("%s: %w", f.Key, store.ErrFenced)
		}
	}
	for _, g := range tx.Guards() {
		if d.items[g.Key].Revision != g.Revision {
			return fmt.Errorf("%s: %w", g.Key, store.ErrConflict)
		}
	}
	for _, op := range tx.Ops() {
		if op.Lease != nil && d.leases[op.Lease.ID()] == nil {
			return fmt.Errorf("put %s under lease %s: %w", op.Key, op.Lease.ID(), store.ErrLeaseLost)
		}
	}
	return nil
}

// apply makes the changes at one new revision and notifies the watchers.
func (d *data) apply(ops []store.Op) {
	if len(ops) == 0 {
		return
	}
	d.revision++
	for _, op := range ops {
		old, existed := d.items[op.Key]
		if old.lease != nil {
			delete(old.lease.keys, op.Key)
		}
		if op.Delete {
			delete(d.items, op.Key)
			if existed {
				d.notify(op.Key)
			}
			continue
		}
		e := entry{Item: clone(store.Item{Key: op.Key, Value: op.Value, Revision: d.revision, Created: d.revision})}
		if existed {
			e.Created = old.Created
		}
		if op.Lease != nil {
			e.lease = d.leases[op.Lease.ID()]
			e.lease.keys[op.Key] = struct{}{}
		}
		d.items[op.Key] = e
		d.notify(op.Key)
	}
}

func (d *data) notify(key string) {
	for w := range d.watchers {
		w.changed(key)
	}
}

// Watch implements store.Store.
func (s *Store) Watch(ctx context.Context, prefix string) iter.Seq2[store.Update, error] {
	return func(yield func(store.Update, error) bool) {
		w := newWatcher(prefix)
		s.data.mu.Lock()
		s.watchers[w] = struct{}{}
		s.data.watchers[w] = struct{}{}
		s.data.mu.Unlock()
		defer func() {
			s.data.mu.Lock()
			defer s.data.mu.Unlock()
			delete(s.watchers, w)
			delete(s.data.watchers, w)
		}()
		reported := false // whether the outage was reported
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
			}
			if ctx.Err() != nil {
				return
			}
			s.data.mu.Lock()
			closed, away, back := s.closed, s.away, w.back
			var u store.Update
			if !closed && !away {
				u = w.receive(s.data)
			}
			s.data.mu.Unlock()
			switch {
			case closed:
				return
			case away && reported:
			case away:
				reported = true
				if !yield(store.Update{}, fmt.Errorf("watch %s: %w", prefix, store.ErrUnavailable)) {
					return
				}
			case back && reported, u.Full || len(u.Items)+len(u.Gone) > 0:
				reported = false
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}

// Limits implements store.Store.
func (s *Store) Limits() store.Limits { return limits }

func (s *Store) String() string { return "memory" }

// Close implements store.Store. The data stays for other clients.
func (s *Store) Close() error {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	s.closed = true
	for w := range s.watchers {
		w.gap()
	}
	return nil
}

// Grant implements store.Store.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (store.Lease, error) {
	if err := s.enter(ctx); err != nil {
		return nil, fmt.Errorf("grant a lease: %w", err)
	}
	defer s.data.mu.Unlock()
	if s.data.full {
		return nil, fmt.Errorf("grant a lease: %w", store.ErrNoSpace)
	}
	s.data.serial++
	l := &lease{id: fmt.Sprint(s.data.serial), ttl: ttl, client: s, keys: map[string]struct{}{}, end: time.Now().Add(ttl)}
	l.expiry = time.AfterFunc(ttl, func() {
		s.data.mu.Lock()
		defer s.data.mu.Unlock()
		s.data.end(l)
	})
	s.data.leases[l.id] = l
	return l, nil
}

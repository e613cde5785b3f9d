// SPDX-License-Identifier: Apache-2.0

// Package storetest is the conformance suite of store.Store: every implementation passes it, against the real server
// where there is one.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Factory is one server under test, initially empty below every prefix that the suite uses.
type Factory interface {
	// Open returns a client that Away cuts off. The suite closes it.
	Open(tb testing.TB) store.Store
	// Direct returns a client that Away does not affect. The suite closes it.
	Direct(tb testing.TB) store.Store
	// Away cuts the clients of Open off from the server until Back; connections break at once.
	Away(tb testing.TB)
	Back(tb testing.TB)
	// Compact makes the server forget the history up to now, if it keeps one.
	Compact(tb testing.TB)
	// LeaseTTL is the shortest lease that the server grants.
	LeaseTTL() time.Duration
}

// Restarter is a Factory whose server keeps its history over a restart: a watch continues after an outage with the changes since.
type Restarter interface {
	// Restart restarts the server with its data; it blocks until it serves.
	Restart(tb testing.TB)
}

// timeout bounds every wait; it is long because machines are busy.
const timeout = 30 * time.Second

// suite is the environment of one test.
type suite struct {
	testing.TB
	ctx     context.Context
	factory Factory
	s       store.Store
	prefix  string // keys of this test only
}

// Run runs the suite. The factory is called once; the tests share its server one after the other.
func Run(t *testing.T, start func(tb testing.TB) Factory) {
	factory := start(t)
	tests := []struct {
		name string
		run  func(*suite)
	}{
		{"read", testRead},
		{"bytes", testBytes},
		{"keys", testKeys},
		{"list", testList},
		{"guards", testGuards},
		{"atomic", testAtomic},
		{"fence", testFence},
		{"limits", testLimits},
		{"concurrent", testConcurrent},
		{"revisions", testRevisions},
		{"lease expires", testLeaseExpires},
		{"lease kept", testLeaseKept},
		{"lease revoked", testLeaseRevoked},
		{"lease moved", testLeaseMoved},
		{"watch", testWatch},
		{"watch prefix", testWatchPrefix},
		{"watch many", testWatchMany},
		{"watch ends", testWatchEnds},
		{"watch gap", testWatchGap},
		{"watch continues", testWatchGoesOn},
		{"watch continues after a restart", testWatchRestart},
		{"away", testAway},
		{"lease over an outage", testLeaseOutage},
		{"cancel", testCancel},
		{"close", testClose},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*timeout)
			defer cancel()
			s := &suite{TB: t, ctx: ctx, factory: factory, prefix: fmt.Sprintf("/storetest/%d/", i+1)}
			s.s = s.open()
			tt.run(s)
		})
	}
}

func (s *suite) open() store.Store {
	s.Helper()
	return s.closing(s.factory.Open(s.TB))
}

func (s *suite) direct() store.Store {
	s.Helper()
	return s.closing(s.factory.Direct(s.TB))
}

func (s *suite) closing(c store.Store) store.Store {
	s.Cleanup(func() {
		if err := c.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
			s.Errorf("close: %v", err)
		}
	})
	return c
}

// commit commits the transaction that build builds, which must succeed.
func (s *suite) commit(build func(tx *store.Tx)) store.Revision {
	s.Helper()
	return s.commitTo(s.s, build)
}

func (s *suite) commitTo(c store.Store, build func(tx *store.Tx)) store.Revision {
	s.Helper()
	var tx store.Tx
	build(&tx)
	rev, err := c.Commit(s.ctx, &tx)
	if err != nil {
		s.Fatalf("commit\n%s: %v", &tx, err)
	}
	return rev
}

// refuse commits the transaction that build builds, which must fail with want.
func (s *suite) refuse(want error, build func(tx *store.Tx)) {
	s.Helper()
	var tx store.Tx
	build(&tx)
	if _, err := s.s.Commit(s.ctx, &tx); !errors.Is(err, want) {
		s.Errorf("commit\n%s: want %v, got %v", &tx, want, err)
	}
}

func (s *suite) put(key, value string) store.Revision {
	s.Helper()
	return s.commit(func(tx *store.Tx) { tx.Put(s.prefix+key, []byte(value)) })
}

func (s *suite) delete(key string) store.Revision {
	s.Helper()
	return s.commit(func(tx *store.Tx) { tx.Delete(s.prefix + key) })
}

func (s *suite) read(key string) store.Item {
	s.Helper()
	i, err := s.s.Read(s.ctx, s.prefix+key)
	if err != nil {
		s.Fatal(err)
	}
	return i
}

func (s *suite) absent(key string) {
	s.Helper()
	if i, err := s.s.Read(s.ctx, s.prefix+key); !errors.Is(err, store.ErrNotFound) {
		s.Errorf("read %s: want %v, got %q (%v)", key, store.ErrNotFound, i.Value, err)
	}
}

func (s *suite) list(prefix string) []string {
	s.Helper()
	items, _, err := s.s.List(s.ctx, s.prefix+prefix)
	if err != nil {
		s.Fatal(err)
	}
	var keys []string
	for _, i := range items {
		keys = append(keys, i.Key[len(s.prefix):])
	}
	return keys
}

func (s *suite) grant() store.Lease {
	s.Helper()
	l, err := s.s.Grant(s.ctx, s.factory.LeaseTTL())
	if err != nil {
		s.Fatal(err)
	}
	return l
}

// eventually waits until ok returns true.
func (s *suite) eventually(what string, ok func() bool) {
	s.Helper()
	err := Eventually(timeout, func() error {
		if !ok() {
			return errors.New(what)
		}
		return nil
	})
	if err != nil {
		s.Fatalf("not within %s: %v", timeout, err)
	}
}

// watcher follows one Watch step by step.
type watcher struct {
	*suite
	next  func() (store.Update, error, bool)
	stop  func()
	state map[string]string // keys without the prefix to values, as of the updates
	seen  store.Revision
	fulls int
	fails int
}

func (s *suite) watch(c store.Store, prefix string) *watcher {
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	w := &watcher{suite: s, state: map[string]string{}}
	var stop func()
	w.next, stop = iter.Pull2(c.Watch(ctx, s.prefix+prefix))
	w.stop = func() { cancel(); stop() }
	s.Cleanup(w.stop)
	return w
}

// step receives one update and returns it; an outage counts and is returned as an empty update.
func (w *watcher) step() store.Update {
	w.Helper()
	u, err, ok := w.next()
	if !ok {
		w.Fatalf("the watch ended; state %v, revision %d", w.state, w.seen)
	}
	if err != nil {
		if !errors.Is(err, store.ErrUnavailable) {
			w.Fatalf("watch: want %v, got %v", store.ErrUnavailable, err)
		}
		w.fails++
		return store.Update{}
	}
	if u.Full {
		w.fulls++
		clear(w.state)
		if len(u.Gone) > 0 {
			w.Errorf("a full update has deleted keys: %v", u.Gone)
		}
	} else if w.fulls == 0 {
		w.Errorf("the first update is not full: %+v", u)
	}
	if u.Revision < w.seen {
		w.Errorf("revision went back from %d to %d", w.seen, u.Revision)
	}
	w.seen = u.Revision
	if !slices.IsSortedFunc(u.Items, func(a, b store.Item) int { return compare(a.Key, b.Key) }) {
		w.Errorf("items are not ordered by key: %v", u.Items)
	}
	for _, i := range u.Items {
		if i.Revision > u.Revision {
			w.Errorf("%s has revision %d in an update up to %d", i.Key, i.Revision, u.Revision)
		}
		w.state[i.Key[len(w.prefix):]] = string(i.Value)
	}
	for _, key := range u.Gone {
		delete(w.state, key[len(w.prefix):])
	}
	return u
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// until steps until the watcher's state is want and complete up to rev.
func (w *watcher) until(want map[string]string, rev store.Revision) {
	w.Helper()
	for w.seen < rev || !equal(w.state, want) {
		w.step()
	}
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || w != v {
			return false
		}
	}
	return true
}

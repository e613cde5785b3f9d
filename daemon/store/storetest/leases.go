// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

func (s *suite) putLeased(key, value string, l store.Lease) store.Revision {
	s.Helper()
	return s.commit(func(tx *store.Tx) { tx.PutLeased(s.prefix+key, []byte(value), l) })
}

// keep keeps a lease alive in the background; the channel has KeepAlive's result.
func (s *suite) keep(l store.Lease) (cancel func(), result <-chan error) {
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan error, 1)
	go func() { done <- l.KeepAlive(ctx) }()
	s.Cleanup(cancel)
	return cancel, done
}

func (s *suite) wait(what string, result <-chan error) error {
	s.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(timeout):
		s.Fatalf("%s did not end within %s", what, timeout)
		return nil
	}
}

func testLeaseExpires(s *suite) {
	l := s.grant()
	if l.TTL() < s.factory.LeaseTTL() || l.ID() == "" {
		s.Errorf("granted: id %q, ttl %s", l.ID(), l.TTL())
	}
	w := s.watch(s.s, "")
	s.commit(func(tx *store.Tx) {
		tx.PutLeased(s.prefix+"a", []byte("1"), l)
		tx.PutLeased(s.prefix+"b", []byte("1"), l)
		tx.Put(s.prefix+"c", []byte("for ever"))
	})
	w.until(map[string]string{"a": "1", "b": "1", "c": "for ever"}, 0)
	w.until(map[string]string{"c": "for ever"}, 0)
	if err := l.KeepAlive(s.ctx); !errors.Is(err, store.ErrLeaseLost) {
		s.Errorf("keep alive after expiry: want %v, got %v", store.ErrLeaseLost, err)
	}
	s.refuse(store.ErrLeaseLost, func(tx *store.Tx) { tx.PutLeased(s.prefix+"a", []byte("2"), l) })
	s.absent("a")
}

func testLeaseKept(s *suite) {
	kept, left := s.grant(), s.grant()
	s.putLeased("kept", "1", kept)
	s.putLeased("left", "1", left)
	cancel, result := s.keep(kept)
	s.eventually("a lease that is not renewed ends", func() bool {
		_, err := s.s.Read(s.ctx, s.prefix+"left")
		return errors.Is(err, store.ErrNotFound)
	})
	s.read("kept")
	cancel()
	if err := s.wait("keep alive", result); err != nil {
		s.Errorf("keep alive after cancel: want no error, got %v", err)
	}
}

func testLeaseRevoked(s *suite) {
	l := s.grant()
	s.putLeased("a", "1", l)
	_, result := s.keep(l)
	if err := l.Revoke(s.ctx); err != nil {
		s.Fatal(err)
	}
	s.absent("a")
	if err := s.wait("keep alive", result); !errors.Is(err, store.ErrLeaseLost) {
		s.Errorf("keep alive of a revoked lease: want %v, got %v", store.ErrLeaseLost, err)
	}
	if err := l.Revoke(s.ctx); err != nil {
		s.Errorf("revoke twice: want no error, got %v", err)
	}
}

// testLeaseMoved checks that a restarted program takes over the registration of its dead predecessor.
func testLeaseMoved(s *suite) {
	old, young := s.grant(), s.grant()
	s.putLeased("a", "old", old)
	s.putLeased("a", "young", young)
	s.putLeased("a", "younger", young)
	if err := old.Revoke(s.ctx); err != nil {
		s.Fatal(err)
	}
	if got := string(s.read("a").Value); got != "younger" {
		s.Errorf("want younger, got %s", got)
	}
	s.commit(func(tx *store.Tx) {
		tx.Require(s.prefix+"a", s.read("a").Revision)
		tx.Delete(s.prefix + "a")
	})
	s.put("a", "for ever")
	if err := young.Revoke(s.ctx); err != nil {
		s.Fatal(err)
	}
	if got := string(s.read("a").Value); got != "for ever" {
		s.Errorf("want for ever, got %s", got)
	}
	// Conditions hold for leased puts too.
	l := s.grant()
	s.refuse(store.ErrConflict, func(tx *store.Tx) {
		tx.Require(s.prefix+"a", 0)
		tx.PutLeased(s.prefix+"a", []byte("x"), l)
	})
	s.commit(func(tx *store.Tx) {
		tx.Require(s.prefix+"lock", 0)
		tx.PutLeased(s.prefix+"lock", []byte("x"), l)
	})
	s.refuse(store.ErrConflict, func(tx *store.Tx) {
		tx.Require(s.prefix+"lock", 0)
		tx.PutLeased(s.prefix+"lock", []byte("y"), l)
	})
	// A lock of another owner is a new key.
	was := s.read("lock")
	other := s.grant()
	s.commit(func(tx *store.Tx) {
		tx.Require(s.prefix+"lock", was.Revision)
		tx.PutLeased(s.prefix+"lock", []byte("y"), other)
	})
	if got := s.read("lock"); string(got.Value) != "y" || got.Revision <= was.Revision {
		s.Errorf("replaced: got %+v", got)
	}
}

func testLeaseOutage(s *suite) {
	direct := s.direct()
	l := s.grant()
	s.putLeased("a", "1", l)
	_, result := s.keep(l)
	s.factory.Away(s.TB)
	s.Cleanup(func() { s.factory.Back(s.TB) })
	s.eventually("the lease ends while its owner cannot reach the store", func() bool {
		_, err := direct.Read(s.ctx, s.prefix+"a")
		return errors.Is(err, store.ErrNotFound)
	})
	s.factory.Back(s.TB)
	if err := s.wait("keep alive", result); !errors.Is(err, store.ErrLeaseLost) {
		s.Errorf("keep alive: want %v, got %v", store.ErrLeaseLost, err)
	}
	s.eventually("a new lease", func() bool {
		l, err := s.s.Grant(s.ctx, s.factory.LeaseTTL())
		if err != nil {
			return false
		}
		return l.Revoke(s.ctx) == nil
	})
}

// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

func testWatch(s *suite) {
	s.put("old", "1")
	w := s.watch(s.s, "")
	if u := w.step(); !u.Full || len(u.Items) != 1 {
		s.Fatalf("first update: want old in full, got %+v", u)
	}
	rev := s.put("a", "1")
	w.until(map[string]string{"old": "1", "a": "1"}, rev)
	s.put("a", "2")
	rev = s.put("b", "1")
	w.until(map[string]string{"old": "1", "a": "2", "b": "1"}, rev)
	s.delete("a")
	s.put("a", "again")
	s.delete("old")
	w.until(map[string]string{"a": "again", "b": "1"}, 0)
	rev = s.commit(func(tx *store.Tx) { tx.Delete(s.prefix + "a"); tx.Put(s.prefix+"b", []byte("2")) })
	for w.seen < rev {
		w.step()
	}
	if !equal(w.state, map[string]string{"b": "2"}) {
		s.Errorf("one transaction is seen completely: want only b, got %v", w.state)
	}
	s.delete("b")
	w.until(map[string]string{}, 0)
	if w.fulls != 1 || w.fails != 0 {
		s.Errorf("want one full update and no outage, got %d and %d", w.fulls, w.fails)
	}
}

func testWatchPrefix(s *suite) {
	s.put("a", "1")
	w := s.watch(s.s, "a/")
	if u := w.step(); !u.Full || len(u.Items) != 0 {
		s.Fatalf("nothing there yet: want an empty full update, got %+v", u)
	}
	s.put("a", "2")
	s.put("ab", "2")
	s.put("a0", "2")
	rev := s.put("a/1", "2")
	w.until(map[string]string{"a/1": "2"}, rev)
}

func testWatchMany(s *suite) {
	const writers, keys, rounds = 3, 5, 8
	w1, w2 := s.watch(s.s, ""), s.watch(s.direct(), "")
	done := make(chan error, writers)
	for i := range writers {
		go func() {
			var err error
			for r := range rounds * keys {
				var tx store.Tx
				tx.Put(fmt.Sprintf("%s%d/%d", s.prefix, i, r%keys), fmt.Append(nil, r/keys))
				if _, e := s.s.Commit(s.ctx, &tx); e != nil {
					err = e
				}
			}
			done <- err
		}()
	}
	want := map[string]string{}
	for i := range writers {
		for k := range keys {
			want[fmt.Sprintf("%d/%d", i, k)] = fmt.Sprint(rounds - 1)
		}
	}
	w1.until(want, 0)
	w2.until(want, 0)
	for range writers {
		if err := s.wait("a writer", done); err != nil {
			s.Error(err)
		}
	}
}

func testWatchEnds(s *suite) {
	ctx, cancel := context.WithCancel(s.ctx)
	ended := make(chan error, 1)
	began := make(chan struct{})
	go func() {
		n := 0
		for _, err := range s.s.Watch(ctx, s.prefix) {
			if n++; n == 1 {
				close(began)
			}
			if err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	select {
	case <-began:
	case <-time.After(timeout):
		s.Fatal("no first update")
	}
	cancel()
	if err := s.wait("watch", ended); err != nil {
		s.Errorf("cancel: want the end, got %v", err)
	}
	go func() {
		for range s.s.Watch(s.ctx, s.prefix) {
			break
		}
		ended <- nil
	}()
	_ = s.wait("watch that its reader leaves", ended)
}

func testWatchGap(s *suite) {
	direct := s.direct()
	s.put("a", "1")
	s.put("b", "1")
	w := s.watch(s.s, "")
	w.until(map[string]string{"a": "1", "b": "1"}, 0)
	s.factory.Away(s.TB)
	s.Cleanup(func() { s.factory.Back(s.TB) })
	s.commitTo(direct, func(tx *store.Tx) { tx.Delete(s.prefix + "a"); tx.Put(s.prefix+"b", []byte("2")) })
	rev := s.commitTo(direct, func(tx *store.Tx) { tx.Put(s.prefix+"c", []byte("1")) })
	s.factory.Compact(s.TB)
	for w.fails == 0 {
		w.step()
	}
	s.factory.Back(s.TB)
	w.until(map[string]string{"b": "2", "c": "1"}, rev)
	if w.fulls != 2 || w.fails != 1 {
		s.Errorf("want two full updates and one outage, got %d and %d", w.fulls, w.fails)
	}
	rev = s.commitTo(direct, func(tx *store.Tx) { tx.Put(s.prefix+"d", []byte("1")) })
	w.until(map[string]string{"b": "2", "c": "1", "d": "1"}, rev)
}

// testWatchGoesOn is an outage of the client: nothing has happened to the store.
func testWatchGoesOn(s *suite) {
	direct := s.direct()
	_, keeps := s.factory.(Restarter)
	s.put("a", "1")
	s.put("b", "1")
	w, quiet := s.watch(s.s, ""), s.watch(s.s, "quiet/")
	w.until(map[string]string{"a": "1", "b": "1"}, 0)
	quiet.step()
	fulls := 1
	for outage := 1; outage <= 2; outage++ {
		s.factory.Away(s.TB)
		s.Cleanup(func() { s.factory.Back(s.TB) })
		s.commitTo(direct, func(tx *store.Tx) { tx.Delete(s.prefix + "a"); tx.Put(s.prefix+"b", fmt.Append(nil, outage)) })
		rev := s.commitTo(direct, func(tx *store.Tx) { tx.Put(s.prefix+"c", fmt.Append(nil, outage)) })
		for w.fails < outage || quiet.fails < outage {
			if w.fails < outage {
				w.step()
			}
			if quiet.fails < outage {
				quiet.step()
			}
		}
		s.factory.Back(s.TB)
		w.until(map[string]string{"b": fmt.Sprint(outage), "c": fmt.Sprint(outage)}, rev)
		quiet.step() // the store is back, though nothing has changed
		if !keeps {
			fulls++
		}
		if w.fulls != fulls || quiet.fulls != fulls || w.fails != outage || quiet.fails != outage {
			s.Errorf("want %d full updates and %d outages, got %d, %d and %d, %d", fulls, outage, w.fulls, quiet.fulls, w.fails, quiet.fails)
		}
		s.put("a", "again")
		w.until(map[string]string{"a": "again", "b": fmt.Sprint(outage), "c": fmt.Sprint(outage)}, 0)
	}
}

// testWatchRestart is an outage of the store, which returns with its data.
func testWatchRestart(s *suite) {
	server, ok := s.factory.(Restarter)
	if !ok {
		return // it keeps no history
	}
	s.put("a", "1")
	w := s.watch(s.s, "")
	w.until(map[string]string{"a": "1"}, 0)
	s.delete("a") // the newest change is a deletion, which leaves nothing to be read
	w.until(map[string]string{}, 0)
	server.Restart(s.TB)
	rev := s.commitTo(s.direct(), func(tx *store.Tx) { tx.Put(s.prefix+"b", []byte("1")) })
	w.until(map[string]string{"b": "1"}, rev)
	if w.fulls != 1 {
		s.Errorf("want only the changes, got %d full updates", w.fulls)
	}
}

func testAway(s *suite) {
	rev := s.put("a", "1")
	s.factory.Away(s.TB)
	s.Cleanup(func() { s.factory.Back(s.TB) })
	var tx store.Tx
	tx.Put(s.prefix+"b", nil)
	for name, call := range map[string]func() error{
		"read":   func() error { _, err := s.s.Read(s.ctx, s.prefix+"a"); return err },
		"list":   func() error { _, _, err := s.s.List(s.ctx, s.prefix); return err },
		"commit": func() error { _, err := s.s.Commit(s.ctx, &tx); return err },
		"grant":  func() error { _, err := s.s.Grant(s.ctx, s.factory.LeaseTTL()); return err },
	} {
		if err := call(); !errors.Is(err, store.ErrUnavailable) {
			s.Errorf("%s: want %v, got %v", name, store.ErrUnavailable, err)
		}
	}
	w := s.watch(s.s, "")
	if w.step(); w.fails != 1 {
		s.Errorf("watch: want an outage first, got %d", w.fails)
	}
	s.factory.Back(s.TB)
	w.until(map[string]string{"a": "1"}, rev)
	s.eventually("reads work again", func() bool {
		_, err := s.s.Read(s.ctx, s.prefix+"a")
		return err == nil
	})
	s.eventually("commits work again", func() bool {
		_, err := s.s.Commit(s.ctx, &tx)
		return err == nil
	})
}

func testCancel(s *suite) {
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	var tx store.Tx
	tx.Put(s.prefix+"a", nil)
	if _, err := s.s.Commit(ctx, &tx); !errors.Is(err, context.Canceled) {
		s.Errorf("commit: want %v, got %v", context.Canceled, err)
	}
	if _, err := s.s.Read(ctx, s.prefix+"a"); !errors.Is(err, context.Canceled) {
		s.Errorf("read: want %v, got %v", context.Canceled, err)
	}
	for u, err := range s.s.Watch(ctx, s.prefix) {
		s.Errorf("watch: want nothing, got %+v, %v", u, err)
	}
}

func testClose(s *suite) {
	ended := make(chan error, 1)
	w := s.watch(s.s, "")
	w.step()
	go func() {
		for {
			if _, _, ok := w.next(); !ok {
				ended <- nil
				return
			}
		}
	}()
	if err := s.s.Close(); err != nil {
		s.Fatal(err)
	}
	_ = s.wait("watch of a closed store", ended)
	var tx store.Tx
	tx.Put(s.prefix+"a", nil)
	if _, err := s.s.Commit(s.ctx, &tx); !errors.Is(err, store.ErrClosed) {
		s.Errorf("commit: want %v, got %v", store.ErrClosed, err)
	}
	if _, err := s.s.Read(s.ctx, s.prefix+"a"); !errors.Is(err, store.ErrClosed) {
		s.Errorf("read: want %v, got %v", store.ErrClosed, err)
	}
	if s.s.String() == "" {
		s.Error("a store has a name")
	}
}

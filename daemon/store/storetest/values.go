// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/contiv/contiv/daemon/store"
)

func testRead(s *suite) {
	s.absent("a")
	rev := s.put("a", "one")
	i := s.read("a")
	if i.Key != s.prefix+"a" || string(i.Value) != "one" || i.Revision != rev || i.Created != rev {
		s.Errorf("after a put at %d: got %+v", rev, i)
	}
	rev2 := s.put("a", "two")
	if j := s.read("a"); string(j.Value) != "two" || j.Revision != rev2 || j.Created != rev || rev2 <= rev {
		s.Errorf("after a second put at %d: got %+v", rev2, j)
	}
	s.delete("a")
	s.absent("a")
	rev3 := s.put("a", "three")
	if j := s.read("a"); j.Created != rev3 || j.Revision != rev3 || rev3 <= rev2 {
		s.Errorf("after delete and put at %d: got %+v", rev3, j)
	}
	s.delete("never there")
}

func testBytes(s *suite) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, value := range map[string][]byte{
		"all": all, "empty": {}, "nil": nil, "zeros": make([]byte, 10), "big": bytes.Repeat([]byte("x"), 100<<10),
	} {
		s.commit(func(tx *store.Tx) { tx.Put(s.prefix+name, value) })
		if got := s.read(name).Value; !bytes.Equal(got, value) {
			s.Errorf("%s: want %d bytes, got %d: %.40q", name, len(value), len(got), got)
		}
	}
}

func testKeys(s *suite) {
	keys := []string{"with space", "percent%41", "question?a=b&c", "hash#x", "plus+plus", "slash/", "slash//double", "zürich", "dot.", "a:b"}
	slices.Sort(keys)
	for _, key := range keys {
		s.put(key, key)
	}
	for _, key := range keys {
		if got := string(s.read(key).Value); got != key {
			s.Errorf("%q: got %q", key, got)
		}
	}
	if got := s.list(""); !slices.Equal(got, keys) {
		s.Errorf("list: want %q, got %q", keys, got)
	}
	for _, key := range keys {
		s.delete(key)
		s.absent(key)
	}
}

func testList(s *suite) {
	if got := s.list(""); got != nil {
		s.Errorf("nothing there: got %v", got)
	}
	all := []string{"a", "a/", "a/1", "a/10", "a/2", "ab", "b/1"}
	var rev store.Revision
	for _, key := range slices.Backward(all) {
		rev = s.put(key, "v"+key)
	}
	for prefix, want := range map[string][]string{
		"": all, "a": all[:6], "a/": all[1:5], "a/1": {"a/1", "a/10"}, "b": {"b/1"}, "b/1": {"b/1"}, "b/11": nil, "c": nil,
	} {
		if got := s.list(prefix); !slices.Equal(got, want) {
			s.Errorf("prefix %q: want %v, got %v", prefix, want, got)
		}
	}
	items, at, err := s.s.List(s.ctx, s.prefix)
	if err != nil || at < rev {
		s.Fatalf("list: want revision %d or later, got %d (%v)", rev, at, err)
	}
	for _, i := range items {
		if string(i.Value) != "v"+i.Key[len(s.prefix):] || i.Revision == 0 || i.Created != i.Revision {
			s.Errorf("got %+v", i)
		}
	}
}

func testGuards(s *suite) {
	key := s.prefix + "a"
	put := func(rev store.Revision, value string) func(tx *store.Tx) {
		return func(tx *store.Tx) { tx.Require(key, rev); tx.Put(key, []byte(value)) }
	}
	s.refuse(store.ErrConflict, put(1, "absent"))
	rev := s.commit(put(0, "one"))
	s.refuse(store.ErrConflict, put(0, "exists"))
	rev2 := s.commit(put(rev, "two"))
	s.refuse(store.ErrConflict, put(rev, "stale"))
	if got := string(s.read("a").Value); got != "two" {
		s.Errorf("want two, got %s", got)
	}
	s.refuse(store.ErrConflict, func(tx *store.Tx) { tx.Require(key, rev); tx.Delete(key) })
	s.commit(func(tx *store.Tx) { tx.Require(key, rev2); tx.Delete(key) })
	s.absent("a")
	// A transaction with only a guard is a question; an empty one is none.
	s.commit(func(tx *store.Tx) { tx.Require(key, 0) })
	s.refuse(store.ErrConflict, func(tx *store.Tx) { tx.Require(key, rev2) })
	s.commit(func(*store.Tx) {})
	// The last operation on a key wins.
	s.commit(func(tx *store.Tx) { tx.Put(key, []byte("x")); tx.Delete(key) })
	s.absent("a")
}

func testAtomic(s *suite) {
	a, b := s.put("a", "1"), s.put("b", "1")
	s.refuse(store.ErrConflict, func(tx *store.Tx) {
		tx.Require(s.prefix+"a", a)
		tx.Require(s.prefix+"b", b+1000)
		tx.Put(s.prefix+"a", []byte("2"))
		tx.Put(s.prefix+"c", []byte("2"))
		tx.Delete(s.prefix + "b")
	})
	if got := s.list(""); !slices.Equal(got, []string{"a", "b"}) || string(s.read("a").Value) != "1" {
		s.Errorf("a refused transaction changed something: %v", got)
	}
	rev := s.commit(func(tx *store.Tx) {
		tx.Require(s.prefix+"a", a)
		tx.Put(s.prefix+"a", []byte("2"))
		tx.Put(s.prefix+"c", []byte("2"))
		tx.Delete(s.prefix + "b")
	})
	if i, j := s.read("a"), s.read("c"); i.Revision != rev || j.Revision != rev {
		s.Errorf("one transaction: want revision %d everywhere, got %d and %d", rev, i.Revision, j.Revision)
	}
	s.absent("b")
}

func testFence(s *suite) {
	lock := s.prefix + "lock"
	f := store.Fence{Key: lock, Created: s.put("lock", "me")}
	write := func(tx *store.Tx) { tx.Under(f); tx.Put(s.prefix+"x", []byte("1")) }
	s.commit(write)
	s.put("lock", "still me")
	s.commit(write)
	s.refuse(store.ErrConflict, func(tx *store.Tx) { write(tx); tx.Require(s.prefix+"x", 0) })
	s.delete("lock")
	s.refuse(store.ErrFenced, write)
	s.put("lock", "another process")
	s.refuse(store.ErrFenced, write)
	s.refuse(store.ErrFenced, func(tx *store.Tx) { write(tx); tx.Require(s.prefix+"x", 0) })
	s.refuse(store.ErrFenced, func(tx *store.Tx) { tx.Under(f) })
	// A leader may release its own lock under its own fence.
	f.Created = s.read("lock").Created
	s.commit(func(tx *store.Tx) { tx.Under(f); tx.Delete(lock) })
	s.absent("lock")
}

func testLimits(s *suite) {
	l := s.s.Limits()
	fill := func(n int) func(tx *store.Tx) {
		return func(tx *store.Tx) {
			for i := range n {
				tx.Put(fmt.Sprintf("%s%03d", s.prefix, i), []byte("v"))
			}
		}
	}
	s.commit(fill(l.Ops))
	if got := len(s.list("")); got != l.Ops {
		s.Errorf("want %d keys, got %d", l.Ops, got)
	}
	s.refuse(store.ErrTooLarge, fill(l.Ops+1))
	s.refuse(store.ErrTooLarge, func(tx *store.Tx) { tx.Put(s.prefix+"big", make([]byte, l.Bytes)) })
	s.commit(func(tx *store.Tx) { tx.Put(s.prefix+"big", make([]byte, l.Bytes-len(s.prefix)-3)) })
	guarded := func(n int) func(tx *store.Tx) {
		return func(tx *store.Tx) {
			for i := range n {
				tx.Require(fmt.Sprintf("%sfree/%03d", s.prefix, i), 0)
			}
			fill(l.Ops - n)(tx)
		}
	}
	s.commit(guarded(l.Ops / 2))
	s.refuse(store.ErrTooLarge, func(tx *store.Tx) { guarded(l.Ops / 2)(tx); tx.Delete(s.prefix + "one more") })
}

func testConcurrent(s *suite) {
	const writers, each = 6, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < each; {
				old, err := s.s.Read(s.ctx, s.prefix+"n")
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					s.Error(err)
					return
				}
				var tx store.Tx
				tx.Require(s.prefix+"n", old.Revision)
				tx.Put(s.prefix+"n", append(old.Value, '+'))
				switch _, err := s.s.Commit(s.ctx, &tx); {
				case err == nil:
					done++
				case !errors.Is(err, store.ErrConflict):
					s.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got, want := string(s.read("n").Value), strings.Repeat("+", writers*each); got != want {
		s.Errorf("want %d increments, got %d", len(want), len(got))
	}
}

func testRevisions(s *suite) {
	other := s.direct()
	var last store.Revision
	for i := range 10 {
		c := []store.Store{s.s, other}[i%2]
		rev := s.commitTo(c, func(tx *store.Tx) { tx.Put(fmt.Sprint(s.prefix, "k", i%3), []byte{byte(i)}) })
		if rev <= last {
			s.Errorf("commit %d: revision %d after %d", i, rev, last)
		}
		last = rev
	}
	if rev := s.delete("k1"); rev <= last {
		s.Errorf("delete: revision %d after %d", rev, last)
	}
}

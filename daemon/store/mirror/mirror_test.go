// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// reader is a copy of a Mirror's values that applies only the reported changes.
type reader struct {
	*rapid.T
	*mirror.Mirror
	values map[string]string
}

func newReader(t *rapid.T) *reader {
	return &reader{T: t, Mirror: mirror.New(), values: map[string]string{}}
}

func (r *reader) follow(changes []mirror.Change) {
	for _, c := range changes {
		was, had := r.values[c.Key]
		switch {
		case had != c.Had || had && was != string(c.Before.Value):
			r.Fatalf("%s was %q, and the change says %q", c.Key, was, c.Before.Value)
		case c.Has:
			r.values[c.Key] = string(c.After.Value)
		default:
			delete(r.values, c.Key)
		}
	}
	have := map[string]string{}
	for key, it := range r.Items().All() {
		have[key] = string(it.Value)
	}
	if !maps.Equal(have, r.values) {
		r.Fatalf("the changes make %v, the items are %v", r.values, have)
	}
}

func (r *reader) Watched(u store.Update) {
	changes, err := r.Mirror.Watched(u)
	if errors.Is(err, mirror.ErrStale) {
		r.Watching()
		changes, err = r.Mirror.Watched(u)
	}
	if errors.Is(err, mirror.ErrReset) {
		r.Rewind()
		changes, err = r.Mirror.Watched(u)
	}
	if err != nil {
		r.Fatal(err)
	}
	r.follow(changes)
}

func (r *reader) Committed(ops []store.Op, rev store.Revision) {
	r.follow(r.Mirror.Committed(ops, rev))
}

func (r *reader) Listed(items []store.Item, rev store.Revision) {
	r.follow(r.Mirror.Listed(items, rev))
}

// change draws a change of one of a few keys.
func change(t *rapid.T, n *int) func(map[string]store.Item) store.Op {
	return func(now map[string]store.Item) store.Op {
		key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
		if _, ok := now[key]; ok && rapid.Bool().Draw(t, "delete") {
			return store.Op{Key: key, Delete: true}
		}
		*n++
		return store.Op{Key: key, Value: fmt.Append(nil, *n)}
	}
}

// In the end the items match the store, and the state of a key never goes back, whatever the order of changes.
func TestOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, n := newReader(t), 0
		h := storetest.NewHistory(t, r, []store.Item{{Key: "a", Value: []byte("0"), Revision: 2}}, change(t, &n))
		seen := map[string]store.Revision{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.IntRange(0, 19).Draw(t, "rewind") == 0 {
				h.Rewind()
				seen = map[string]store.Revision{}
			} else {
				before := r.Revision()
				h.Step()
				if r.Revision() > before+900 { // restored: older values, which are current now
					seen = map[string]store.Revision{}
				}
			}
			for key, it := range r.Items().All() {
				if it.Revision < seen[key] {
					t.Fatalf("%s was known at %d, and is as it was at %d", key, seen[key], it.Revision)
				}
				seen[key] = it.Revision
			}
		}
		h.End()
		items, _ := h.Items()
		want := map[string]string{}
		for _, it := range items {
			want[it.Key] = string(it.Value)
		}
		if !maps.Equal(r.values, want) {
			t.Fatalf("known is %v, the store holds %v", r.values, want)
		}
	})
}

func put(key, value string, rev store.Revision) store.Item {
	return store.Item{Key: key, Value: []byte(value), Revision: rev}
}

// Each step is applied after the previous ones.
func TestSteps(t *testing.T) {
	m := mirror.New()
	watched := func(u store.Update) func() ([]mirror.Change, error) {
		return func() ([]mirror.Change, error) { return m.Watched(u) }
	}
	committed := func(rev store.Revision, ops ...store.Op) func() ([]mirror.Change, error) {
		return func() ([]mirror.Change, error) { return m.Committed(ops, rev), nil }
	}
	deleted := func(key string) store.Op { return store.Op{Key: key, Delete: true} }
	for _, s := range []struct {
		name string
		do   func() ([]mirror.Change, error)
		want string // changes and items
		err  error
	}{
		{"a list", watched(store.Update{Full: true, Items: []store.Item{put("a", "1", 2)}, Revision: 2}), "[+a] a=1@2", nil},
		{"our commit, ahead of the watch", committed(5, store.Op{Key: "b", Value: []byte("1")}), "[+b] a=1@2 b=1@5", nil},
		{"an earlier commit of ours, answered late", committed(4, store.Op{Key: "b", Value: []byte("0")}), "[] a=1@2 b=1@5", nil},
		{"what others did before it", watched(store.Update{Items: []store.Item{put("c", "1", 4)}, Revision: 4}), "[+c] a=1@2 b=1@5 c=1@4", nil},
		{"our deletion", committed(7, deleted("b")), "[-b] a=1@2 c=1@4", nil},
		{"the put, after we deleted", watched(store.Update{Items: []store.Item{put("b", "1", 5)}, Revision: 6}), "[] a=1@2 c=1@4", nil},
		{"a list from before the deletion", watched(store.Update{Full: true, Items: []store.Item{put("a", "1", 2), put("b", "1", 5), put("c", "1", 4)}, Revision: 6}), "[] a=1@2 c=1@4", nil},
		{"the deletion", watched(store.Update{Gone: []string{"b"}, Revision: 7}), "[] a=1@2 c=1@4", nil},
		{"it is put again", watched(store.Update{Items: []store.Item{put("b", "2", 8)}, Revision: 8}), "[+b] a=1@2 b=2@8 c=1@4", nil},
		{"a late deletion", watched(store.Update{Gone: []string{"b"}, Revision: 7}), "[] a=1@2 b=2@8 c=1@4", nil},
		{"what is deleted goes first", watched(store.Update{Items: []store.Item{put("a", "2", 9)}, Gone: []string{"b", "c"}, Revision: 10}), "[-b -c a] a=2@9", nil},
		{"the watch was faster", committed(9, store.Op{Key: "a", Value: []byte("2")}), "[] a=2@9", nil},
		{"the watch was faster, and reported the end", committed(9, store.Op{Key: "c", Value: []byte("1")}), "[] a=2@9", nil},
		{"a list at the beginning of a term", func() ([]mirror.Change, error) { return m.Listed([]store.Item{put("a", "2", 9)}, 20), nil }, "[] a=2@9", nil},
		{"a list that the watch may have made before it", watched(store.Update{Full: true, Revision: 15}), "[] a=2@9", mirror.ErrStale},
		{"a key of before that was deleted by then", watched(store.Update{Items: []store.Item{put("k", "1", 16)}, Revision: 16}), "[] a=2@9", nil},
		{"and beside what is new", watched(store.Update{Items: []store.Item{put("a", "2", 9), put("k", "1", 16)}, Revision: 21}), "[] a=2@9", nil},
		{"the list of a new watch, which cannot be older", func() ([]mirror.Change, error) {
			m.Watching()
			return m.Watched(store.Update{Full: true, Revision: 17})
		}, "[] a=2@9", mirror.ErrReset},
		{"restored with raised revisions", watched(store.Update{Full: true, Items: []store.Item{put("a", "1", 2)}, Revision: 1000}), "[a] a=1@2", nil},
		{"restored with revisions that begin again", watched(store.Update{Full: true, Items: []store.Item{put("a", "1", 2)}, Revision: 3}), "[] a=1@2", mirror.ErrReset},
		{"and known to be", func() ([]mirror.Change, error) {
			m.Rewind()
			return m.Watched(store.Update{Full: true, Items: []store.Item{put("a", "3", 2)}, Revision: 3})
		}, "[a] a=3@2", nil},
	} {
		changes, err := s.do()
		if !errors.Is(err, s.err) {
			t.Errorf("%s: %v, want %v", s.name, err, s.err)
		}
		if got := describe(changes, m); got != s.want {
			t.Errorf("%s: %s, want %s", s.name, got, s.want)
		}
	}
}

func describe(changes []mirror.Change, m *mirror.Mirror) string {
	keys := []string{}
	for _, c := range changes {
		switch {
		case !c.Has:
			keys = append(keys, "-"+c.Key)
		case !c.Had:
			keys = append(keys, "+"+c.Key)
		default:
			keys = append(keys, c.Key)
		}
	}
	out := fmt.Sprint(keys)
	for _, key := range slices.Sorted(maps.Keys(maps.Collect(m.Items().All()))) {
		it := m.Items().Get(key)
		out += fmt.Sprintf(" %s=%s@%d", key, it.Value, it.Revision)
	}
	return out
}

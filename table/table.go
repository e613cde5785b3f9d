// SPDX-License-Identifier: Apache-2.0

// Package table holds tables in memory: rows by key and by declared secondary indexes, with snapshots in constant time and the difference
// of two of them.
//
// Keys, and indexed values, are comparable values, so nothing is encoded or joined. Values must not be changed once they are in a table; a
// changed value is another one that is set in its place.
package table

import "iter"

// A Table maps keys to values. Its reading methods may be used by several goroutines at a time, but not during a change; a Clone is another
// table. The order is arbitrary, and the same for tables with the same keys in one process.
type Table[K comparable, V any] struct {
	Rows[K, V] // all of them
	indexes    []index[K, V]
	token      *token // marks the nodes that no clone shares; nil: a clone may share the indexes too
}

// New returns an empty table with exactly these indexes.
func New[K comparable, V any](declared ...Declaration[K, V]) *Table[K, V] {
	t := &Table[K, V]{token: new(token)}
	for _, d := range declared {
		t.indexes = append(t.indexes, d.empty())
	}
	return t
}

// Clone returns a table with the same rows, to be read or changed while t changes. It takes constant time and copies no row: either table
// copies a row before it changes it. Clone must not be called during a change of t.
func (t *Table[K, V]) Clone() *Table[K, V] {
	t.token = nil
	c := *t
	return &c
}

// own copies shared indexes before the first change since a Clone.
func (t *Table[K, V]) own() {
	if t.token != nil {
		return
	}
	t.token = new(token)
	shared := t.indexes
	t.indexes = make([]index[K, V], len(shared))
	for i, x := range shared {
		t.indexes[i] = x.clone()
	}
}

// Get returns the value of a key, or the zero value.
func (t *Table[K, V]) Get(key K) V {
	v, _ := t.Lookup(key)
	return v
}

// Lookup is like Get and reports whether there is a row.
func (t *Table[K, V]) Lookup(key K) (value V, ok bool) {
	if r := t.trie.get(key); r != nil {
		return r.value, true
	}
	return value, false
}

// Set sets the value of a key, and returns the previous one.
func (t *Table[K, V]) Set(key K, value V) (before V, had bool) {
	t.own()
	now := newRow(key, value)
	was := t.trie.find(now.hash, key)
	t.trie.put(t.token, now)
	for _, x := range t.indexes {
		x.change(t.token, was, now)
	}
	if was != nil {
		return was.value, true
	}
	return before, false
}

// Delete removes the row of a key, and returns its value.
func (t *Table[K, V]) Delete(key K) (before V, had bool) {
	was := t.trie.get(key)
	if was == nil {
		return before, false
	}
	t.own()
	t.trie.drop(t.token, was)
	for _, x := range t.indexes {
		x.change(t.token, was, nil)
	}
	return was.value, true
}

// A Change is a key whose row differs between two tables.
type Change[K comparable, V any] struct {
	Key           K
	Before, After V
	Had, Has      bool // a row, before and after
}

// Same reports whether nothing was set or deleted in either of two tables since one was cloned from the other, or both from a third. It
// takes constant time.
func Same[K comparable, V any](before, after *Table[K, V]) bool { return before.trie == after.trie }

// Changes yields the differences of two tables, in time proportional to what was set or deleted in only one of them since one was cloned
// from the other, or both from a third. It includes a value that was set again even if it is equal.
func Changes[K comparable, V any](before, after *Table[K, V]) iter.Seq[Change[K, V]] {
	return func(yield func(Change[K, V]) bool) {
		differ(before.trie.place, after.trie.place, 0, func(a, b *row[K, V]) bool {
			var c Change[K, V]
			if a != nil {
				c.Key, c.Before, c.Had = a.key, a.value, true
			}
			if b != nil {
				c.Key, c.After, c.Has = b.key, b.value, true
			}
			return yield(c)
		})
	}
}

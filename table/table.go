// Package table holds tables in memory: rows by key, found by declared secondary indexes too, with snapshots that cost nothing and
// the difference of two of them.
//
// Keys, and what indexes find, are comparable values, so nothing is encoded or joined. Values must not be changed once they are in a
// table; a changed value is another one that is set in its place.
package table

import "iter"

// A Table maps keys to values. Its methods that read may be used by several goroutines at a time, but not beside one that changes it;
// a Clone is another table. Order is arbitrary, and the same for tables with the same keys in one process.
type Table[K comparable, V any] struct {
	Rows[K, V] // all of them
	indexes    []index[K, V]
	token      *token // marks the nodes that no clone shares; nil: a clone may have the indexes too
}

// New returns an empty table with indexes. It has no others.
func New[K comparable, V any](declared ...Declaration[K, V]) *Table[K, V] {
	t := &Table[K, V]{token: new(token)}
	for _, d := range declared {
		t.indexes = append(t.indexes, d.empty())
	}
	return t
}

// Clone returns a table with the same rows, to be read or changed while t changes. It takes constant time and copies no row: what
// either changes from then on it copies first. It must not be called beside a change of t.
func (t *Table[K, V]) Clone() *Table[K, V] {
	t.token = nil
	c := *t
	return &c
}

// own makes the indexes those of this table alone, before its first change since a Clone.
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

// Get returns the value of a key, the zero value when there is none.
func (t *Table[K, V]) Get(key K) V {
	v, _ := t.Lookup(key)
	return v
}

// Lookup is Get that says whether there is a row.
func (t *Table[K, V]) Lookup(key K) (value V, ok bool) {
	if r := t.trie.get(key); r != nil {
		return r.value, true
	}
	return value, false
}

// Set gives a key a value, and returns the one that it had.
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

// Delete removes the row of a key, and returns the value that it had.
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

// A Change is a key whose row is not the same in two tables.
type Change[K comparable, V any] struct {
	Key           K
	Before, After V
	Had, Has      bool // a row, before and after
}

// Same says whether nothing was set or deleted in either of two tables since the one was cloned from the other, or both from a third. It
// takes constant time.
func Same[K comparable, V any](before, after *Table[K, V]) bool { return before.trie == after.trie }

// Changes yields what is not the same in two tables, in time proportional to what was set or deleted in one and not in the other since
// the one was cloned from the other, or both from a third. A value that was set again is among it even if it is equal.
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

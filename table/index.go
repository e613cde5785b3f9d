// SPDX-License-Identifier: Apache-2.0

package table

import (
	"iter"
	"slices"
)

// A Declaration describes what a table keeps in addition to its rows: an Index, an Order or a Total.
type Declaration[K comparable, V any] interface{ empty() index[K, V] }

// index is what one table has of a Declaration.
type index[K comparable, V any] interface {
	declared() Declaration[K, V]
	clone() index[K, V]
	change(by *token, was, now *row[K, V]) // nil: no row
}

// kept returns what t keeps for d.
func kept[I index[K, V], K comparable, V any](t *Table[K, V], d Declaration[K, V]) I {
	for _, x := range t.indexes {
		if x.declared() == d {
			return x.(I)
		}
	}
	panic("table: it was not declared when the table was made")
}

// An Index finds the rows of a table by a property of their values. It is a declaration: the rows are in the tables.
type Index[X, K comparable, V any] struct {
	one  func(V) X
	each func(v V, to []X) []X // alternative to one
}

// By declares an index by the result of of, which must depend only on the value. The zero value of X is not indexed.
func By[K, X comparable, V any](of func(V) X) *Index[X, K, V] {
	return &Index[X, K, V]{one: of}
}

// ByEach declares an index by each value that of appends; duplicates count once.
func ByEach[K, X comparable, V any](of func(v V, to []X) []X) *Index[X, K, V] {
	return &Index[X, K, V]{each: of}
}

// In returns the rows of t that have x, in constant time. It panics if t was made without the index.
func (d *Index[X, K, V]) In(t *Table[K, V], x X) Rows[K, V] {
	if r := kept[*grouping[X, K, V]](t, d).groups.get(x); r != nil {
		return Rows[K, V]{r.value}
	}
	return Rows[K, V]{}
}

// Each yields every indexed value of t, with its rows.
func (d *Index[X, K, V]) Each(t *Table[K, V]) iter.Seq2[X, Rows[K, V]] {
	return func(yield func(X, Rows[K, V]) bool) {
		kept[*grouping[X, K, V]](t, d).groups.each(func(r *row[X, trie[K, V]]) bool { return yield(r.key, Rows[K, V]{r.value}) })
	}
}

// grouping is an Index of one table. Its rows are those of the table.
type grouping[X, K comparable, V any] struct {
	*Index[X, K, V]
	groups trie[X, trie[K, V]]
}

func (d *Index[X, K, V]) empty() index[K, V] { return &grouping[X, K, V]{Index: d} }

func (g *grouping[X, K, V]) declared() Declaration[K, V] { return g.Index }

func (g *grouping[X, K, V]) clone() index[K, V] {
	return &grouping[X, K, V]{Index: g.Index, groups: g.groups}
}

func (g *grouping[X, K, V]) change(by *token, was, now *row[K, V]) {
	if g.one == nil {
		g.replace(by, was, now, g.all(was), g.all(now))
		return
	}
	var before, after [1]X
	if was != nil {
		before[0] = g.one(was.value)
	}
	if now != nil {
		after[0] = g.one(now.value)
	}
	g.replace(by, was, now, before[:], after[:])
}

// all returns each indexed value of a row.
func (g *grouping[X, K, V]) all(r *row[K, V]) []X {
	if r == nil {
		return nil
	}
	return g.each(r.value, nil)
}

// replace replaces a row by another in the index.
func (g *grouping[X, K, V]) replace(by *token, was, now *row[K, V], before, after []X) {
	var zero X
	for _, x := range before {
		if x != zero && !slices.Contains(after, x) {
			g.leave(by, x, was)
		}
	}
	for _, x := range after {
		if x != zero {
			g.join(by, x, now)
		}
	}
}

func (g *grouping[X, K, V]) join(by *token, x X, r *row[K, V]) {
	group := newRow(x, trie[K, V]{})
	if had := g.groups.find(group.hash, x); had != nil {
		group.value = had.value
	}
	group.value.put(by, r)
	g.groups.put(by, group)
}

func (g *grouping[X, K, V]) leave(by *token, x X, r *row[K, V]) {
	had := g.groups.get(x)
	if had == nil || had.value.find(r.hash, r.key) == nil {
		return // it was a duplicate
	}
	group := &row[X, trie[K, V]]{had.hash, x, had.value}
	group.value.drop(by, r)
	if group.value.size == 0 {
		g.groups.drop(by, had)
		return
	}
	g.groups.put(by, group)
}

// Rows are the rows of a table with an indexed value in common. Like a table's own they must not be read during a change of it.
type Rows[K comparable, V any] struct{ trie trie[K, V] }

// Len is their number, in constant time.
func (r Rows[K, V]) Len() int { return r.trie.size }

// Has reports whether the row of a key is among them.
func (r Rows[K, V]) Has(key K) bool { return r.trie.get(key) != nil }

// All yields them.
func (r Rows[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		r.trie.each(func(r *row[K, V]) bool { return yield(r.key, r.value) })
	}
}

// Values yields their values.
func (r Rows[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		r.trie.each(func(r *row[K, V]) bool { return yield(r.value) })
	}
}

// SPDX-License-Identifier: Apache-2.0

package table

import "iter"

// A Total sums up numbers of the values of a table, by a property. It is a declaration, as an Index is.
type Total[X, K comparable, V any] struct{ number func(V) (X, uint64) }

// Sum declares a total of the numbers that of returns, which must depend only on the value. The zero value of X is not counted. Numbers
// that overflow wrap around, so a total may be one of hashes.
func Sum[K, X comparable, V any](of func(V) (X, uint64)) *Total[X, K, V] {
	return &Total[X, K, V]{of}
}

// In returns how many rows of t have x, and the sum of their numbers, in constant time. It panics if t was made without the total.
func (d *Total[X, K, V]) In(t *Table[K, V], x X) (rows int, sum uint64) {
	if r := kept[*totals[X, K, V]](t, d).sums.get(x); r != nil {
		return r.value.rows, r.value.sum
	}
	return 0, 0
}

// Each yields every x that rows of t have, with how many have it.
func (d *Total[X, K, V]) Each(t *Table[K, V]) iter.Seq2[X, int] {
	return func(yield func(X, int) bool) {
		kept[*totals[X, K, V]](t, d).sums.each(func(r *row[X, total]) bool { return yield(r.key, r.value.rows) })
	}
}

// totals are a Total of one table.
type totals[X, K comparable, V any] struct {
	*Total[X, K, V]
	sums trie[X, total]
}

type total struct {
	rows int
	sum  uint64
}

func (d *Total[X, K, V]) empty() index[K, V] { return &totals[X, K, V]{Total: d} }

func (t *totals[X, K, V]) declared() Declaration[K, V] { return t.Total }

func (t *totals[X, K, V]) clone() index[K, V] {
	c := *t
	return &c
}

func (t *totals[X, K, V]) change(by *token, was, now *row[K, V]) {
	if was != nil {
		x, n := t.number(was.value)
		t.add(by, x, total{-1, -n})
	}
	if now != nil {
		x, n := t.number(now.value)
		t.add(by, x, total{1, n})
	}
}

func (t *totals[X, K, V]) add(by *token, x X, more total) {
	var zero X
	if x == zero {
		return
	}
	now := newRow(x, more)
	had := t.sums.find(now.hash, x)
	if had != nil {
		now.value.rows += had.value.rows
		now.value.sum += had.value.sum
	}
	if now.value.rows == 0 {
		t.sums.drop(by, had)
		return
	}
	t.sums.put(by, now)
}

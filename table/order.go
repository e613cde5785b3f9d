// SPDX-License-Identifier: Apache-2.0

package table

import (
	"iter"
	"sync"

	"github.com/tidwall/btree"
)

// An Extract keeps a property of the rows of a table in an order. It is a declaration, as an Index is.
type Extract[E any, K comparable, V any] struct {
	of      func(V) (E, bool)
	compare func(a, b E) int
}

// An Order keeps the rows of a table in an order.
type Order[K comparable, V any] = Extract[V, K, V]

// Sorted declares an order of values: compare is negative when a comes before b. No two rows may compare equal.
func Sorted[K comparable, V any](compare func(a, b V) int) *Order[K, V] {
	return Extracted[K](func(v V) (V, bool) { return v, true }, compare)
}

// Extracted declares what of returns for each value for which it returns true, in the order of compare. It is read faster than an Order if
// it is small and has no pointers to follow.
func Extracted[K comparable, E, V any](of func(V) (E, bool), compare func(a, b E) int) *Extract[E, K, V] {
	return &Extract[E, K, V]{of, compare}
}

// All yields the kept values of t in order. It panics if t was made without the order, as From and Back do.
func (d *Extract[E, K, V]) All(t *Table[K, V]) iter.Seq[E] {
	return func(yield func(E) bool) { kept[*sorted[E, K, V]](t, d).Scan(yield) }
}

// From yields the kept values of t that are not before a value, which need not be in t, in order.
func (d *Extract[E, K, V]) From(t *Table[K, V], first E) iter.Seq[E] {
	return func(yield func(E) bool) { kept[*sorted[E, K, V]](t, d).Ascend(first, yield) }
}

// Back yields the kept values of t that are not after a value, which need not be in t, the last first.
func (d *Extract[E, K, V]) Back(t *Table[K, V], last E) iter.Seq[E] {
	return func(yield func(E) bool) { kept[*sorted[E, K, V]](t, d).Descend(last, yield) }
}

// sorted is an Extract of one table.
type sorted[E any, K comparable, V any] struct {
	*Extract[E, K, V]
	*btree.BTreeG[E]
	copying sync.Mutex // Copy modifies its argument
}

// degree is half the number of elements of a node, of which a change copies one a level.
const degree = 8

func (d *Extract[E, K, V]) empty() index[K, V] {
	before := func(a, b E) bool { return d.compare(a, b) < 0 }
	return &sorted[E, K, V]{Extract: d, BTreeG: btree.NewBTreeGOptions(before, btree.Options{NoLocks: true, Degree: degree})}
}

func (s *sorted[E, K, V]) declared() Declaration[K, V] { return s.Extract }

func (s *sorted[E, K, V]) clone() index[K, V] {
	s.copying.Lock()
	defer s.copying.Unlock()
	return &sorted[E, K, V]{Extract: s.Extract, BTreeG: s.Copy()}
}

func (s *sorted[E, K, V]) change(_ *token, was, now *row[K, V]) {
	var before, after E
	var had, has bool
	if was != nil {
		before, had = s.of(was.value)
	}
	if now != nil {
		after, has = s.of(now.value)
	}
	if had && (!has || s.compare(before, after) != 0) {
		s.Delete(before)
	}
	if has {
		s.Set(after)
	}
}

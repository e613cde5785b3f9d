// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/table"
)

// list is a table that snapshots show as a list. The list is made from the one before, so that one endpoint more among 50,000 costs one
// copy of pointers; a value that did not change keeps its address, by which pages know it again.
type list[V any] struct {
	*table.Table[string, V]
	compare func(a, b V) int        // their order
	listed  *table.Table[string, V] // what values are of
	values  []V
}

func newList[V any](compare func(a, b V) int) *list[V] {
	return &list[V]{table.New[string, V](), compare, table.New[string, V](), []V{}}
}

// clone is a list that changes by itself from now on.
func (l *list[V]) clone() *list[V] {
	c := *l
	c.Table = l.Clone()
	return &c
}

// sorted is all values in their order. The caller must not change it.
func (l *list[V]) sorted() []V {
	var left, came []V
	for c := range table.Changes(l.listed, l.Table) {
		if c.Had {
			left = append(left, c.Before)
		}
		if c.Has {
			came = append(came, c.After)
		}
	}
	if len(left)+len(came) > 0 {
		slices.SortFunc(left, l.compare)
		slices.SortFunc(came, l.compare)
		l.listed, l.values = l.Clone(), merge(l.values, left, came, l.compare)
	}
	return l.values
}

// merge returns list without the removed items, and with the new ones, all three in order. It copies the items between two changes in one
// piece.
func merge[V any](list, left, came []V, compare func(a, b V) int) []V {
	out := make([]V, 0, len(list)-len(left)+len(came))
	upTo := func(v V) {
		at, _ := slices.BinarySearchFunc(list, v, compare)
		out, list = append(out, list[:at]...), list[at:]
	}
	for len(left)+len(came) > 0 {
		if len(came) == 0 || len(left) > 0 && compare(left[0], came[0]) <= 0 {
			upTo(left[0])
			list, left = list[1:], left[1:]
			continue
		}
		upTo(came[0])
		out, came = append(out, came[0]), came[1:]
	}
	return append(out, list...)
}

// compareObjects is the order of a snapshot's objects of a kind.
func compareObjects(a, b model.Object) int { return strings.Compare(a.ObjectKey(), b.ObjectKey()) }

// CompareEndpoints is the order of a snapshot's endpoints: by identity, and so by network. Two that are equal are the same endpoint at two
// times.
func CompareEndpoints(a, b *Endpoint) int { return strings.Compare(a.Key, b.Key) }

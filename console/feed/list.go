package feed

import (
	"iter"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/table"
)

// list is a table that snapshots show as a list. A value that did not change keeps its address, by which pages know it again.
type list[V any] struct {
	*table.Table[string, V]
	order  func(*table.Table[string, V]) iter.Seq[V]
	listed *table.Table[string, V] // what values is made of; nil: nothing yet
	values []V
}

// sorted is all values in their order. The caller must not change it.
func (l *list[V]) sorted() []V {
	if l.listed == nil || !table.Same(l.listed, l.Table) {
		l.listed, l.values = l.Clone(), slices.AppendSeq(make([]V, 0, l.Len()), l.order(l.Table))
	}
	return l.values
}

// clone is a list that changes by itself from now on.
func (l *list[V]) clone() *list[V] {
	return &list[V]{l.Clone(), l.order, l.listed, l.values}
}

// endpointOrder keeps endpoints in order, so that one more among 50,000 costs one walk over them.
var endpointOrder = table.Sorted[string](CompareEndpoints)

func newEndpointList() *list[*model.EndpointOper] {
	return &list[*model.EndpointOper]{Table: table.New(endpointOrder), order: endpointOrder.All}
}

// CompareEndpoints is the order of a snapshot's endpoints: by network, then identity. Two that are equal are the same
// endpoint at two times.
func CompareEndpoints(a, b *model.EndpointOper) int {
	if c := strings.Compare(a.Network, b.Network); c != 0 {
		return c
	}
	if c := strings.Compare(a.EndpointID, b.EndpointID); c != 0 {
		return c
	}
	return strings.Compare(a.Key, b.Key)
}

func newObjectList() *list[model.Object] {
	return &list[model.Object]{Table: table.New[string, model.Object](), order: byKey[model.Object]}
}

// byKey is the values of a table in the order of their keys.
func byKey[V any](t *table.Table[string, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		keys := make([]string, 0, t.Len())
		for key := range t.All() {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if !yield(t.Get(key)) {
				return
			}
		}
	}
}

package feed

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/api/model"
)

// roster is the endpoints. Its list is made from the one before, so that one endpoint more among 50,000 costs one walk
// over pointers; an endpoint that did not change keeps its address, by which pages know it again.
type roster struct {
	of    map[string]*model.EndpointOper
	list  []*model.EndpointOper        // as it was when it was last asked for
	dirty map[string]bool              // keys that changed since
	gone  map[*model.EndpointOper]bool // what stood there before
}

func newRoster() *roster {
	return &roster{of: map[string]*model.EndpointOper{}, dirty: map[string]bool{}, gone: map[*model.EndpointOper]bool{}}
}

func (r *roster) put(key string, e *model.EndpointOper) {
	r.drop(key)
	r.of[key] = e
}

func (r *roster) drop(key string) {
	if old := r.of[key]; old != nil {
		r.gone[old] = true
	}
	delete(r.of, key)
	r.dirty[key] = true
}

// sorted is all endpoints, ordered by network, then identity. The caller must not change it.
func (r *roster) sorted() []*model.EndpointOper {
	if len(r.dirty) == 0 {
		return r.list
	}
	var came []*model.EndpointOper
	for key := range r.dirty {
		if e := r.of[key]; e != nil {
			came = append(came, e)
		}
	}
	slices.SortFunc(came, inOrder)
	out := make([]*model.EndpointOper, 0, len(r.of))
	for _, e := range r.list {
		if r.gone[e] {
			continue
		}
		for len(came) > 0 && inOrder(came[0], e) < 0 {
			out, came = append(out, came[0]), came[1:]
		}
		out = append(out, e)
	}
	r.list = append(out, came...)
	clear(r.dirty)
	clear(r.gone)
	return r.list
}

func inOrder(a, b *model.EndpointOper) int {
	return cmp.Or(cmp.Compare(a.Network, b.Network), cmp.Compare(a.EndpointID, b.EndpointID), cmp.Compare(a.Key, b.Key))
}

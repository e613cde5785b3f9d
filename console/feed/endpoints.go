package feed

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// endpointList is the endpoints. Its list is made from the one before, so that one endpoint more among 50,000 costs one walk
// over pointers; an endpoint that did not change keeps its address, by which pages know it again.
type endpointList struct {
	of    map[string]*model.EndpointOper
	list  []*model.EndpointOper          // as it was when it was last asked for
	dirty map[string]*model.EndpointOper // what stands in list at the keys that changed since; nil: nothing
}

func newEndpointList() *endpointList {
	return &endpointList{of: map[string]*model.EndpointOper{}, list: []*model.EndpointOper{}, dirty: map[string]*model.EndpointOper{}}
}

func (r *endpointList) put(key string, e *model.EndpointOper) {
	if _, known := r.dirty[key]; !known {
		r.dirty[key] = r.of[key]
	}
	r.of[key] = e
}

func (r *endpointList) drop(key string) {
	stood, known := r.dirty[key]
	switch {
	case known && stood == nil: // it came and went between two looks
		delete(r.dirty, key)
	case !known && r.of[key] != nil:
		r.dirty[key] = r.of[key]
	}
	delete(r.of, key)
}

// sorted is all endpoints, ordered by network, then identity. The caller must not change it.
func (r *endpointList) sorted() []*model.EndpointOper {
	if len(r.dirty) == 0 {
		return r.list
	}
	var came, left []*model.EndpointOper
	for key, stood := range r.dirty {
		if e := r.of[key]; e != nil {
			came = append(came, e)
		}
		if stood != nil {
			left = append(left, stood)
		}
	}
	slices.SortFunc(came, CompareEndpoints)
	slices.SortFunc(left, CompareEndpoints)
	r.list = merge(r.list, left, came)
	clear(r.dirty)
	return r.list
}

// merge is list without those of it that left, and with those that came, all three in order. What lies between two changes is
// copied in one piece.
func merge(list, left, came []*model.EndpointOper) []*model.EndpointOper {
	out := make([]*model.EndpointOper, 0, len(list)+len(came))
	for len(left)+len(came) > 0 {
		leaves := len(left) > 0 && (len(came) == 0 || CompareEndpoints(left[0], came[0]) <= 0)
		next := came
		if leaves {
			next = left
		}
		at, _ := slices.BinarySearchFunc(list, next[0], CompareEndpoints)
		out, list = append(out, list[:at]...), list[at:]
		switch {
		case !leaves:
			out, came = append(out, came[0]), came[1:]
		case len(list) > 0 && list[0] == left[0]:
			list, left = list[1:], left[1:]
		default: // it does not stand there
			left = left[1:]
		}
	}
	return append(out, list...)
}

// CompareEndpoints is the order of a snapshot's endpoints: by identity, and so by network. Two that are equal are the same endpoint at two
// times.
func CompareEndpoints(a, b *model.EndpointOper) int { return strings.Compare(a.Key, b.Key) }

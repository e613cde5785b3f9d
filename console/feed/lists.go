// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"reflect"

	"github.com/contiv/contiv/api/model"
)

// lists are the objects that are known, in the order in which they are shown.
type lists struct {
	objects   map[string]*list[model.Object] // by kind
	endpoints *list[*Endpoint]
}

func newLists() lists {
	return lists{map[string]*list[model.Object]{}, newList(CompareEndpoints)}
}

// clone is lists that change by themselves from now on.
func (l lists) clone() lists {
	out := lists{make(map[string]*list[model.Object], len(l.objects)), l.endpoints.clone()}
	for kind, objects := range l.objects {
		out.objects[kind] = objects.clone()
	}
	return out
}

// of is the objects of a kind.
func (l lists) of(kind string) *list[model.Object] {
	if l.objects[kind] == nil {
		l.objects[kind] = newList(compareObjects)
	}
	return l.objects[kind]
}

// clear forgets the objects of a kind.
func (l *lists) clear(kind string) {
	if kind == model.KindEndpoint().Name {
		l.endpoints = newList(CompareEndpoints)
		return
	}
	l.objects[kind] = newList(compareObjects)
}

// relist is a new transfer of everything, after a broken connection. The old state stays until it is complete: the screen shows no growing
// list, and unchanged objects are not held twice.
type relist struct {
	lists
	kinds []string // that have begun
}

// begin starts a new transfer of the objects of a kind.
func (s *store) begin(kind string) {
	if kind == model.KindNetwork().Name { // they may be other networks of the same names
		s.pools = map[string]Pool{}
	}
	if !s.last.Synced {
		s.clear(kind)
		return
	}
	if s.again == nil {
		s.again = &relist{lists: newLists()}
	}
	s.again.clear(kind)
	s.again.kinds = append(s.again.kinds, kind)
}

// coming are the lists that receive full events: the shown ones, until everything has been received once.
func (s *store) coming() lists {
	if s.again != nil {
		return s.again.lists
	}
	return s.lists
}

// finish shows the transferred objects instead of the old ones.
func (s *store) finish() {
	s.last.Synced = true
	if s.again == nil {
		return
	}
	for _, kind := range s.again.kinds {
		if kind == model.KindEndpoint().Name {
			s.endpoints = s.again.endpoints
		} else {
			s.objects[kind] = s.again.of(kind)
		}
	}
	s.again = nil
}

// known is the value that is kept for one, which is the one that is there already when they are alike.
func known[V any](l *list[V], key string, v V) V {
	if was := l.Get(key); reflect.DeepEqual(was, v) {
		return was
	}
	return v
}

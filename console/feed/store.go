// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// store is the latest state. Its methods do not block beyond its lock.
type store struct {
	mu  sync.Mutex
	now func() time.Time
	lists
	again    *relist // nil: no transfer is in progress
	pools    map[string]Pool
	touched  queue // networks in which something happened since their last request
	answers  map[Question]Answer
	interned interned

	seen struct{ change, finding uint64 } // the newest that is in last.Events

	meter    meter
	last     Snapshot
	changed  chan struct{} // holds one token while there is something new
	recorder func(Input)   // records its inputs; nil: none does
}

func newStore(base string, now func() time.Time) *store {
	return &store{now: now, lists: newLists(), pools: map[string]Pool{}, answers: map[Question]Answer{}, last: Snapshot{Base: base}, changed: make(chan struct{}, 1)}
}

// clone is a store that shows what s shows, and changes by itself from now on.
func (s *store) clone() *store {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := newStore("", s.now)
	out.seen = s.seen
	out.last, out.meter, out.lists, out.pools, out.answers = s.last, s.meter, s.lists.clone(), maps.Clone(s.pools), maps.Clone(s.answers)
	if s.again != nil {
		out.again = &relist{s.again.clone(), slices.Clone(s.again.kinds)}
	}
	return out
}

// change runs f under the lock and wakes the publisher.
func (s *store) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// event applies one event of the watch stream. It skips an object that cannot be decoded and returns the error.
func (s *store) event(e model.Event) {
	s.change(func() {
		s.record(Input{Event: &e})
		s.last.Received, s.last.Watching, s.last.Err = s.now(), true, ""
		if e.Revision > s.last.Revision && e.Kind == "" { // an address was held, or put under quarantine
			s.touchAll()
		}
		s.last.Revision = max(s.last.Revision, e.Revision)
		var err error
		switch e.Type {
		case model.EventFull:
			s.begin(e.Kind)
			fallthrough
		case model.EventMore:
			for _, raw := range e.Items {
				err = cmp.Or(err, s.put(s.coming(), e.Kind, "", raw))
			}
		case model.EventPut:
			err = s.put(s.lists, e.Kind, e.Key, e.Object)
			s.count(e.Kind)
		case model.EventDelete:
			s.count(e.Kind)
			s.drop(e.Kind, e.Key)
		case model.EventSync:
			s.finish()
		}
		if err != nil {
			s.last.Err = "decode a " + e.Kind + ": " + err.Error()
		}
	})
}

// put adds an object of a kind to lists. key is an endpoint's, if known.
func (s *store) put(to lists, kind, key string, raw json.RawMessage) error {
	if kind == model.KindEndpoint().Name {
		e, err := decodeEndpoint(raw, key, &s.interned)
		if err != nil {
			return err
		}
		to.endpoints.Set(e.Key, known(s.endpoints, e.Key, e))
		s.touchedBy(e)
		return nil
	}
	k, ok := model.KindOf(kind)
	if !ok || k.New == nil { // of a newer netmaster
		return nil
	}
	o := k.New()
	if err := json.Unmarshal(raw, o); err != nil {
		return err
	}
	to.of(kind).Set(o.ObjectKey(), known(s.of(kind), o.ObjectKey(), o))
	s.touch(o)
	return nil
}

func (s *store) drop(kind, key string) {
	if kind == model.KindEndpoint().Name {
		if e, had := s.endpoints.Delete(key); had {
			s.touchedBy(e)
		}
		return
	}
	if o, had := s.of(kind).Delete(key); had {
		s.touch(o)
	}
	if kind == model.KindNetwork().Name {
		delete(s.pools, key)
	}
}

// count counts the endpoints that come and go.
func (s *store) count(kind string) {
	if kind == model.KindEndpoint().Name {
		s.meter.churn++
	}
}

// called returns the name of an existing object, if that is not in its key: an endpoint.
func (s *store) called(kind, key string) string {
	if kind != model.KindEndpoint().Name {
		return ""
	}
	if e := s.endpoints.Get(key); e != nil && e.Called() != e.EndpointID {
		return e.Called()
	}
	return ""
}

// happened remembers events of now.
func (s *store) happened(events ...Event) {
	for _, e := range events {
		e.At = s.now()
		// Snapshots may hold earlier parts of the same array: what is in it is never written again.
		all := append(s.last.Events, e)
		s.last.Events = all[max(0, len(all)-EventLimit):]
	}
}

// failed records why an answer did not come.
func (s *store) failed(err error, stream bool) {
	s.change(func() {
		s.record(Input{Failure: &Failure{err.Error(), stream}})
		s.last.Err = err.Error()
		if stream {
			s.last.Watching = false
		}
	})
}

// nodes takes the answer of the nodes route.
func (s *store) nodes(nodes []model.Node) {
	s.change(func() {
		s.record(Input{Nodes: &NodesInput{nodes}})
		if s.last.Nodes != nil {
			s.happened(nodeEvents(s.last.Nodes, nodes)...)
		}
		s.last.Nodes, s.last.Received = nodes, s.now()
		s.meter.sample(s.last.Received, nodes)
		if s.last.Watching {
			s.last.Err = ""
		}
	})
}

func (s *store) pool(key string, p Pool) {
	s.change(func() {
		s.record(Input{Pool: &PoolInput{key, p}})
		if s.of(model.KindNetwork().Name).Has(key) {
			p.Free = CountRanges(p.Available)
			s.pools[key] = p
		}
	})
}

// snapshot is the state now. Lists that did not change are shared with earlier snapshots.
func (s *store) snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.last
	out.Objects = map[string][]model.Object{}
	for kind, objects := range s.objects {
		out.Objects[kind] = objects.sorted()
	}
	out.Endpoints, out.Pools, out.Answers, out.Rates = s.endpoints.sorted(), maps.Clone(s.pools), maps.Clone(s.answers), s.meter.rates
	return &out
}

package ofnet

import (
	"cmp"
	"iter"
	"slices"
)

// receiver is an endpoint of this host among those of its segment, which are ordered by port.
type receiver struct {
	port     uint32
	id       string
	endpoint *Endpoint
}

// receivers are the endpoints of this host, by segment.
type receivers map[string][]receiver

// find tells where an endpoint is in its segment's list, or would be.
func (r receivers) find(segment string, port uint32, id string) (at int, there bool) {
	return slices.BinarySearchFunc(r[segment], receiver{port: port, id: id}, func(a, b receiver) int {
		return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.id, b.id))
	})
}

func (r receivers) put(segment string, port uint32, id string, e *Endpoint) {
	at, there := r.find(segment, port, id)
	if there {
		r[segment][at].endpoint = e
		return
	}
	r[segment] = slices.Insert(r[segment], at, receiver{port, id, e})
}

func (r receivers) drop(segment string, port uint32, id string) {
	at, there := r.find(segment, port, id)
	if !there {
		return
	}
	if r[segment] = slices.Delete(r[segment], at, at+1); len(r[segment]) == 0 {
		delete(r, segment)
	}
}

// Receivers yields the endpoints of a segment that are on this host, and one of each other host that has any. After Reindex they
// are those of the last Touch, those on this host come in the order of their ports, and it takes time in proportion to
// their number.
func (s *State) Receivers(segment string) iter.Seq[*Endpoint] {
	return func(yield func(*Endpoint) bool) {
		if s.index == nil {
			hosts := map[string]bool{}
			for e := range s.Members(segment) {
				if e.Host != s.Self && hosts[e.Host] {
					continue
				}
				hosts[e.Host] = true
				if !yield(e) {
					return
				}
			}
			return
		}
		for _, r := range s.index.here[segment] {
			if !yield(r.endpoint) {
				return
			}
		}
		for host, there := range s.index.segments[segment] {
			if host == s.Self {
				continue
			}
			for _, e := range there {
				if !yield(e) {
					return
				}
				break
			}
		}
	}
}

package ofnet

import (
	"cmp"
	"iter"
	"slices"
)

// receiver is what the list of a segment has of an endpoint on this host: all that is asked of hundreds at a time.
type receiver struct {
	port      uint32
	id, group string
}

// receivers are the endpoints of this host by segment, in the order of their ports.
type receivers map[string][]receiver

// find tells where an endpoint is in its segment's list, or would be.
func (r receivers) find(segment string, port uint32, id string) (at int, there bool) {
	return slices.BinarySearchFunc(r[segment], receiver{port: port, id: id}, func(a, b receiver) int {
		return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.id, b.id))
	})
}

func (r receivers) put(segment string, e receiver) {
	at, there := r.find(segment, e.port, e.id)
	if there {
		r[segment][at] = e
		return
	}
	r[segment] = slices.Insert(r[segment], at, e)
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

// Receivers yields port and group of each endpoint of a segment that is on this host. After Reindex they are those of the last Touch, in
// the order of their ports, and it takes time in proportion to their number.
func (s *State) Receivers(segment string) iter.Seq2[uint32, string] {
	return func(yield func(port uint32, group string) bool) {
		if s.index == nil {
			for e := range s.Members(segment) {
				if e.Host == s.Self && !yield(e.Port, e.Group) {
					return
				}
			}
			return
		}
		for _, r := range s.index.here[segment] {
			if !yield(r.port, r.group) {
				return
			}
		}
	}
}

// ReceiverCount is about how many Receivers yields; 0 before Reindex. It takes constant time.
func (s *State) ReceiverCount(segment string) int {
	if s.index == nil {
		return 0
	}
	return len(s.index.here[segment])
}

// Elsewhere yields the label of each other host that has endpoints of a segment, in no order. After Reindex they are those of the
// last Touch, and it takes time in proportion to the hosts' number.
func (s *State) Elsewhere(segment string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if s.index == nil {
			hosts := map[string]bool{s.Self: true}
			for e := range s.Members(segment) {
				if hosts[e.Host] {
					continue
				}
				if hosts[e.Host] = true; !yield(e.Host) {
					return
				}
			}
			return
		}
		for host := range s.index.segments[segment] {
			if host != s.Self && !yield(host) {
				return
			}
		}
	}
}

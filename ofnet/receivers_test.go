package ofnet

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever comes, goes and changes, the lists have the receivers that a look at all endpoints finds, those here by their ports.
func TestReceiversFollow(t *testing.T) {
	s := NewState("h1")
	s.Reindex()
	random := rand.New(rand.NewPCG(1, 2))
	here := func(s *State, segment string) (out []receiver) {
		for port, group := range s.Receivers(segment) {
			out = append(out, receiver{port: port, group: group})
		}
		return out
	}
	hosts := func(s *State, segment string) []string {
		return slices.Sorted(s.Elsewhere(segment))
	}
	byPort := func(a, b receiver) int { return cmp.Compare(a.port, b.port) }
	all := func(a, b receiver) int { return cmp.Or(byPort(a, b), cmp.Compare(a.group, b.group)) }
	for step := range 3000 {
		id := fmt.Sprint(random.IntN(40))
		switch e := s.Endpoints[id]; {
		case e != nil && step%5 == 0:
			delete(s.Endpoints, id)
		case e != nil && step%5 == 1:
			e.Port = uint32(random.IntN(20)) // in place
		default:
			s.Endpoints[id] = &Endpoint{ID: id, Segment: fmt.Sprint("n", random.IntN(2)), Host: fmt.Sprint("h", 1+random.IntN(3)),
				Port: uint32(random.IntN(20)), Group: fmt.Sprint("g", random.IntN(3))}
		}
		s.Touch(Key{KindEndpoint, id})
		plain := *s
		plain.index = nil
		for _, segment := range []string{"n0", "n1"} {
			got, want := here(s, segment), here(&plain, segment)
			if !slices.IsSortedFunc(got, byPort) {
				t.Fatalf("step %d: %s is not in the order of ports: %v", step, segment, got)
			}
			if n := s.ReceiverCount(segment); n != len(got) {
				t.Fatalf("step %d: %s counts %d receivers, want %d", step, segment, n, len(got))
			}
			slices.SortFunc(got, all)
			if slices.SortFunc(want, all); !slices.Equal(got, want) {
				t.Fatalf("step %d: %s has %v here, want %v", step, segment, got, want)
			}
			if got, want := hosts(s, segment), hosts(&plain, segment); !slices.Equal(got, want) {
				t.Fatalf("step %d: %s is on hosts %v, want %v", step, segment, got, want)
			}
		}
	}
	for id := range s.Endpoints {
		delete(s.Endpoints, id)
		s.Touch(Key{KindEndpoint, id})
	}
	if len(s.index.here) != 0 {
		t.Errorf("nothing is left, but the lists have %v", s.index.here)
	}
}

package ofnet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever comes, goes and changes, the lists have the receivers that a look at all endpoints finds, those here by their ports.
func TestReceiversFollow(t *testing.T) {
	s := NewState("h1")
	s.Reindex()
	random := rand.New(rand.NewPCG(1, 2))
	here := func(s *State, segment string) map[*Endpoint]bool {
		out := map[*Endpoint]bool{}
		for e := range s.Receivers(segment) {
			if e.Host == s.Self {
				out[e] = true
			}
		}
		return out
	}
	hosts := func(s *State, segment string) []string {
		var out []string
		for e := range s.Receivers(segment) {
			if e.Host != s.Self {
				out = append(out, e.Host)
			}
		}
		slices.Sort(out)
		return out
	}
	for step := range 3000 {
		id := fmt.Sprint(random.IntN(40))
		switch e := s.Endpoints[id]; {
		case e != nil && step%5 == 0:
			delete(s.Endpoints, id)
		case e != nil && step%5 == 1:
			e.Port = uint32(random.IntN(20)) // in place
		default:
			s.Endpoints[id] = &Endpoint{ID: id, Segment: fmt.Sprint("n", random.IntN(2)), Host: fmt.Sprint("h", 1+random.IntN(3)), Port: uint32(random.IntN(20))}
		}
		s.Touch(Key{KindEndpoint, id})
		plain := *s
		plain.index = nil
		for _, segment := range []string{"n0", "n1"} {
			if got, want := here(s, segment), here(&plain, segment); !maps.Equal(got, want) {
				t.Fatalf("step %d: %s has %d receivers here, want %d", step, segment, len(got), len(want))
			}
			if got, want := hosts(s, segment), hosts(&plain, segment); !slices.Equal(got, want) {
				t.Fatalf("step %d: %s is on hosts %v, want %v", step, segment, got, want)
			}
			last := uint32(0)
			for e := range s.Receivers(segment) {
				if e.Host != s.Self {
					break
				}
				if e.Port < last {
					t.Fatalf("step %d: port %d comes after %d", step, e.Port, last)
				}
				last = e.Port
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

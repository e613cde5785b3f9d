// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
)

// names lists endpoints by name.
func names(list iter.Seq[*Endpoint]) (out []string) {
	for e := range list {
		out = append(out, e.ID)
	}
	slices.Sort(out)
	return out
}

// The indexes always match a scan of all endpoints, and a clone keeps what it had.
func TestEndpointsAreFound(t *testing.T) {
	s := NewState("h1")
	s.Segments.Set("n0", &Segment{Name: "n0", Tenant: "t"})
	s.Segments.Set("n1", &Segment{Name: "n1", Tenant: "u"})
	random := rand.New(rand.NewPCG(1, 2))
	addr := func() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(random.IntN(8))}) }
	for step := range 3000 {
		id := fmt.Sprint(random.IntN(40))
		before, had := s.Clone(), names(s.Endpoints.Values())
		if s.Endpoints.Get(id) != nil && step%5 == 0 {
			s.Endpoints.Delete(id)
		} else {
			s.Endpoints.Set(id, &Endpoint{ID: id, Segment: fmt.Sprint("n", random.IntN(2)), Host: fmt.Sprint("h", 1+random.IntN(3)),
				Group: []string{"", "g0", "g1"}[random.IntN(3)], IP4: addr(), IP6: addr(), Port: uint32(random.IntN(20))})
		}
		if got := names(before.Endpoints.Values()); !slices.Equal(got, had) {
			t.Fatalf("step %d: the clone of before has %v, want %v", step, got, had)
		}
		check := func(what string, got iter.Seq[*Endpoint], has func(*Endpoint) bool) {
			t.Helper()
			var want []string
			for e := range s.Endpoints.Values() {
				if has(e) {
					want = append(want, e.ID)
				}
			}
			slices.Sort(want)
			if got := names(got); !slices.Equal(got, want) {
				t.Fatalf("step %d: %s: want %v, got %v", step, what, want, got)
			}
		}
		for _, n := range []string{"n0", "n1", "n2"} {
			check("members of "+n, s.Members(n), func(e *Endpoint) bool { return e.Segment == n })
			for _, h := range []string{"h1", "h2", "h3"} {
				here := 0
				for e := range s.Members(n) {
					if e.Host == h {
						here++
					}
				}
				if got := s.Present(Place{n, h}); got != here {
					t.Fatalf("step %d: %s on %s: want %d, got %d", step, n, h, here, got)
				}
			}
			var got, want []Receiver
			for e := range s.Members(n) {
				if e.Host == s.Self && e.Port != 0 {
					want = append(want, Receiver{e.Place(), e.Port, e.Group, e.Class, e.Isolated, e.ID})
				}
			}
			slices.SortFunc(want, Receiver.compare)
			if got = slices.Collect(s.Receivers(n)); !slices.Equal(got, want) {
				t.Fatalf("step %d: receivers of %s: want %v, got %v", step, n, want, got)
			}
		}
		check("on h2", s.On("h2"), func(e *Endpoint) bool { return e.Host == "h2" })
		for _, g := range []string{"g0", "g1"} {
			check("members of "+g, s.MembersOf(g), func(e *Endpoint) bool { return e.Group == g })
			here := 0
			for e := range s.MembersOf(g) {
				if e.Host == s.Self {
					here++
				}
			}
			if got := s.Here(g); got != here {
				t.Fatalf("step %d: of %s here: want %d, got %d", step, g, here, got)
			}
		}
		a := addr()
		var at *Endpoint
		for e := range s.Endpoints.Values() {
			if e.Segment == "n0" && (e.IP4 == a || e.IP6 == a) && (at == nil || e.ID < at.ID) {
				at = e
			}
		}
		if got := s.At("t", a); got != at {
			t.Fatalf("step %d: at %s: want %+v, got %+v", step, a, at, got)
		}
	}
}

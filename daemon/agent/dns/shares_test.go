package dns

import "testing"

// However much some ask for, another tenant, and another endpoint of theirs, finds a place; who is alone has a good part of all.
func TestShares(t *testing.T) {
	s := newShares(256)
	var held []func()
	hold := func(a Requester) (n int) {
		for {
			release, ok := s.acquire(a)
			if !ok {
				return n
			}
			held = append(held, release)
			n++
		}
	}
	if n := hold(Requester{1, 1}); n < 64 {
		t.Errorf("alone: want a good part of 256, got %d", n)
	}
	for port := range uint32(20) { // a tenant that floods by many endpoints
		hold(Requester{port, 1})
	}
	for tenant := range uint16(20) { // and others that do so too
		hold(Requester{100 + uint32(tenant), 10 + tenant})
	}
	if n := hold(Requester{500, 500}); n == 0 {
		t.Error("one that has asked for nothing beside 21 tenants that flood: want a place, got none")
	}
	for _, release := range held {
		release()
	}
	if s.taken != 0 || len(s.tenants)+len(s.endpoints) != 0 {
		t.Errorf("when all is given back: want nothing kept, got %d, %v, %v", s.taken, s.tenants, s.endpoints)
	}
	// Those of one tenant, when one of them takes what it can.
	hold(Requester{1, 1})
	if n := hold(Requester{2, 1}); n == 0 {
		t.Error("the second endpoint of a tenant: want a place, got none")
	}
}

// SPDX-License-Identifier: Apache-2.0

package dns

import "testing"

// However many connections some clients request, another tenant, and another endpoint of the same tenant, still gets one. A single client
// gets a large part of all.
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
		t.Errorf("a single client: want a large part of 256, got %d", n)
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
	// Two endpoints of one tenant, of which one requests as many as it can.
	hold(Requester{1, 1})
	if n := hold(Requester{2, 1}); n == 0 {
		t.Error("the second endpoint of a tenant: want a place, got none")
	}
}

// SPDX-License-Identifier: Apache-2.0

package dns

import "sync"

// Requester is an endpoint that sends queries: its OpenFlow port, and the number of its tenant.
type Requester struct {
	Port   uint32
	Tenant uint16
}

// leastShare is the number of slots that every tenant may have, whatever others use.
const leastShare = 4

// shares divides a number of slots among tenants, and those of a tenant among its endpoints. Beyond leastShare a tenant may use at most as
// many slots as are free, and an endpoint at most as many as its tenant could still use: so a single user may have many, and leaves as many
// to the next one. Its methods are safe for concurrent use.
type shares struct {
	max int

	mu        sync.Mutex
	taken     int
	tenants   map[uint16]int
	endpoints map[Requester]int
}

func newShares(most int) *shares {
	return &shares{max: most, tenants: map[uint16]int{}, endpoints: map[Requester]int{}}
}

// acquire takes a slot, until release; ok is false if the requester has its share already. It does not block.
func (s *shares) acquire(a Requester) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := s.max - s.taken - s.tenants[a.Tenant] // slots that the tenant could still use
	if s.tenants[a.Tenant] >= leastShare && s.endpoints[a] >= room {
		return nil, false
	}
	s.taken++
	s.tenants[a.Tenant]++
	s.endpoints[a]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken--
		if s.tenants[a.Tenant]--; s.tenants[a.Tenant] == 0 {
			delete(s.tenants, a.Tenant)
		}
		if s.endpoints[a]--; s.endpoints[a] == 0 {
			delete(s.endpoints, a)
		}
	}, true
}

package dns

import "sync"

// Asker is an endpoint that asks: its OpenFlow port, and the number of its tenant.
type Asker struct {
	Port   uint32
	Tenant uint16
}

// leastShare is how many places every tenant may have, whatever others have taken.
const leastShare = 4

// shares divides a number of places among tenants, and those of a tenant among its endpoints. Beyond leastShare a tenant has at
// most as many as are free, and an endpoint at most as many as its tenant could still have: so who is alone may have many, and
// leaves as many to who comes. Its methods are safe for concurrent use.
type shares struct {
	most int

	mu        sync.Mutex
	taken     int
	tenants   map[uint16]int
	endpoints map[Asker]int
}

func newShares(most int) *shares {
	return &shares{most: most, tenants: map[uint16]int{}, endpoints: map[Asker]int{}}
}

// take gives a place, until release; ok is false when the asker has its share already. It does not block.
func (s *shares) take(a Asker) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := s.most - s.taken - s.tenants[a.Tenant] // what the tenant could still have
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

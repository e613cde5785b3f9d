package ofnet

import (
	"iter"
	"net/netip"
)

// Listing is what the lists have for an endpoint.
type Listing struct {
	Segment, Group, Host string
	Here                 bool // on this host
}

// Listed is what the lists have for an endpoint: until Touch, what was true before the change.
func (s *State) Listed(endpoint string) (was Listing, ok bool) {
	if s.index == nil {
		return Listing{}, false
	}
	p, ok := s.index.endpoints[endpoint]
	return Listing{p.segment, p.group, p.host, p.here}, ok
}

// Present counts the endpoints of a segment that the lists have on a host: until Touch, those before the change. It takes constant
// time; before Reindex there are none.
func (s *State) Present(segment, host string) int {
	if s.index == nil {
		return 0
	}
	return len(s.index.segments[segment][host])
}

// ListedAddresses are the addresses that the lists have for an endpoint, and whose they are: until Touch, those before the
// change. A Tenant without ID: not known.
func (s *State) ListedAddresses(endpoint string) (tenant Tenant, addrs []netip.Addr) {
	if s.index == nil {
		return Tenant{}, nil
	}
	p := s.index.endpoints[endpoint]
	for _, a := range []netip.Addr{p.ip4, p.ip6} {
		if a.IsValid() {
			addrs = append(addrs, a)
		}
	}
	if n := s.Segments[p.segment]; n != nil && s.Tenants[n.Tenant] != nil {
		return *s.Tenants[n.Tenant], addrs // it may have come after the endpoint
	}
	return p.tenant, addrs
}

// Members yields the endpoints of a segment, in no order. After Reindex they are those of the last Touch, and it takes time
// in proportion to their number; before, to that of all endpoints.
func (s *State) Members(segment string) iter.Seq[*Endpoint] {
	return func(yield func(*Endpoint) bool) {
		if s.index == nil {
			for _, e := range s.Endpoints {
				if e.Segment == segment && !yield(e) {
					return
				}
			}
			return
		}
		for _, here := range s.index.segments[segment] {
			for _, e := range here {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// MembersOf yields the endpoints of a group, in no order, in the time that Members takes.
func (s *State) MembersOf(group string) iter.Seq[*Endpoint] {
	return func(yield func(*Endpoint) bool) {
		if s.index == nil {
			for _, e := range s.Endpoints {
				if e.Group == group && !yield(e) {
					return
				}
			}
			return
		}
		g := s.index.groups[group]
		if g == nil {
			return
		}
		for id := range g.members {
			if e := s.Endpoints[id]; e != nil && e.Group == group && !yield(e) {
				return
			}
		}
	}
}

// Here counts the members of a group on this host, in constant time after Reindex.
func (s *State) Here(group string) int {
	if s.index != nil {
		if g := s.index.groups[group]; g != nil {
			return g.here
		}
		return 0
	}
	n := 0
	for e := range s.MembersOf(group) {
		if e.Host == s.Self {
			n++
		}
	}
	return n
}

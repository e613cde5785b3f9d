// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"cmp"
	"iter"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/table"
)

// Place is the location of a segment on a host, and groupHost that of a group.
type (
	Place     struct{ Segment, Host string }
	groupHost struct{ group, host string }
)

// The indexes of endpoints.
var (
	endpointsOfSegment = table.By[string](func(e *Endpoint) string { return e.Segment })
	endpointsOfGroup   = table.By[string](func(e *Endpoint) string { return e.Group })
	endpointsOfHost    = table.By[string](func(e *Endpoint) string { return e.Host })
	places             = table.Sum[string](func(e *Endpoint) (Place, uint64) { return e.Place(), 1 })
	endpointsAt        = table.ByEach[string](func(e *Endpoint, to []netip.Addr) []netip.Addr { return append(to, e.IP4, e.IP6) })
	receivers          = table.Extracted[string](func(e *Endpoint) (Receiver, bool) {
		return Receiver{e.Place(), e.Port, e.Group, e.Class, e.Isolated, e.ID}, e.Port != 0
	}, Receiver.compare)
	groupsHere = table.Sum[string](func(e *Endpoint) (groupHost, uint64) { return groupHost{e.Group, e.Host}, 1 })
)

// Receiver has the fields of an endpoint that a segment's hundreds of receivers need: those that have a port.
type Receiver struct {
	place    Place
	Port     uint32
	Group    string
	Class    uint32
	Isolated Direction
	id       string
}

// compare orders receivers by places and ports.
func (r Receiver) compare(o Receiver) int {
	return cmp.Or(strings.Compare(r.place.Segment, o.place.Segment), strings.Compare(r.place.Host, o.place.Host), cmp.Compare(r.Port, o.Port),
		strings.Compare(r.id, o.id))
}

// Place returns the location of the endpoint.
func (e *Endpoint) Place() Place { return Place{e.Segment, e.Host} }

// Key is the endpoint's key.
func (e *Endpoint) Key() Key { return Key{KindEndpoint, e.ID} }

// Members yields the endpoints of a segment, in no order.
func (s *State) Members(segment string) iter.Seq[*Endpoint] {
	return endpointsOfSegment.In(s.Endpoints, segment).Values()
}

// MembersOf yields the endpoints of a group, in no order.
func (s *State) MembersOf(group string) iter.Seq[*Endpoint] {
	return endpointsOfGroup.In(s.Endpoints, group).Values()
}

// On yields the endpoints of a host, in no order.
func (s *State) On(host string) iter.Seq[*Endpoint] {
	return endpointsOfHost.In(s.Endpoints, host).Values()
}

// Receivers yields the local endpoints of a segment that have a port, in the order of ports. It takes time in proportion to their number.
func (s *State) Receivers(segment string) iter.Seq[Receiver] {
	here := Place{segment, s.Self}
	return func(yield func(Receiver) bool) {
		for r := range receivers.From(s.Endpoints, Receiver{place: here}) {
			if r.place != here || !yield(r) {
				return
			}
		}
	}
}

// Present counts the endpoints of a segment that are on one host, in constant time.
func (s *State) Present(p Place) int {
	n, _ := places.In(s.Endpoints, p)
	return n
}

// Here counts the members of a group on this host, in constant time.
func (s *State) Here(group string) int {
	n, _ := groupsHere.In(s.Endpoints, groupHost{group, s.Self})
	return n
}

// At returns the endpoint of a tenant that has an address, or nil. It takes time proportional to the number of tenants that use the
// address.
func (s *State) At(tenant string, a netip.Addr) (found *Endpoint) {
	for e := range endpointsAt.In(s.Endpoints, a).Values() {
		if found != nil && found.ID < e.ID {
			continue
		}
		if n := s.Segments.Get(e.Segment); n != nil && n.Tenant == tenant {
			found = e
		}
	}
	return found
}

package ofnet

import (
	"maps"
	"net/netip"
	"slices"
)

// index finds what belongs to a segment, group or tenant without looking at everything.
type index struct {
	endpoints map[string]place                           // by id, as listed
	segments  map[string]map[string]map[string]*Endpoint // as they were at the last Touch, by host and id
	here      receivers
	groups    map[string]*groupIndex
	rules     map[string]listedRule // by id
	tenants   map[string]*ruling
	tiers     map[Key]Tier // of all rules
	services  serviceIndex
}

// place is where an endpoint is listed.
type place struct {
	segment, group string
	host           string
	here           bool   // on this host
	port           uint32 // if so
	ip4, ip6       netip.Addr
	tenant         Tenant // the zero one while its segment or tenant is not known
}

// groupIndex is what belongs to a group.
type groupIndex struct {
	members map[string]struct{} // endpoint ids
	here    int                 // of these on this host
	tiers   map[Tier]map[string]*Rule
	in      int // rules that judge what members receive
}

// Reindex lists all endpoints, rules and services by what they belong to, for the methods that say so. From then on whoever
// changes Endpoints, Rules or Services calls Touch with the keys of those that came, went or changed.
func (s *State) Reindex() {
	s.index = &index{endpoints: make(map[string]place, len(s.Endpoints)), segments: map[string]map[string]map[string]*Endpoint{}, here: receivers{},
		groups: map[string]*groupIndex{}, rules: make(map[string]listedRule, len(s.Rules)), tenants: map[string]*ruling{}, tiers: map[Key]Tier{},
		services: newServiceIndex()}
	for id := range s.Endpoints {
		s.touchEndpoint(id)
	}
	for id := range s.Rules {
		s.touchRule(id)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Services)) {
		s.touchService(name)
	}
}

// Touch brings the lists up to date with the endpoints, rules and services among keys. Before Reindex it does nothing.
func (s *State) Touch(keys ...Key) {
	if s.index == nil {
		return
	}
	for _, k := range keys {
		switch k.Kind {
		case KindEndpoint:
			s.touchEndpoint(k.Name)
		case KindRule:
			s.touchRule(k.Name)
		case KindService:
			s.touchService(k.Name)
		}
	}
}

func (x *index) group(name string) *groupIndex {
	g := x.groups[name]
	if g == nil {
		g = &groupIndex{members: map[string]struct{}{}, tiers: map[Tier]map[string]*Rule{}}
		x.groups[name] = g
	}
	return g
}

// tidy forgets a group that has nothing.
func (x *index) tidy(name string) {
	if g := x.groups[name]; g != nil && len(g.members) == 0 && len(g.tiers) == 0 {
		delete(x.groups, name)
	}
}

func (s *State) touchEndpoint(id string) {
	x := s.index
	var now place
	e := s.Endpoints[id]
	if e != nil {
		now = place{segment: e.Segment, group: e.Group, host: e.Host, here: e.Host == s.Self, ip4: e.IP4, ip6: e.IP6}
		if n := s.Segments[e.Segment]; n != nil && s.Tenants[n.Tenant] != nil {
			now.tenant = *s.Tenants[n.Tenant]
		}
		if now.here {
			now.port = e.Port
		}
	}
	was, listed := x.endpoints[id]
	if listed && e != nil && was == now {
		x.segments[now.segment][now.host][id] = e
		return
	}
	if listed {
		strike(x.segments[was.segment], was.host, id)
		if len(x.segments[was.segment]) == 0 {
			delete(x.segments, was.segment)
		}
		g := x.group(was.group)
		delete(g.members, id)
		if was.here {
			g.here--
			x.here.drop(was.segment, was.port, id)
		}
		for _, a := range []netip.Addr{was.ip4, was.ip6} {
			strike(x.services.at, a, id)
		}
		delete(x.endpoints, id)
		x.tidy(was.group)
	}
	if e != nil {
		x.endpoints[id] = now
		if x.segments[now.segment] == nil {
			x.segments[now.segment] = map[string]map[string]*Endpoint{}
		}
		enlist(x.segments[now.segment], now.host, id, e)
		g := x.group(now.group)
		g.members[id] = struct{}{}
		if now.here {
			g.here++
			x.here.put(now.segment, receiver{now.port, id, now.group})
		}
		for _, a := range []netip.Addr{now.ip4, now.ip6} {
			if a.IsValid() {
				enlist(x.services.at, a, id, struct{}{})
			}
		}
	}
}

// indexed is s with lists: s itself after Reindex, a copy that has them before.
func (s *State) indexed() *State {
	if s.index != nil {
		return s
	}
	c := *s
	c.Reindex()
	return &c
}

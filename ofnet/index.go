package ofnet

import (
	"iter"
	"maps"
	"net/netip"
	"slices"
)

// index finds what belongs to a segment, group or tenant without looking at everything.
type index struct {
	endpoints map[string]place                          // by id, as listed
	segments  map[string]map[string]map[string]struct{} // endpoint ids, by host
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
	here           bool // on this host
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

// listedRule is a rule as it is listed, with the hash that its tenant's sum has.
type listedRule struct {
	*Rule
	hash uint64
}

// ruling is what the rules of a tenant amount to.
type ruling struct {
	rules int
	sum   uint64 // of the rules' hashes
}

// Reindex lists all endpoints, rules and services by what they belong to, for the methods that say so. From then on whoever
// changes Endpoints, Rules or Services calls Touch with the keys of those that came, went or changed.
func (s *State) Reindex() {
	s.index = &index{endpoints: make(map[string]place, len(s.Endpoints)), segments: map[string]map[string]map[string]struct{}{},
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
	}
	was, listed := x.endpoints[id]
	if listed && e != nil && was == now {
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
			x.segments[now.segment] = map[string]map[string]struct{}{}
		}
		enlist(x.segments[now.segment], now.host, id)
		g := x.group(now.group)
		g.members[id] = struct{}{}
		if now.here {
			g.here++
		}
		for _, a := range []netip.Addr{now.ip4, now.ip6} {
			if a.IsValid() {
				enlist(x.services.at, a, id)
			}
		}
	}
}

func (s *State) touchRule(id string) {
	x := s.index
	if was, listed := x.rules[id]; listed {
		if was.Rule == s.Rules[id] {
			return
		}
		g, tier := x.group(was.Group), was.Tier()
		if delete(g.tiers[tier], id); len(g.tiers[tier]) == 0 {
			delete(g.tiers, tier)
			delete(x.tiers, tier.Key())
		}
		if was.Direction == In {
			g.in--
		}
		t := x.tenants[was.Tenant]
		t.rules--
		if t.sum -= was.hash; t.rules == 0 {
			delete(x.tenants, was.Tenant)
		}
		delete(x.rules, id)
		x.tidy(was.Group)
	}
	if r := s.Rules[id]; r != nil {
		now := listedRule{r, r.hash()}
		x.rules[id] = now
		g, tier := x.group(r.Group), r.Tier()
		if g.tiers[tier] == nil {
			g.tiers[tier] = map[string]*Rule{}
			x.tiers[tier.Key()] = tier
		}
		g.tiers[tier][id] = r
		if r.Direction == In {
			g.in++
		}
		t := x.tenants[r.Tenant]
		if t == nil {
			t = &ruling{}
			x.tenants[r.Tenant] = t
		}
		t.rules++
		t.sum += now.hash
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

// Listed is the segment and group that the lists have for an endpoint, and whether it is on this host: until Touch,
// those before the change.
func (s *State) Listed(endpoint string) (segment, group string, here, ok bool) {
	if s.index == nil {
		return "", "", false, false
	}
	p, ok := s.index.endpoints[endpoint]
	return p.segment, p.group, p.here, ok
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

// ListedRule is the rule that the lists have by an id: until Touch, that before the change; nil when they have none.
func (s *State) ListedRule(id string) *Rule {
	if s.index == nil {
		return nil
	}
	return s.index.rules[id].Rule
}

// Members yields the endpoints of a segment, in no order. It takes time in proportion to their number after
// Reindex, and to that of all endpoints before.
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
		for _, ids := range s.index.segments[segment] {
			for id := range ids {
				if e := s.Endpoints[id]; e != nil && e.Segment == segment && !yield(e) {
					return
				}
			}
		}
	}
}

// Receivers yields the endpoints of a segment that are on this host, and one of each other host that has any, in no order.
// After Reindex it takes time in proportion to their number.
func (s *State) Receivers(segment string) iter.Seq[*Endpoint] {
	return func(yield func(*Endpoint) bool) {
		hosts := map[string]bool{}
		if s.index == nil {
			for e := range s.Members(segment) {
				if e.Host != s.Self && hosts[e.Host] {
					continue
				}
				hosts[e.Host] = true
				if !yield(e) {
					return
				}
			}
			return
		}
		for host, ids := range s.index.segments[segment] {
			for id := range ids {
				e := s.Endpoints[id]
				if e == nil || e.Segment != segment || e.Host != host {
					continue // it has changed, and Touch is yet to come
				}
				if !yield(e) {
					return
				}
				if host != s.Self {
					break
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

// JudgesIn counts the rules that judge what members of a group receive, in constant time after Reindex.
func (s *State) JudgesIn(group string) int {
	if s.index != nil {
		if g := s.index.groups[group]; g != nil {
			return g.in
		}
		return 0
	}
	n := 0
	for _, r := range s.Rules {
		if r.Group == group && r.Direction == In {
			n++
		}
	}
	return n
}

// TiersOf lists the tiers of a group, in no order, in time proportional to their number after Reindex.
func (s *State) TiersOf(group string) []Tier {
	if g := s.indexed().index.groups[group]; g != nil {
		return slices.Collect(maps.Keys(g.tiers))
	}
	return nil
}

// RulesOf finds the tier that has a key, and its rules by id. It takes time in proportion to their number after
// Reindex.
func (s *State) RulesOf(tier Key) (t Tier, rules []*Rule) {
	x := s.indexed().index
	t, ok := x.tiers[tier]
	if !ok {
		return t, nil
	}
	list := x.groups[t.Group].tiers[t]
	rules = make([]*Rule, 0, len(list))
	for id := range list {
		if r := s.Rules[id]; r != nil && r.Tier() == t {
			rules = append(rules, r)
		}
	}
	slices.SortFunc(rules, func(a, b *Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return t, rules
}

// Tracking says whether a tenant's connections are tracked, which costs every packet a second pass of the switch:
// only those of a tenant that has rules or services are. generation is a hash of the rules, 1..1<<31-1, the same on all
// hosts and after a restart; a connection that was admitted under another generation is judged again. It takes constant
// time after Reindex.
func (s *State) Tracking(tenant string) (tracked bool, generation uint32) {
	x := s.indexed().index
	t := x.tenants[tenant]
	switch {
	case t != nil:
		return true, max(1, uint32(t.sum^t.sum>>32)&(1<<31-1))
	case len(x.services.ofTenant[tenant]) > 0:
		return true, 1
	}
	return false, 0
}

// Owners lists the keys of everything in the State, sorted: the switch, hosts, tenants, segments, groups, tiers of
// rules, services, router, next hops and routes, endpoints.
func (s *State) Owners() []Key {
	tiers := s.indexed().index.tiers
	out := make([]Key, 0, 1+len(s.Hosts)+len(s.Tenants)+len(s.Segments)+len(s.Groups)+len(tiers)+len(s.Services)+len(s.Endpoints))
	out = append(out, Key{KindSwitch, s.Self})
	if len(s.Local.Backup) > 0 {
		out = append(out, Key{KindUplink, s.Self})
	}
	out = appendKeys(out, KindHost, s.Hosts)
	out = appendKeys(out, KindTenant, s.Tenants)
	out = appendKeys(out, KindSegment, s.Segments)
	out = appendKeys(out, KindGroup, s.Groups)
	for _, t := range slices.SortedFunc(maps.Values(tiers), Tier.compare) {
		out = append(out, t.Key())
	}
	out = appendKeys(out, KindService, s.Services)
	if s.Router != nil {
		out = append(out, Key{KindRouter, s.Self})
	}
	out = appendKeys(out, KindNextHops, s.NextHops)
	out = appendKeys(out, KindRoute, s.Routes)
	return appendKeys(out, KindEndpoint, s.Endpoints)
}

func appendKeys[T any](out []Key, kind Kind, m map[string]T) []Key {
	start := len(out)
	for name := range m {
		out = append(out, Key{kind, name})
	}
	slices.SortFunc(out[start:], func(a, b Key) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out
}

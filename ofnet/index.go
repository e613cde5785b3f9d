package ofnet

import "slices"

// index finds the endpoints of a segment without looking at all endpoints.
type index struct {
	members map[string]map[string]struct{} // endpoint ids by segment
	segment map[string]string              // the segment that an endpoint is listed under
}

// Reindex lists all endpoints by segment, and keeps the list for Members. From then on whoever changes Endpoints
// calls Touch with the ids of those that came, went or moved.
func (s *State) Reindex() {
	s.index = &index{members: map[string]map[string]struct{}{}, segment: make(map[string]string, len(s.Endpoints))}
	for id := range s.Endpoints {
		s.Touch(id)
	}
}

// Touch brings the list up to date with the endpoints called ids. Before Reindex it does nothing.
func (s *State) Touch(ids ...string) {
	x := s.index
	if x == nil {
		return
	}
	for _, id := range ids {
		now, there := "", false
		if e := s.Endpoints[id]; e != nil {
			now, there = e.Segment, true
		}
		was, listed := x.segment[id]
		if listed && (!there || was != now) {
			delete(x.members[was], id)
			if len(x.members[was]) == 0 {
				delete(x.members, was)
			}
			delete(x.segment, id)
		}
		if there {
			x.segment[id] = now
			if x.members[now] == nil {
				x.members[now] = map[string]struct{}{}
			}
			x.members[now][id] = struct{}{}
		}
	}
}

// Listed is the segment that the list has for an endpoint: until Touch, that before the change.
func (s *State) Listed(endpoint string) (segment string, ok bool) {
	if s.index == nil {
		return "", false
	}
	segment, ok = s.index.segment[endpoint]
	return segment, ok
}

// Members yields the endpoints of a segment, in no order. It takes time in proportion to their number after
// Reindex, and to that of all endpoints before.
func (s *State) Members(segment string) func(yield func(*Endpoint) bool) {
	return func(yield func(*Endpoint) bool) {
		if s.index == nil {
			for _, e := range s.Endpoints {
				if e.Segment == segment && !yield(e) {
					return
				}
			}
			return
		}
		for id := range s.index.members[segment] {
			if e := s.Endpoints[id]; e != nil && e.Segment == segment && !yield(e) {
				return
			}
		}
	}
}

// Owners lists the keys of everything in the State, sorted: the switch, hosts, tenants, segments, groups, endpoints.
func (s *State) Owners() []Key {
	out := make([]Key, 0, 1+len(s.Hosts)+len(s.Tenants)+len(s.Segments)+len(s.Groups)+len(s.Endpoints))
	out = append(out, Key{KindSwitch, s.Self})
	out = appendKeys(out, KindHost, s.Hosts)
	out = appendKeys(out, KindTenant, s.Tenants)
	out = appendKeys(out, KindSegment, s.Segments)
	out = appendKeys(out, KindGroup, s.Groups)
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

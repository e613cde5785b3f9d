package ofnet

import (
	"maps"
	"slices"
)

// Owners lists the keys of everything in the State, sorted: the switch, hosts, tenants, segments, their receivers,
// groups, tiers of rules, services, router, next hops and routes, endpoints.
func (s *State) Owners() []Key {
	tiers := s.indexed().index.tiers
	out := make([]Key, 0, 1+len(s.Hosts)+len(s.Tenants)+2*len(s.Segments)+len(s.Groups)+len(tiers)+len(s.Services)+len(s.Endpoints))
	out = append(out, Key{KindSwitch, s.Self})
	if len(s.Local.Backup) > 0 {
		out = append(out, Key{KindUplink, s.Self})
	}
	out = appendKeys(out, KindHost, s.Hosts)
	out = appendKeys(out, KindTenant, s.Tenants)
	out = appendKeys(out, KindSegment, s.Segments)
	out = appendKeys(out, KindReceivers, s.Segments)
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

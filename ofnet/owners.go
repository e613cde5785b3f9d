// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/table"
)

// Owners lists the keys of everything in the State, sorted: the switch, its uplinks, probes, hosts, tenants, segments, their receivers,
// groups, tiers of rules, levels of class policies, services, router, next hops and routes, endpoints.
func (s *State) Owners() []Key {
	tiers := s.tiers()
	out := make([]Key, 0, 2+s.Hosts.Len()+s.Tenants.Len()+2*s.Segments.Len()+s.Groups.Len()+len(tiers)+s.Services.Len()+s.Endpoints.Len())
	out = append(out, Key{KindSwitch, s.Self})
	if len(s.Local.Backup) > 0 {
		out = append(out, Key{KindUplink, s.Self})
	}
	if s.Local.Tunnel != 0 || s.Local.Uplink != 0 {
		out = append(out, Key{KindProbes, s.Self})
	}
	out = appendKeys(out, KindHost, s.Hosts)
	out = appendKeys(out, KindTenant, s.Tenants)
	out = appendKeys(out, KindSegment, s.Segments)
	out = appendKeys(out, KindReceivers, s.Segments)
	out = appendKeys(out, KindGroup, s.Groups)
	for _, t := range tiers {
		out = append(out, t.Key())
	}
	for _, l := range s.levels() {
		out = append(out, l.Key())
	}
	out = appendKeys(out, KindService, s.Services)
	if s.Router != nil {
		out = append(out, Key{KindRouter, s.Self})
	}
	out = appendKeys(out, KindNextHops, s.NextHops)
	out = appendKeys(out, KindRoute, s.Routes)
	return appendKeys(out, KindEndpoint, s.Endpoints)
}

func appendKeys[V any](out []Key, kind Kind, t *table.Table[string, V]) []Key {
	start := len(out)
	for name := range t.All() {
		out = append(out, Key{kind, name})
	}
	slices.SortFunc(out[start:], func(a, b Key) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"iter"

	"github.com/contiv/contiv/ofnet"
)

// Inputs that several features share.
var (
	// readsSwitch is this host and its switch: all flows may depend on it.
	readsSwitch = []*Input{
		setting(func(a, b *ofnet.State) bool { return a.Self == b.Self && a.Missing == b.Missing && samePorts(a, b) }, everything),
		rows(hostRows, func(s *ofnet.State, h *ofnet.Host, to owners) {
			if h.Label == s.Self {
				everything(s, to)
			}
		}),
	}
	// readsMember is the input of flows of a member.
	readsMember = []*Input{
		rows(endpointRows, func(_ *ofnet.State, e *ofnet.Endpoint, to owners) { to(e.Key()) }),
		rows(segmentRows, func(s *ofnet.State, n *ofnet.Segment, to owners) { each(s.Members(n.Name), to) }),
		rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) {
			for n := range s.SegmentsOf(t.Name) {
				each(s.Members(n.Name), to)
			}
		}),
		rows(groupRows, func(s *ofnet.State, g *ofnet.Group, to owners) { each(s.MembersOf(g.Name), to) }),
		rows(hostRows, func(s *ofnet.State, h *ofnet.Host, to owners) { each(s.On(h.Label), to) }),
	}
	// readsSegment is the input of segment.
	readsSegment = []*Input{
		rows(segmentRows, func(_ *ofnet.State, n *ofnet.Segment, to owners) { to(n.Key()) }),
		rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) { each(s.SegmentsOf(t.Name), to) }),
	}
	// readsTenant is only a tenant.
	readsTenant = rows(tenantRows, func(_ *ofnet.State, t *ofnet.Tenant, to owners) { to(t.Key()) })
)

// samePorts reports whether two States have the same fixed ports, whichever member of the trunk is active.
func samePorts(a, b *ofnet.State) bool {
	x, y := a.Local, b.Local
	x.Active, x.Channel, y.Active, y.Channel = 0, nil, 0, nil
	return x.Equal(&y)
}

// everything calls to with all owners.
func everything(s *ofnet.State, to owners) {
	for _, k := range s.Owners() {
		to(k)
	}
}

// each calls to with the owners of a list.
func each[T interface{ Key() ofnet.Key }](list iter.Seq[T], to owners) {
	for x := range list {
		to(x.Key())
	}
}

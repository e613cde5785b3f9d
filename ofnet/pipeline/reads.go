package pipeline

import (
	"iter"

	"github.com/contiv/contiv/ofnet"
)

// What several features read.
var (
	// readsSwitch is what this host and its switch are: all flows may be made of it.
	readsSwitch = []*Input{
		setting(func(a, b *ofnet.State) bool { return a.Self == b.Self && a.Missing == b.Missing && samePorts(a, b) }, everything),
		rows(hostRows, func(s *ofnet.State, h *ofnet.Host, to owners) {
			if h.Label == s.Self {
				everything(s, to)
			}
		}),
	}
	// readsMember is what a member is made of.
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
	// readsSegment is what segment finds.
	readsSegment = []*Input{
		rows(segmentRows, func(_ *ofnet.State, n *ofnet.Segment, to owners) { to(n.Key()) }),
		rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) { each(s.SegmentsOf(t.Name), to) }),
	}
	// readsTenant is a tenant alone.
	readsTenant = rows(tenantRows, func(_ *ofnet.State, t *ofnet.Tenant, to owners) { to(t.Key()) })
)

// samePorts says that two States have the same fixed ports, whichever member of the trunk is active.
func samePorts(a, b *ofnet.State) bool {
	x, y := a.Local, b.Local
	x.Active, x.Channel, y.Active, y.Channel = 0, nil, 0, nil
	return x.Equal(&y)
}

// everything are all owners.
func everything(s *ofnet.State, to owners) {
	for _, k := range s.Owners() {
		to(k)
	}
}

// each are the owners in a list.
func each[T interface{ Key() ofnet.Key }](list iter.Seq[T], to owners) {
	for x := range list {
		to(x.Key())
	}
}

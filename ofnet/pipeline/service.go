// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"iter"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// service directs the connections of local clients to a backend anywhere: the tracker translates the service's address and port to the
// backend's, and back in the answers. Only the client's host does so; all others see client and backend. Rules are applied afterwards, so
// they judge the connection to the backend.
type service struct{}

func (service) Name() string { return "service" }

func (service) Tables() []flow.Table {
	return []flow.Table{
		{ID: tUnhairpin, Name: "unhairpin", Miss: flow.Do(flow.GotoTable(tTrack)), Asks: "reply of a hairpinned connection"},
		{ID: tAffinity, Name: "affinity", Asks: "which backend the client had last; learned"},
		{ID: tService, Name: "service", Miss: flow.Do(flow.GotoTable(tHairpin)), Asks: "service address to backends"},
		{ID: tBackend, Name: "backend", Asks: "slot to backend", Lost: "the service has no such provider"},
		{ID: tHairpin, Name: "hairpin", Miss: flow.Do(flow.GotoTable(tPeer)), Asks: "is the backend the client itself"},
		{ID: tUnserved, Name: "unserved", Asks: "which clients are informed that a service has no provider", Lost: "the service has no provider, or not that port"},
	}
}

func (service) Reads() []*Input {
	over := func(s *ofnet.State, list iter.Seq[*ofnet.Endpoint], to owners) {
		for e := range list {
			sharers(s, s.ServicesOver(e), to)
		}
	}
	return append(slices.Clone(readsSwitch), readsRouter, readsDirect,
		rows(serviceRows, func(s *ofnet.State, v *ofnet.Service, to owners) {
			to(v.Key())
			each(s.Sharers(v), to)
		}),
		rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) { sharers(s, s.ServicesOf(t.Name), to) }),
		rows(endpointRows, func(s *ofnet.State, e *ofnet.Endpoint, to owners) { sharers(s, s.ServicesOver(e), to) }),
		// The endpoints of a tenant at an address depend on its segments.
		rows(segmentRows, func(s *ofnet.State, n *ofnet.Segment, to owners) { over(s, s.Members(n.Name), to) }),
		rows(groupRows, func(s *ofnet.State, g *ofnet.Group, to owners) { over(s, s.MembersOf(g.Name), to) }),
		rows(hostRows, func(s *ofnet.State, h *ofnet.Host, to owners) {
			over(s, s.On(h.Label), to)
			sharers(s, s.ServicesAt(h.Label), to)
		}))
}

func (service) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind != ofnet.KindService {
		return
	}
	for _, six := range [...]bool{false, true} {
		if b, ok := balancingOf(s, owner.Name, six); ok {
			b.flows(out, s)
		}
	}
}

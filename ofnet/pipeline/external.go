// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// external connects the host with routers outside. Its own interface communicates with them, untagged, by the uplink; packets to the
// interface's MAC for other addresses are routed to a local endpoint of the router's tenant; and packets of that tenant's endpoints go to
// the next hops of learned routes.
type external struct{}

func (external) Name() string { return "external" }

func (external) Tables() []flow.Table { return nil }

// outside is the network number of packets that leave untagged.
const outside = 0

func (external) Reads() []*Input {
	return append(slices.Clone(readsSwitch), readsRouter,
		rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) {
			if s.Router != nil && s.Router.Tenant == t.Name {
				routing(s, to)
			}
		}),
		rows(nextHopRows, func(s *ofnet.State, n *ofnet.NextHops, to owners) {
			to(ofnet.Key{Kind: ofnet.KindNextHops, Name: n.Name})
			for name := range s.RoutesVia(n.Name) {
				to(ofnet.Key{Kind: ofnet.KindRoute, Name: name})
			}
		}),
		rows(routeRows, func(_ *ofnet.State, r *ofnet.Route, to owners) {
			to(ofnet.Key{Kind: ofnet.KindRoute, Name: r.Prefix.String()})
		}))
}

func (external) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if s.Router == nil || s.Local.Uplink == 0 {
		return
	}
	switch owner.Kind {
	case ofnet.KindRouter:
		if owner.Name == s.Self {
			externalInterface(out, s, s.Router)
		}
	case ofnet.KindNextHops:
		if n := s.NextHops.Get(owner.Name); n != nil {
			nextHops(out, n)
		}
	case ofnet.KindRoute:
		if r := s.Routes.Get(owner.Name); r != nil {
			externalRoute(out, s, r)
		}
	}
}

// readsRouter is the interface towards routers: its own flows, and those of everything reached by it.
var readsRouter = setting(func(a, b *ofnet.State) bool {
	return a.Router == b.Router || a.Router != nil && b.Router != nil && *a.Router == *b.Router
}, func(s *ofnet.State, to owners) {
	routing(s, to)
	each(s.Services.Values(), to)
	for e := range s.Endpoints.Values() {
		if e.Host != s.Self {
			to(e.Key())
		}
	}
})

// routing are the router, its next hops and its routes.
func routing(s *ofnet.State, to owners) {
	to(ofnet.Key{Kind: ofnet.KindRouter, Name: s.Self})
	for name := range s.NextHops.All() {
		to(ofnet.Key{Kind: ofnet.KindNextHops, Name: name})
	}
	for name := range s.Routes.All() {
		to(ofnet.Key{Kind: ofnet.KindRoute, Name: name})
	}
}

func externalInterface(out *flow.Set, s *ofnet.State, r *ofnet.Router) {
	own := flow.Eq(flow.InPort, uint64(r.Port))
	add := func(t flow.TableID, priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(t, priority, flow.NewMatch(terms...), do))
	}
	const tagged = 0x1000 // the bit of OXM_OF_VLAN_VID for the presence of a tag
	untagged := flow.EqMask(flow.VlanVID, 0, tagged)
	away, toOwn := flow.Do(toUplink(s)), flow.Do(flow.Output(r.Port))
	add(tClassify, 120, away, own, flow.EqAddr(flow.ARPSPA, r.Addr))
	add(tClassify, 120, away, own, flow.EqAddr(flow.IPSrc, r.Addr))
	if r.Addr6.IsValid() {
		add(tClassify, 120, away, own, flow.EqAddr(flow.IPv6Src, r.Addr6))
	}
	for _, p := range s.Local.Uplinks() {
		up := flow.Eq(flow.InPort, uint64(p))
		add(tClassify, 120, toOwn, up, untagged, flow.EqAddr(flow.ARPTPA, r.Addr))
		add(tClassify, 120, toOwn, up, untagged, flow.EqMAC(flow.EthDst, r.MAC), flow.EqAddr(flow.IPDst, r.Addr))
		if r.Addr6.IsValid() {
			// Queries for the address go to a group, or to this host if repeated.
			add(tClassify, 120, toOwn, up, untagged, flow.Eq(flow.ICMPv6Type, ndSolicitation), flow.EqAddr(flow.NDTarget, r.Addr6))
			add(tClassify, 120, toOwn, up, untagged, flow.EqMAC(flow.EthDst, r.MAC), flow.EqAddr(flow.IPv6Dst, r.Addr6))
		}
		if t := s.Tenants.Get(r.Tenant); t != nil {
			steps := append(enterTenant([]flow.Action{on(bitUplink), on(bitFabric), on(bitRouted), load(regNetwork, outside)}, t), flow.GotoTable(tUnhairpin))
			add(tClassify, 110, flow.Do(steps...), up, untagged, flow.EqMAC(flow.EthDst, r.MAC), flow.IP())
			if r.Addr6.IsValid() {
				add(tClassify, 110, flow.Do(steps...), up, untagged, flow.EqMAC(flow.EthDst, r.MAC), flow.IPv6())
			}
		}
	}
	add(tUplink, 60, away, flow.Eq(regNetwork, outside), has(bitRouted))
}

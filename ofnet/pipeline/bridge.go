// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// bridge forwards by network and destination MAC. Broadcast, unknown and multicast frames go to groups with one bucket per receiver; frames
// from the fabric only go to receivers on this host (split horizon).
type bridge struct{}

func (bridge) Name() string { return "bridge" }

func (bridge) Tables() []flow.Table {
	return []flow.Table{
		{ID: tBridge, Name: "bridge", Asks: "network and destination MAC", Lost: "no endpoint on the network has the destination's Ethernet address"},
		{ID: tReplicate, Name: "replicate", Miss: flow.Do(flow.GotoTable(tPolicyIn)), Asks: "a copy for each receiver"},
	}
}

func (bridge) Reads() []*Input {
	return append(slices.Concat(readsSwitch, readsMember, readsSegment, readsReceivers),
		// A segment lists the hosts that have endpoints of it.
		facts(endpointRows, (*ofnet.Endpoint).Place, func(s *ofnet.State, p ofnet.Place) bool { return s.Present(p) > 0 },
			func(_ *ofnet.State, p ofnet.Place, to owners) {
				to(ofnet.Key{Kind: ofnet.KindSegment, Name: p.Segment})
			}),
		rows(hostRows, func(s *ofnet.State, h *ofnet.Host, to owners) {
			for e := range s.On(h.Label) {
				to(ofnet.Key{Kind: ofnet.KindSegment, Name: e.Segment})
			}
		}))
}

func (bridge) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if m, ok := endpoint(s, owner); ok {
		do := flow.Do(append(pathTo(make([]flow.Action, 0, 6), s, m), flow.GotoTable(tPolicyOut))...)
		if !m.local {
			do = do.Shared()
		}
		out.Add(flow.New(tBridge, exact, towards(m, inNetwork(m.net), flow.EqMAC(flow.EthDst, m.MAC)), do))
		if m.local { // it is among the receivers of its own broadcasts
			out.Add(flow.New(tOutput, 110, flow.NewMatch(flow.Eq(regOut, uint64(m.Port)), flow.Eq(flow.InPort, uint64(m.Port))), flow.Actions{}))
		}
		if !m.local && m.net.Encap == ofnet.VXLAN && m.net.ARP == ofnet.Flood {
			// Split horizon hides it from the fabric, but it is not unknown: this host ignores it.
			out.Add(flow.New(tBridge, exact, flow.NewMatch(has(bitFabric), inNetwork(m.net), flow.EqMAC(flow.EthDst, m.MAC)),
				flow.Actions{}))
		}
	}
	if n, _, ok := segment(s, owner); ok {
		bridgeSegment(out, s, n, owner.Name)
	}
	floodGroups(out, s, owner)
}

func bridgeSegment(out *flow.Set, s *ofnet.State, n *ofnet.Segment, name string) {
	if n.Mode == ofnet.Bridge {
		all := flow.Do(on(bitBUM), flow.GotoTable(tPolicyOut))
		out.Add(flow.New(tBridge, 50, flow.NewMatch(inNetwork(n), multicast(flow.EthDst)), all))
		switch {
		case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
			out.Add(flow.New(tBridge, 40, flow.NewMatch(inNetwork(n), has(bitEndpoint)),
				flow.Do(load(regOut, s.Local.Uplink), flow.GotoTable(tPolicyOut))))
		case n.ARP == ofnet.Flood:
			out.Add(flow.New(tBridge, 40, flow.NewMatch(inNetwork(n)), all))
		}
	}
	out.Add(flow.New(tReplicate, 50, flow.NewMatch(has(bitBUM), has(bitEndpoint), inNetwork(n)), flow.Do(copies(out, s, n, name)...)))
	out.Add(flow.New(tReplicate, 40, flow.NewMatch(has(bitBUM), inNetwork(n)), flow.Do(off(bitBUM), flow.ToGroup(floodHere|n.ID&idMask))))
}

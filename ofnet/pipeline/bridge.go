package pipeline

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// bridge forwards by network and destination MAC. Broadcast, unknown and multicast frames go to a group that has one
// bucket for each receiver; what came from the fabric goes to receivers on this host only (split horizon).
type bridge struct{}

func (bridge) Name() string { return "bridge" }

func (bridge) Tables() []flow.Table {
	return []flow.Table{
		{ID: tBridge, Name: "bridge"},
		{ID: tReplicate, Name: "replicate", Miss: flow.Do(flow.GotoTable(tPolicyIn))},
	}
}

func (bridge) Flows(s *ofnet.State, owner ofnet.Key) (out flow.Set) {
	if m, ok := endpoint(s, owner); ok {
		steps := wayTo(make([]flow.Action, 0, 6), s, m)
		out.Add(flow.New(tBridge, exact, towards(m, inNetwork(m.net), flow.EqMAC(flow.EthDst, m.MAC)),
			flow.Do(append(steps, flow.GotoTable(tPolicyOut))...)))
		if !m.local && m.net.Encap == ofnet.VXLAN && m.net.ARP == ofnet.Flood {
			// Split horizon hides it from the fabric, but it is not unknown: it is nobody's business here.
			out.Add(flow.New(tBridge, exact, flow.NewMatch(has(bitFabric), inNetwork(m.net), flow.EqMAC(flow.EthDst, m.MAC)),
				flow.Actions{}))
		}
	}
	if n, _, ok := segment(s, owner); ok {
		bridgeSegment(&out, s, n)
		floodGroups(&out, s, n, owner.Name)
	}
	return out
}

func bridgeSegment(out *flow.Set, s *ofnet.State, n *ofnet.Segment) {
	if n.Mode == ofnet.Bridge {
		copies := flow.Do(on(bitBUM), flow.GotoTable(tPolicyOut))
		out.Add(flow.New(tBridge, 50, flow.NewMatch(inNetwork(n), multicast(flow.EthDst)), copies))
		switch {
		case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
			out.Add(flow.New(tBridge, 40, flow.NewMatch(inNetwork(n), has(bitEndpoint)),
				flow.Do(load(regOut, s.Local.Uplink), flow.GotoTable(tPolicyOut))))
		case n.ARP == ofnet.Flood:
			out.Add(flow.New(tBridge, 40, flow.NewMatch(inNetwork(n)), copies))
		}
	}
	id := n.ID & idMask
	out.Add(flow.New(tReplicate, 50, flow.NewMatch(has(bitBUM), has(bitEndpoint), inNetwork(n)),
		flow.Do(off(bitBUM), flow.ToGroup(floodFromEndpoint|id))))
	out.Add(flow.New(tReplicate, 40, flow.NewMatch(has(bitBUM), inNetwork(n)),
		flow.Do(off(bitBUM), flow.ToGroup(floodFromFabric|id))))
}

// floodGroups makes the segment's lists of receivers: one for frames of local endpoints, one for those of the fabric.
// A copy for an endpoint whose group has rules about what it receives is judged like any other packet.
func floodGroups(out *flow.Set, s *ofnet.State, n *ofnet.Segment, name string) {
	var ports, limited []uint32
	var judged []member
	hosts := map[string]*ofnet.Host{}
	for e := range s.Receivers(name) { // of another host one is enough: where it is does not depend on which
		m, ok := resolve(s, e)
		switch {
		case !ok:
		case m.local && m.group != 0 && s.JudgesIn(m.Endpoint.Group) > 0:
			judged = append(judged, m)
		case m.local && profileOf(s, m).ReceiveRate != 0:
			limited = append(limited, m.Port)
		case m.local:
			ports = append(ports, m.Port)
		default:
			hosts[m.Host] = m.host
		}
	}
	slices.Sort(ports)
	here := make([]flow.Bucket, 0, len(ports)+len(limited)+len(judged))
	for _, p := range slices.Compact(ports) {
		here = append(here, flow.Bucket{Actions: flow.Do(flow.Output(p))})
	}
	slices.Sort(limited)
	for _, p := range slices.Compact(limited) {
		here = append(here, flow.Bucket{Actions: flow.Do(load(regOut, p), flow.Resubmit(tDeliver))})
	}
	slices.SortFunc(judged, func(a, b member) int { return cmp.Compare(a.Port, b.Port) })
	for _, m := range judged {
		here = append(here, flow.Bucket{Actions: flow.Do(load(regOut, m.Port), load(regDstGroup, m.group), on(bitLocal), on(bitNoCommit),
			flow.Resubmit(tPolicyIn))})
	}
	var away []flow.Bucket
	switch {
	case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
		away = []flow.Bucket{{Actions: flow.Do(flow.Resubmit(tUplink))}}
	case n.Encap == ofnet.VXLAN:
		list := make([]*ofnet.Host, 0, len(hosts))
		for _, h := range hosts {
			list = append(list, h)
		}
		slices.SortFunc(list, func(a, b *ofnet.Host) int { return cmp.Compare(a.Label, b.Label) })
		for _, h := range list {
			away = append(away, flow.Bucket{Actions: flow.Do(append(tunnelTo(nil, n, h.VTEP), flow.Output(s.Local.Tunnel))...)})
		}
	}
	id, parts := n.ID&idMask, uint32(0)
	here = chain(out, id, &parts, here)
	away = chain(out, id, &parts, away)
	out.AddGroup(flow.Group{ID: floodFromEndpoint | id, Buckets: flow.NewBuckets(append(slices.Clip(here), away...)...)},
		flow.Group{ID: floodFromFabric | id, Buckets: flow.NewBuckets(here...)})
}

// chain moves a list that is too long for one group into parts, and returns buckets that lead to them.
func chain(out *flow.Set, id uint32, parts *uint32, list []flow.Bucket) []flow.Bucket {
	if len(list) <= floodMost {
		return list
	}
	var short []flow.Bucket
	for piece := range slices.Chunk(list, floodMost) {
		part := flow.Group{ID: floodPart + *parts<<24 | id, Buckets: flow.NewBuckets(piece...)}
		*parts++
		out.AddGroup(part)
		short = append(short, flow.Bucket{Actions: flow.Do(flow.ToGroup(part.ID))})
	}
	return short
}

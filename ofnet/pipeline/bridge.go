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
	var judged []listener
	hosts := map[string]*ofnet.Host{}
	var group audience
	for e := range s.Elsewhere(name) { // one is enough: where it is does not depend on which
		if m, ok := resolve(s, e); ok {
			hosts[m.Host] = m.host
		}
	}
	for port, its := range s.Receivers(name) {
		if port == 0 {
			continue
		}
		if group.name != its || !group.known { // most have the one before's
			group = audienceOf(s, its)
		}
		switch {
		case group.judged:
			judged = append(judged, listener{port, group.id})
		case group.limited:
			limited = append(limited, port)
		default:
			ports = append(ports, port)
		}
	}
	slices.Sort(ports)
	var here, away flow.BucketList
	here.Output(slices.Compact(ports)...)
	slices.Sort(limited)
	for _, p := range slices.Compact(limited) {
		here.Add(flow.Bucket{Actions: flow.Do(load(regOut, p), flow.Resubmit(tDeliver))})
	}
	slices.SortFunc(judged, func(a, b listener) int { return cmp.Compare(a.port, b.port) })
	for _, l := range judged {
		here.Add(flow.Bucket{Actions: flow.Do(load(regOut, l.port), load(regDstGroup, l.group), on(bitLocal), on(bitNoCommit),
			flow.Resubmit(tPolicyIn))})
	}
	switch {
	case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
		away.Add(flow.Bucket{Actions: flow.Do(flow.Resubmit(tUplink))})
	case n.Encap == ofnet.VXLAN:
		list := make([]*ofnet.Host, 0, len(hosts))
		for _, h := range hosts {
			list = append(list, h)
		}
		slices.SortFunc(list, func(a, b *ofnet.Host) int { return cmp.Compare(a.Label, b.Label) })
		for _, h := range list {
			away.Add(flow.Bucket{Actions: flow.Do(append(tunnelTo(nil, n, h.VTEP), flow.Output(s.Local.Tunnel))...)})
		}
	}
	id, parts := n.ID&idMask, uint32(0)
	short := chain(out, id, &parts, &here)
	local := short.Len()
	far := chain(out, id, &parts, &away)
	short.Append(far)
	out.AddGroup(flow.Group{ID: floodFromEndpoint | id, Buckets: short.Piece(0, short.Len())},
		flow.Group{ID: floodFromFabric | id, Buckets: short.Piece(0, local)})
}

// listener is a receiver whose group has rules about what it receives.
type listener struct{ port, group uint32 }

// audience is how the endpoints of a group get their copies.
type audience struct {
	known           bool
	name            string
	id              uint32
	judged, limited bool
}

func audienceOf(s *ofnet.State, name string) audience {
	a := audience{known: true, name: name}
	if g := s.Groups[name]; g != nil {
		a.id, a.judged, a.limited = g.ID, g.ID != 0 && s.JudgesIn(name) > 0, g.Profile.ReceiveRate != 0
	}
	return a
}

// chain moves a list that is too long for one group into parts, and returns buckets that lead to them. The parts are short, so
// that one endpoint more is one short message to the switch.
func chain(out *flow.Set, id uint32, parts *uint32, list *flow.BucketList) *flow.BucketList {
	n := list.Len()
	if n <= floodFew {
		return list
	}
	short, size := &flow.BucketList{}, max(floodFew, n/floodParts+1)
	for at := 0; at < n; at += size {
		part := flow.Group{ID: floodPart + *parts<<24 | id, Buckets: list.Piece(at, min(at+size, n))}
		*parts++
		out.AddGroup(part)
		short.Add(flow.Bucket{Actions: flow.Do(flow.ToGroup(part.ID))})
	}
	return short
}

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// peer finds the group of a sender on another host by its address. The address of an endpoint on this host cannot
// come from outside.
type peer struct{}

func (peer) Name() string { return "peer" }

func (peer) Tables() []flow.Table {
	return []flow.Table{
		{ID: tPeer, Name: "peer", Miss: flow.Do(flow.GotoTable(tGate)), Asks: "group of a sender elsewhere; forged local addresses"},
	}
}

func (peer) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember)
}

func (peer) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind == ofnet.KindSwitch {
		out.Add(flow.New(tPeer, 200, flow.NewMatch(has(bitEndpoint)), flow.Do(flow.GotoTable(tGate))))
		return
	}
	m, ok := endpoint(s, owner)
	if !ok || !m.local && m.group == 0 {
		return
	}
	do := flow.Actions{}
	if !m.local {
		do = flow.Do(load(regSrcGroup, m.group), flow.GotoTable(tGate))
	}
	if m.IP4.Is4() {
		out.Add(flow.New(tPeer, exact, flow.NewMatch(flow.EqAddr(flow.IPSrc, m.IP4), inTenant(m.tenant)), do))
	}
	if m.IP6.Is6() {
		out.Add(flow.New(tPeer, exact, flow.NewMatch(flow.EqAddr(flow.IPv6Src, m.IP6), inTenant(m.tenant)), do))
	}
}

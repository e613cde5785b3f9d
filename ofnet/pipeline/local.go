// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// local answers for addresses of the switch: it answers a ping to the gateway and drops other packets to it.
type local struct{}

func (local) Name() string { return "local" }

func (local) Tables() []flow.Table {
	return []flow.Table{
		{ID: tLocal, Name: "local", Miss: flow.Do(flow.GotoTable(tUnhairpin)), Asks: "is it for an address of the switch"},
	}
}

func (local) Reads() []*Input {
	return readsSegment
}

func (local) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	n, _, ok := segment(s, owner)
	if !ok || !OwnsGateway(n) {
		return
	}
	const freshTTL = 64
	pong := func(steps ...flow.Action) flow.Actions {
		steps = append([]flow.Action{move(flow.EthSrc, flow.EthDst), flow.SetMAC(flow.EthSrc, RouterMAC)}, steps...)
		return flow.Do(append(append(steps, flow.SetTTL(freshTTL)), turnBack()...)...)
	}
	add := func(priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(tLocal, priority, flow.NewMatch(append(terms, has(bitEndpoint), inNetwork(n))...), do))
	}
	if n.Gateway4.Is4() {
		to := flow.EqAddr(flow.IPDst, n.Gateway4)
		add(exact, pong(move(flow.IPDst, regScratch), move(flow.IPSrc, flow.IPDst), move(regScratch, flow.IPSrc), flow.SetField(flow.ICMPType, 0)), flow.Eq(flow.ICMPType, 8), to)
		add(90, flow.Actions{}, to)
	}
	if n.Gateway6.Is6() {
		to := flow.EqAddr(flow.IPv6Dst, n.Gateway6)
		add(exact, pong(move(flow.IPv6Dst, regScratch6), move(flow.IPv6Src, flow.IPv6Dst), move(regScratch6, flow.IPv6Src), flow.SetField(flow.ICMPv6Type, 129)), flow.Eq(flow.ICMPv6Type, 128), to)
		add(90, flow.Actions{}, to)
	}
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// peer determines the group and the class of a sender on another host by its address, and the class of a local one. The address of a local
// endpoint cannot come from outside.
type peer struct{}

func (peer) Name() string { return "peer" }

func (peer) Tables() []flow.Table {
	return []flow.Table{
		{ID: tPeer, Name: "peer", Miss: flow.Do(flow.GotoTable(tGate)), Asks: "class of a sender, group of one elsewhere; forged local addresses"},
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
	if !ok || !m.local && m.group == 0 && m.Class == 0 {
		return
	}
	if class := loadClass(nil, srcClass, m.Class, m.Isolated); m.local && class != nil {
		out.Add(flow.New(tPeer, 210, flow.NewMatch(flow.Eq(flow.InPort, uint64(m.Port)), has(bitEndpoint)), flow.Do(append(class, flow.GotoTable(tGate))...)))
	}
	do := flow.Actions{}
	if !m.local {
		do = flow.Do(append(loadClass([]flow.Action{load(regSrcGroup, m.group)}, srcClass, m.Class, 0), flow.GotoTable(tGate))...)
	}
	if m.IP4.Is4() {
		out.Add(flow.New(tPeer, exact, flow.NewMatch(flow.EqAddr(flow.IPSrc, m.IP4), inTenant(m.tenant)), do))
	}
	if m.IP6.Is6() {
		out.Add(flow.New(tPeer, exact, flow.NewMatch(flow.EqAddr(flow.IPv6Src, m.IP6), inTenant(m.tenant)), do))
	}
}

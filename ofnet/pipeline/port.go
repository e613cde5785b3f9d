// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// port determines the origin of a packet: the endpoint behind a port, the network behind a VNI or a VLAN tag, or the host.
type port struct{}

func (port) Name() string { return "port" }

func (port) Tables() []flow.Table {
	return []flow.Table{
		{ID: tClassify, Name: "classify", Asks: "whose port or tag is this", Lost: "it does not know that port, tag or tunnel peer"},
		{ID: tOverlay, Name: "overlay", Asks: "which network has this VNI", Lost: "it does not know the network that the tunnel names"},
	}
}

func (port) Reads() []*Input {
	return append(slices.Concat(readsSwitch, readsMember, readsSegment),
		rows(hostRows, func(_ *ofnet.State, h *ofnet.Host, to owners) { to(h.Key()) }),
		setting(func(a, b *ofnet.State) bool { return a.Local.Equal(&b.Local) }, func(s *ofnet.State, to owners) {
			to(ofnet.Key{Kind: ofnet.KindUplink, Name: s.Self})
		}))
}

func (port) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if m, ok := here(s, owner); ok {
		out.Add(flow.New(tClassify, exact, flow.NewMatch(flow.Eq(flow.InPort, uint64(m.Port))), flow.Do(append(
			enter(bitEndpoint, m.net, m.tenant), load(regSrcGroup, m.group), flow.GotoTable(tSource))...)))
	}
	if n, t, ok := segment(s, owner); ok {
		switch {
		case n.Encap == ofnet.VXLAN && s.Local.Tunnel != 0:
			out.Add(flow.New(tOverlay, exact, flow.NewMatch(flow.Eq(flow.TunID, uint64(n.Tag))), flow.Do(append(
				enter(bitTunnel, n, t), flow.GotoTable(tSender))...)))
		case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
			steps := append([]flow.Action{flow.PopVLAN()}, enter(bitUplink, n, t)...)
			for _, p := range s.Local.Uplinks() {
				out.Add(flow.New(tClassify, exact,
					flow.NewMatch(flow.Eq(flow.InPort, uint64(p)), flow.Eq(flow.VlanVID, 0x1000|uint64(n.Tag&0xfff))),
					flow.Do(append(steps[:len(steps):len(steps)], flow.GotoTable(tNeighbor))...)))
			}
		}
	}
	switch owner.Kind {
	case ofnet.KindUplink:
		if len(s.Local.Backup) > 0 {
			out.Merge(uplinkMembers(s))
		}
	case ofnet.KindHost:
		// Only known hosts may send to the tunnel port.
		if h := s.Hosts.Get(owner.Name); h != nil && owner.Name != s.Self && h.VTEP.IsValid() && s.Local.Tunnel != 0 {
			out.Add(flow.New(tClassify, exact, flow.NewMatch(flow.Eq(flow.InPort, uint64(s.Local.Tunnel)), comesFrom(h.VTEP)),
				flow.Do(flow.GotoTable(tOverlay))))
		}
	case ofnet.KindSwitch:
		out.Add(flow.New(tClassify, 200, flow.NewMatch(multicast(flow.EthSrc)), flow.Actions{}))
		if s.Local.Host != 0 {
			out.Add(flow.New(tClassify, exact, flow.NewMatch(flow.Eq(flow.InPort, uint64(s.Local.Host))),
				flow.Do(on(bitHost), flow.GotoTable(tHostIn))))
		}
	}
}

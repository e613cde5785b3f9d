package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// port says who a packet is from: the endpoint behind a port, the network behind a VNI or a VLAN tag, the host.
type port struct{}

func (port) Name() string { return "port" }

func (port) Tables() []flow.Table {
	return []flow.Table{{ID: tClassify, Name: "classify"}, {ID: tOverlay, Name: "overlay"}}
}

func (port) Flows(s *ofnet.State, owner ofnet.Key) (out flow.Set) {
	if m, ok := here(s, owner); ok {
		out.Add(flow.New(tClassify, exact, flow.NewMatch(flow.Eq(flow.InPort, uint64(m.Port))), flow.Do(append(
			enter(bitEndpoint, m.net, m.tenant), load(regSrcGroup, m.group), flow.GotoTable(tSource))...)))
	}
	if n, t, ok := segment(s, owner); ok {
		switch {
		case n.Encap == ofnet.VXLAN && s.Local.Tunnel != 0:
			out.Add(flow.New(tOverlay, exact, flow.NewMatch(flow.Eq(flow.TunID, uint64(n.Tag))), flow.Do(append(
				enter(bitTunnel, n, t), flow.GotoTable(tNeighbor))...)))
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
		// Only hosts that we know may speak to the tunnel port.
		if h := s.Hosts[owner.Name]; h != nil && owner.Name != s.Self && h.VTEP.IsValid() && s.Local.Tunnel != 0 {
			f := flow.TunSrc
			if h.VTEP.Is6() {
				f = flow.TunIPv6Src
			}
			out.Add(flow.New(tClassify, exact,
				flow.NewMatch(flow.Eq(flow.InPort, uint64(s.Local.Tunnel)), flow.EqAddr(f, h.VTEP)),
				flow.Do(flow.GotoTable(tOverlay))))
		}
	case ofnet.KindSwitch:
		out.Add(flow.New(tClassify, 200, flow.NewMatch(multicast(flow.EthSrc)), flow.Actions{}))
		if s.Local.Host != 0 {
			out.Add(flow.New(tClassify, exact, flow.NewMatch(flow.Eq(flow.InPort, uint64(s.Local.Host))),
				flow.Do(on(bitHost), flow.GotoTable(tHostIn))))
		}
	}
	return out
}

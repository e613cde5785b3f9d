// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// pathTo appends the endpoint's location: its group, and the port, tunnel or uplink that leads to it. Routing and bridging use the same
// actions.
func pathTo(steps []flow.Action, s *ofnet.State, m member) []flow.Action {
	isolated := m.Isolated
	if !m.local {
		isolated = 0
	}
	steps = loadClass(append(steps, load(regDstGroup, m.group)), dstClass, m.Class, isolated)
	switch {
	case m.local:
		return append(steps, load(regOut, m.Port), on(bitLocal))
	case m.net.Encap == ofnet.VXLAN:
		return append(tunnelTo(steps, m.net, m.host.VTEP), load(regOut, s.Local.Tunnel))
	default:
		return append(steps, load(regOut, s.Local.Uplink))
	}
}

// tunnelTo appends the actions that set the VNI of a network and the far end.
func tunnelTo(steps []flow.Action, n *ofnet.Segment, vtep netip.Addr) []flow.Action {
	return tunnelUnder(steps, n.Tag, vtep)
}

// tunnelUnder appends the actions that set a VNI and the far end.
func tunnelUnder(steps []flow.Action, vni uint32, vtep netip.Addr) []flow.Action {
	f := flow.TunDst
	if vtep.Is6() {
		f = flow.TunIPv6Dst
	}
	return append(steps, flow.SetField(flow.TunID, uint64(vni)), flow.SetAddr(f, vtep))
}

// towards are the terms of a lookup that leads to the endpoint. Packets from the fabric do not return to it: they only reach local
// endpoints.
func towards(m member, terms ...flow.Term) flow.Match {
	if !m.local {
		terms = append(terms, hasNot(bitFabric))
	}
	return flow.NewMatch(terms...)
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// deliver sends the packet out: to a port, into the tunnel, or tagged to the uplink. Routed frames leave by the uplink with this host's own
// address, never with the router's. Everything for a local endpoint leaves by table output.
type deliver struct{}

func (deliver) Name() string { return "deliver" }

func (deliver) Tables() []flow.Table {
	return []flow.Table{
		{ID: tDeliver, Name: "deliver", Miss: flow.Do(flow.GotoTable(tOutput)), Asks: "which way out"},
		{ID: tUplink, Name: "uplink", Asks: "push the tag", Lost: "the network has no tag on the trunk"},
		{ID: tOutput, Name: "output", Miss: flow.Do(flow.OutputField(flow.All(regOut))), Asks: "which endpoint gets it"},
	}
}

func (deliver) Reads() []*Input {
	return slices.Concat(readsSwitch, readsSegment)
}

func (deliver) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind == ofnet.KindSwitch {
		// The switch does not send a packet back by its in_port unless that is cleared.
		out.Add(flow.New(tDeliver, 110, flow.NewMatch(has(bitHairpin)),
			flow.Do(flow.Load(flow.Range(flow.InPort, 0, 15), 0xffff), flow.GotoTable(tOutput))))
		if s.Local.Uplink != 0 {
			out.Add(flow.New(tDeliver, exact, flow.NewMatch(flow.Eq(regOut, uint64(s.Local.Uplink))), flow.Do(flow.GotoTable(tUplink))))
		}
		if s.Local.Host != 0 {
			out.Add(flow.New(tDeliver, exact, flow.NewMatch(flow.Eq(regOut, uint64(s.Local.Host))), flow.Do(flow.GotoTable(tHostOut))))
		}
	}
	n, _, ok := segment(s, owner)
	if !ok || n.Encap != ofnet.VLAN || s.Local.Uplink == 0 {
		return
	}
	tagged := append(pushTag(n), toUplink(s))
	out.Add(flow.New(tUplink, 50, flow.NewMatch(inNetwork(n), has(bitRouted)),
		flow.Do(append([]flow.Action{flow.SetMAC(flow.EthSrc, uplinkMAC(s))}, tagged...)...)))
	out.Add(flow.New(tUplink, 40, flow.NewMatch(inNetwork(n)), flow.Do(tagged...)))
}

// To sends a frame of the agent out of a port.
func To(port uint32) flow.Actions { return flow.Do(load(regOut, port), flow.Resubmit(tOutput)) }

// turnBack sends the packet back to the port at which it arrived.
func turnBack() []flow.Action {
	return []flow.Action{flow.Move(flow.Range(flow.InPort, 0, 15), flow.Range(regOut, 0, 15)), on(bitHairpin), flow.GotoTable(tDeliver)}
}

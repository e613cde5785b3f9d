// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// spoofed counts packets that each local endpoint sends with an address of others. They are dropped in any case. Packets that a kernel
// sends by itself are not counted: from a link-local address, or before it has any.
type spoofed struct{}

func (spoofed) Name() string { return "spoofed" }

func (spoofed) Tables() []flow.Table {
	return []flow.Table{
		{ID: tSpoofed, Name: "spoofed", Asks: "nothing: here ends what a container says with an address not its own", Lost: "the container may not send from that address"},
	}
}

func (spoofed) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember)
}

func (spoofed) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind == ofnet.KindSwitch {
		for _, from := range []flow.Term{flow.EqPrefix(flow.IPv6Src, netip.MustParsePrefix("fe80::/10")), flow.EqAddr(flow.IPv6Src, netip.IPv6Unspecified()),
			flow.EqAddr(flow.IPSrc, netip.IPv4Unspecified())} {
			out.Add(flow.New(tSource, 20, flow.NewMatch(from), flow.Actions{}))
		}
		return
	}
	if m, ok := here(s, owner); ok {
		out.Add(flow.New(tSource, 10, flow.NewMatch(flow.Eq(flow.InPort, uint64(m.Port))), flow.Do(flow.GotoTable(tSpoofed))))
	}
}

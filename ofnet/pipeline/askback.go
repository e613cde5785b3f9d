// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// asksBack reports whether the switch cannot turn a solicitation into an advertisement: the kernel's datapath writes neither the flags nor
// the type of an option. The switch then sends the requester a solicitation from the requested address, with the link address of the
// answer. The requester learns it from that (RFC 4861 section 7.2.3), and answers; its advertisement has the right flags and option, and is
// returned to it with the addresses of the requested one. Neither an agent nor a controller is involved.
func asksBack(s *ofnet.State) bool { return s.Missing.Has(ofnet.NDExtensions) }

// askBack returns solicitations and advertisements as the same of the other side.
func askBack(out *flow.Set) {
	add := func(priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(tAnswer, priority, flow.NewMatch(terms...), do))
	}
	asked := flow.Eq(flow.ICMPv6Type, ndSolicitation)
	add(20, flow.Actions{}, asked, flow.EqMAC(flow.NDSLL, ofnet.MAC{})) // without a link address: duplicate address detection
	add(10, flow.Do(
		move(flow.EthSrc, flow.EthDst), moveAnswer(flow.EthSrc),
		move(flow.IPv6Src, flow.IPv6Dst), move(flow.NDTarget, flow.IPv6Src), move(flow.IPv6Dst, flow.NDTarget),
		moveAnswer(flow.NDSLL), flow.GotoTable(tBack)), asked)
	add(10, flow.Do(
		move(flow.EthSrc, flow.EthDst), moveAnswer(flow.EthSrc),
		move(flow.IPv6Dst, regScratch6), move(flow.NDTarget, flow.IPv6Dst), move(regScratch6, flow.IPv6Src), move(regScratch6, flow.NDTarget),
		moveAnswer(flow.NDTLL), flow.GotoTable(tBack)), flow.Eq(flow.ICMPv6Type, ndAdvertisement))
}

// unicast matches frames to one station.
func unicast() flow.Term { return flow.EqMACMask(flow.EthDst, ofnet.MAC{}, ofnet.MAC{1}) }

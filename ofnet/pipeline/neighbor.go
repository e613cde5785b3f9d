// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// neighbor resolves addresses: the switch itself answers ARP and neighbor discovery from the State, or floods them if the network requires
// that. Packets other than IP, ARP or discovery are dropped.
type neighbor struct{}

func (neighbor) Name() string { return "neighbor" }

func (neighbor) Tables() []flow.Table {
	return []flow.Table{
		{ID: tNeighbor, Name: "neighbor", Asks: "ARP and ND: answer, flood, pass on, drop", Lost: "it is an address resolution without an answer"},
		{ID: tAnswer, Name: "answer", Asks: "turn the request into its reply"},
		{ID: tBack, Name: "back", Asks: "send the reply to where the request came from"},
		{ID: tAnnouncement, Name: "claim", Asks: "who outside claims a container's address", Lost: "a machine outside claims the address of a container"},
	}
}

func (neighbor) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember, readsSegment)
}

func (neighbor) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if m, ok := endpoint(s, owner); ok {
		neighborEndpoint(out, s, m)
		neighborForged(out, m)
	}
	if n, _, ok := segment(s, owner); ok {
		neighborSegment(out, s, n)
	}
	if owner.Kind == ofnet.KindSwitch {
		neighborSwitch(out, s)
	}
}

// answer turns the current request into an answer with mac.
func answer(mac ofnet.MAC) flow.Actions {
	var v uint64
	for _, b := range mac {
		v = v<<8 | uint64(b)
	}
	return flow.Do(flow.SetField(regAnswer, v), flow.GotoTable(tAnswer))
}

// flood sends the frame to the network's members without applying rules, since a query is no traffic.
func flood() flow.Actions { return flow.Do(on(bitSkip), on(bitBUM), flow.GotoTable(tReplicate)) }

// asking is a form of query for an address.
type asking struct {
	terms []flow.Term
	six   bool
}

// asksFor returns the queries for the endpoint's addresses.
func asksFor(s *ofnet.State, m member) (list []asking) {
	if m.IP4.Is4() {
		list = append(list, asking{terms: []flow.Term{flow.Eq(flow.ARPOp, 1), flow.EqAddr(flow.ARPTPA, m.IP4)}})
	}
	if m.IP6.Is6() {
		for _, terms := range asks6(s, m.IP6) {
			list = append(list, asking{terms, true})
		}
	}
	return list
}

// tellings match announcements of an address in ARP and neighbor discovery.
func tellings() []flow.Term {
	return []flow.Term{flow.Eq(flow.ARPOp, 2), flow.Eq(flow.ICMPv6Type, ndAdvertisement)}
}

// solicits matches a neighbor solicitation with its sender's link address, so that the answer has room for one. A solicitation without it
// is duplicate address detection, which gets no answer.
// If the datapath cannot match that, table answer checks the option instead.
func solicits(s *ofnet.State) []flow.Term {
	out := append(make([]flow.Term, 0, 6), flow.Eq(flow.ICMPv6Type, ndSolicitation))
	if asksBack(s) {
		return out
	}
	return append(out, flow.Eq(flow.NDOptionsType, 1))
}

// asks6 match queries for an address and, if the switch asks back, the answers to its own.
func asks6(s *ofnet.State, a netip.Addr) [][]flow.Term {
	list := [][]flow.Term{append(solicits(s), flow.EqAddr(flow.NDTarget, a))}
	if asksBack(s) {
		list = append(list, []flow.Term{flow.Eq(flow.ICMPv6Type, ndAdvertisement), flow.EqAddr(flow.IPv6Dst, a)})
	}
	return list
}

func neighborEndpoint(out *flow.Set, s *ofnet.State, m member) {
	if m.local && m.IP4.Is4() {
		// An endpoint that queries its own address announces itself. Physical switches learn from it; the switch does not answer.
		own := flow.Actions{}
		if m.net.Encap == ofnet.VLAN || m.net.ARP == ofnet.Flood {
			own = flood()
		}
		out.Add(flow.New(tNeighbor, 140, flow.NewMatch(flow.Eq(flow.InPort, uint64(m.Port)), flow.Eq(flow.ARPOp, 1),
			flow.EqAddr(flow.ARPTPA, m.IP4)), own))
	}
	if m.local && m.net.Encap == ofnet.VLAN && m.net.Mode == ofnet.Bridge && m.IP6.Is6() && asksBack(s) {
		// A machine outside would send the endpoint's queries the same answer as those of the switch. So the endpoint answers itself.
		out.Add(flow.New(tNeighbor, exact, flow.NewMatch(append(solicits(s), flow.EqAddr(flow.NDTarget, m.IP6), has(bitUplink), inNetwork(m.net))...),
			flow.Do(on(bitSkip), flow.SetMAC(flow.EthDst, m.MAC), flow.GotoTable(tBridge))))
	}
	for _, ask := range asksFor(s, m) {
		if m.net.Mode == ofnet.Bridge && m.net.ARP == ofnet.Proxy {
			out.Add(flow.New(tNeighbor, exact, flow.NewMatch(append(ask.terms, has(bitEndpoint), inNetwork(m.net))...), answer(m.MAC)))
		}
		if m.local && m.net.Encap == ofnet.VLAN {
			// Exactly the host of the endpoint answers queries from outside.
			mac := m.MAC
			if m.net.Mode == ofnet.Routing {
				mac = uplinkMAC(s)
			} else if asksBack(s) && ask.six {
				continue
			}
			out.Add(flow.New(tNeighbor, exact, flow.NewMatch(append(ask.terms, has(bitUplink), inNetwork(m.net))...), answer(mac)))
		}
	}
}

func neighborSegment(out *flow.Set, s *ofnet.State, n *ofnet.Segment) {
	add := func(priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(tNeighbor, priority, flow.NewMatch(append(terms, inNetwork(n))...), do))
	}
	if n.Mode == ofnet.Routing {
		// All addresses are behind the router.
		add(90, answer(RouterMAC), has(bitEndpoint), flow.Eq(flow.ARPOp, 1))
		add(90, answer(RouterMAC), append(solicits(s), has(bitEndpoint))...)
		if asksBack(s) {
			add(90, answer(RouterMAC), flow.Eq(flow.ICMPv6Type, ndAdvertisement), unicast(), has(bitEndpoint))
		}
	} else {
		if OwnsGateway(n) && n.Gateway4.Is4() {
			add(130, answer(RouterMAC), has(bitEndpoint), flow.Eq(flow.ARPOp, 1), flow.EqAddr(flow.ARPTPA, n.Gateway4))
		}
		if OwnsGateway(n) && n.Gateway6.Is6() {
			for _, ask := range asks6(s, n.Gateway6) {
				add(130, answer(RouterMAC), append(ask, has(bitEndpoint))...)
			}
		}
		for _, ask := range []flow.Term{flow.Eq(flow.ARPOp, 1), flow.Eq(flow.ICMPv6Type, ndSolicitation)} {
			switch {
			case n.ARP == ofnet.Flood:
				add(50, flood(), ask)
			case n.Encap == ofnet.VLAN && s.Local.Uplink != 0:
				// The address is unknown: it can only be outside.
				add(50, flow.Do(load(regOut, s.Local.Uplink), flow.GotoTable(tUplink)), ask, has(bitEndpoint))
			}
		}
	}
	if n.Mode == ofnet.Bridge && n.Encap == ofnet.VXLAN && n.ARP == ofnet.Flood {
		for _, told := range tellings() {
			add(32, flow.Do(on(bitSkip), flow.GotoTable(tBridge)), told, has(bitTunnel))
		}
	}
	if n.Encap == ofnet.VLAN {
		out.Add(flow.New(tBack, 20, flow.NewMatch(has(bitUplink), inNetwork(n)),
			flow.Do(append(pushTag(n), flow.Output(flow.PortInPort))...)))
		out.Add(flow.New(tBack, 22, flow.NewMatch(has(bitUplink), inNetwork(n), flow.Eq(flow.ICMPv6Type, ndAdvertisement)),
			flow.Do(append([]flow.Action{moveAnswer(flow.NDTLL)}, append(pushTag(n), flow.Output(flow.PortInPort))...)...)))
	}
}

// moveAnswer copies the MAC of the answer to a field.
func moveAnswer(to flow.Field) flow.Action {
	return flow.Move(flow.Range(regAnswer, 0, 47), flow.All(to))
}

func move(from, to flow.Field) flow.Action { return flow.Move(flow.All(from), flow.All(to)) }

func neighborSwitch(out *flow.Set, s *ofnet.State) {
	add := func(t flow.TableID, priority uint16, do flow.Actions, terms ...flow.Term) {
		out.Add(flow.New(t, priority, flow.NewMatch(terms...), do))
	}
	reply := flow.Do(on(bitSkip), flow.GotoTable(tBridge))
	for _, told := range tellings() {
		add(tNeighbor, 30, reply, told)
		add(tNeighbor, 31, flow.Actions{}, told, has(bitTunnel)) // switches answer here, so no query was sent elsewhere
	}
	add(tNeighbor, 25, flow.Actions{}, flow.Eq(flow.ICMPv6Type, ndSolicitation))
	for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
		add(tNeighbor, 20, flow.Do(flow.GotoTable(tQoS)), family, has(bitEndpoint))
		add(tNeighbor, 10, flow.Do(flow.GotoTable(tUnhairpin)), family)
	}
	add(tAnswer, 10, flow.Do(
		move(flow.EthSrc, flow.EthDst), moveAnswer(flow.EthSrc),
		flow.SetField(flow.ARPOp, 2),
		move(flow.ARPSHA, flow.ARPTHA), moveAnswer(flow.ARPSHA),
		move(flow.ARPSPA, regScratch), move(flow.ARPTPA, flow.ARPSPA), move(regScratch, flow.ARPTPA),
		flow.GotoTable(tBack)), flow.ARP())
	if asksBack(s) {
		askBack(out)
	} else {
		const solicitedOverride = 0x60000000 // the S and O bits of an advertisement (RFC 4861 section 4.4)
		add(tAnswer, 10, flow.Do(
			move(flow.EthSrc, flow.EthDst), moveAnswer(flow.EthSrc),
			move(flow.IPv6Src, flow.IPv6Dst), move(flow.NDTarget, flow.IPv6Src),
			flow.SetField(flow.ICMPv6Type, ndAdvertisement), flow.SetField(flow.ICMPv6Code, 0),
			flow.SetField(flow.NDReserved, solicitedOverride), flow.SetField(flow.NDOptionsType, 2),
			flow.GotoTable(tBack)), flow.Eq(flow.ICMPv6Type, ndSolicitation))
	}
	// The target's link address can be written only if the match requires an advertisement.
	inPort := flow.Output(flow.PortInPort)
	add(tBack, 12, flow.Do(append([]flow.Action{moveAnswer(flow.NDTLL)}, turnBack()...)...), flow.Eq(flow.ICMPv6Type, ndAdvertisement), has(bitEndpoint))
	add(tBack, 12, flow.Do(moveAnswer(flow.NDTLL), inPort), flow.Eq(flow.ICMPv6Type, ndAdvertisement), has(bitHost))
	add(tBack, 10, flow.Do(turnBack()...), has(bitEndpoint))
	add(tBack, 10, flow.Do(inPort), has(bitHost))
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// route is the distributed router: it forwards packets by tenant and destination address, the longest prefix first, IPv4 and IPv6 alike.
type route struct{}

func (route) Name() string { return "route" }

func (route) Tables() []flow.Table {
	return []flow.Table{
		{ID: tGate, Name: "gate", Miss: flow.Do(flow.GotoTable(tBridge)), Asks: "is it addressed to the router"},
		{ID: tRoute, Name: "route", Miss: flow.Do(flow.GotoTable(tNowhere)), Asks: "tenant and destination address, longest prefix first"},
		{ID: tNowhere, Name: "nowhere", Asks: "no endpoint has the address", Lost: "no endpoint has that address"}, // a running agent sends an error: see Failures
	}
}

// Ranks decide between routes to the same prefix.
const (
	rankLow     = 0 // the path to the host and the outside, and that to hosts by a routed VLAN
	rankLearned = 1 // from a router outside
	rankOurs    = 2 // endpoints, and the tenant's own subnets
)

// routePriority makes the longest prefix win, and among equals the highest rank.
func routePriority(bits, rank int) uint16 { return uint16(exact + 2*bits + rank) }

func (route) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember, readsSegment)
}

func (route) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if m, ok := endpoint(s, owner); ok {
		routeEndpoint(out, s, m)
	}
	if n, t, ok := segment(s, owner); ok {
		// Packets to an unused address of the tenant do not follow the default route out of the tenant.
		nowhere := flow.Do(flow.GotoTable(tNowhere))
		if n.Prefix4.IsValid() {
			out.Add(flow.New(tRoute, routePriority(n.Prefix4.Bits(), rankOurs),
				flow.NewMatch(flow.EqPrefix(flow.IPDst, n.Prefix4), flow.IP(), inTenant(t)), nowhere))
		}
		if n.Prefix6.IsValid() {
			out.Add(flow.New(tRoute, routePriority(n.Prefix6.Bits(), rankOurs),
				flow.NewMatch(flow.EqPrefix(flow.IPv6Dst, n.Prefix6), flow.IPv6(), inTenant(t)), nowhere))
		}
	}
	if owner.Kind == ofnet.KindSwitch {
		routed := flow.Do(on(bitRouted), flow.GotoTable(tRoute))
		out.Add(flow.New(tGate, exact, flow.NewMatch(flow.EqMAC(flow.EthDst, RouterMAC)), routed))
		if mac := uplinkMAC(s); mac != (ofnet.MAC{}) {
			out.Add(flow.New(tGate, exact, flow.NewMatch(flow.EqMAC(flow.EthDst, mac), has(bitUplink)), routed))
		}
		out.Add(flow.New(tGate, 90, flow.NewMatch(has(bitRouted)), flow.Do(flow.GotoTable(tRoute))))
	}
}

func routeEndpoint(out *flow.Set, s *ofnet.State, m member) {
	// On a routed VLAN, frames go from one host's uplink address to the other's.
	// Hosts behind routers announce their endpoints instead.
	mac, rank := m.MAC, rankOurs
	if !m.local && m.net.Encap == ofnet.VLAN && m.net.Mode == ofnet.Routing {
		mac, rank = m.host.UplinkMAC, rankLow
	}
	steps := append(make([]flow.Action, 0, 10), flow.DecTTL(), flow.SetMAC(flow.EthSrc, RouterMAC),
		flow.SetMAC(flow.EthDst, mac), load(regNetwork, m.net.ID))
	do := flow.Do(append(pathTo(steps, s, m), flow.GotoTable(tPolicyOut))...)
	if m.IP4.Is4() {
		out.Add(flow.New(tRoute, routePriority(32, rank), towards(m, flow.EqAddr(flow.IPDst, m.IP4), inTenant(m.tenant)), do))
	}
	if m.IP6.Is6() {
		out.Add(flow.New(tRoute, routePriority(128, rank), towards(m, flow.EqAddr(flow.IPv6Dst, m.IP6), inTenant(m.tenant)), do))
	}
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// ICMPv6 types of neighbor discovery (RFC 4861 section 4).
const (
	ndRouterAdvertisement = 134
	ndSolicitation        = 135
	ndAdvertisement       = 136
	ndRedirect            = 137
)

// source lets a local endpoint send only with its own addresses, and without a tag. ARP probes (RFC 5227) pass, and of neighbor discovery
// only packets that name the endpoint's own link address; router advertisements and redirects do not.
type source struct{}

func (source) Name() string { return "source" }

func (source) Tables() []flow.Table {
	return []flow.Table{
		{ID: tSource, Name: "source", Asks: "may a local endpoint say this", Lost: "the container may not send from that address"},
	}
}

func (source) Reads() []*Input {
	return slices.Concat(readsSwitch, readsMember)
}

func (source) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind == ofnet.KindSwitch {
		for _, kind := range []uint64{ndRouterAdvertisement, ndSolicitation, ndAdvertisement, ndRedirect} {
			out.Add(flow.New(tSource, 110, flow.NewMatch(flow.Eq(flow.ICMPv6Type, kind)), flow.Actions{}))
		}
		// A frame with a tag could reach another network behind the uplink.
		const tagged = 0x1000 // the bit of OXM_OF_VLAN_VID for the presence of a tag
		out.Add(flow.New(tSource, 130, flow.NewMatch(flow.EqMask(flow.VlanVID, tagged, tagged)), flow.Actions{}))
		return
	}
	m, ok := here(s, owner)
	if !ok {
		return
	}
	allow := func(priority uint16, terms ...flow.Term) {
		terms = append(terms, flow.Eq(flow.InPort, uint64(m.Port)), flow.EqMAC(flow.EthSrc, m.MAC))
		out.Add(flow.New(tSource, priority, flow.NewMatch(terms...), flow.Do(flow.GotoTable(tNeighbor))))
	}
	if m.IP4.Is4() {
		allow(exact, flow.EqMAC(flow.ARPSHA, m.MAC), flow.EqAddr(flow.ARPSPA, m.IP4))
		allow(exact, flow.EqMAC(flow.ARPSHA, m.MAC), flow.EqAddr(flow.ARPSPA, netip.IPv4Unspecified()))
		allow(exact, flow.EqAddr(flow.IPSrc, m.IP4))
	}
	if m.IP6.Is6() {
		allow(exact, flow.EqAddr(flow.IPv6Src, m.IP6))
		for _, a := range []netip.Addr{m.IP6, linkLocal(m.MAC)} {
			allow(120, flow.EqAddr(flow.IPv6Src, a), flow.Eq(flow.ICMPv6Type, ndSolicitation), flow.EqMAC(flow.NDSLL, m.MAC))
		}
		answers := []netip.Addr{m.IP6}
		if asksBack(s) { // for the address from which the query is sent
			answers = append(answers, linkLocal(m.MAC))
		}
		for _, a := range answers {
			allow(120, flow.EqAddr(flow.IPv6Src, a), flow.Eq(flow.ICMPv6Type, ndAdvertisement),
				flow.EqAddr(flow.NDTarget, a), flow.EqMAC(flow.NDTLL, m.MAC))
		}
	}
}

// linkLocal is the link-local address derived from a MAC (RFC 4291 appendix A).
func linkLocal(m ofnet.MAC) netip.Addr {
	return netip.AddrFrom16([16]byte{0xfe, 0x80, 8: m[0] ^ 2, 9: m[1], 10: m[2], 11: 0xff, 12: 0xfe, 13: m[3], 14: m[4], 15: m[5]})
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// neighborForged: no machine behind the uplink may claim an endpoint's address. That of a remote endpoint may be claimed where endpoints
// resolve one another; where the switch answers for it, no query was sent. Claims of a local endpoint's address go to a table of their own,
// where they end, and where an agent receives them.
func neighborForged(out *flow.Set, m member) {
	if m.net.Encap != ofnet.VLAN || !m.local && m.net.ARP == ofnet.Flood {
		return
	}
	var do flow.Actions
	if m.local {
		do = flow.Do(flow.GotoTable(tAnnouncement))
	}
	forged := func(terms ...flow.Term) {
		out.Add(flow.New(tNeighbor, 150, flow.NewMatch(append(terms, has(bitUplink), inNetwork(m.net))...), do))
	}
	if m.IP4.Is4() {
		forged(flow.Eq(flow.ARPOp, 2), flow.EqAddr(flow.ARPSPA, m.IP4))
		if m.local {
			forged(flow.Eq(flow.ARPOp, 1), flow.EqAddr(flow.ARPSPA, m.IP4))
		}
	}
	if m.IP6.Is6() {
		forged(flow.Eq(flow.ICMPv6Type, ndAdvertisement), flow.EqAddr(flow.NDTarget, m.IP6))
		if m.local {
			forged(flow.Eq(flow.ICMPv6Type, ndSolicitation), flow.EqAddr(flow.IPv6Src, m.IP6))
		}
	}
	if m.local && m.net.Mode == ofnet.Bridge {
		// Of a bridged network the endpoint's link address is on the wire, too.
		out.Add(flow.New(tNeighbor, 145, flow.NewMatch(flow.ARP(), flow.EqMAC(flow.EthSrc, m.MAC), has(bitUplink), inNetwork(m.net)), do))
	}
}

// Claims are the flows that send an agent the claims of endpoints' addresses by machines behind the uplink, through a meter, while it holds
// the lease.
func Claims() []flow.Flow {
	return []flow.Flow{LeaseClaims.flow(tAnnouncement, exact, flow.NewMatch(has(bitUplink)), LeaseClaims.toAgent(flow.Output(flow.PortController)))}
}

// Claimed is the endpoint here that a claim in a network, by its number, is about: the one that has the address, or else the link
// address; nil when none has. at is the link address at which machines outside find it.
func Claimed(s *ofnet.State, segment uint32, addr netip.Addr, link ofnet.MAC) (found *ofnet.Endpoint, at ofnet.MAC) {
	for e := range s.On(s.Self) {
		m, ok := resolve(s, e)
		if !ok || m.net.ID != segment {
			continue
		}
		byAddr := addr.IsValid() && (e.IP4 == addr || e.IP6 == addr)
		if !byAddr && e.MAC != link {
			continue
		}
		found, at = e, e.MAC
		if m.net.Mode == ofnet.Routing {
			at = uplinkMAC(s)
		}
		if byAddr {
			break
		}
	}
	return found, at
}

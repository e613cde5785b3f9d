// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"encoding/binary"
	"hash/fnv"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// sender accepts a tunneled packet of an endpoint only from the tunnel of that endpoint's host: another host, or a machine that forges
// outer addresses, cannot send as its endpoints. It is applied before the tracker, so that no forged packet ends a connection. Addresses
// without an endpoint pass: those of hosts, and of endpoints that this host will learn of shortly.
type sender struct{}

func (sender) Name() string { return "sender" }

func (sender) Tables() []flow.Table {
	return []flow.Table{
		{ID: tSender, Name: "sender", Miss: flow.Do(flow.GotoTable(tNeighbor)), Asks: "which host has the sender, of what a tunnel brings"},
		{ID: tOrigin, Name: "origin", Asks: "is it that host's tunnel", Lost: "the sender's address is that of a container on another host than the tunnel's"},
	}
}

func (sender) Reads() []*Input {
	return append(slices.Concat(readsSwitch, readsMember),
		rows(hostRows, func(_ *ofnet.State, h *ofnet.Host, to owners) { to(h.Key()) }))
}

func (sender) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if s.Local.Tunnel == 0 {
		return
	}
	if h := s.Hosts.Get(owner.Name); owner.Kind == ofnet.KindHost && h != nil && owner.Name != s.Self && h.VTEP.IsValid() {
		out.Add(flow.New(tOrigin, exact, flow.NewMatch(flow.Eq(regSender, uint64(endNumber(h.VTEP))), comesFrom(h.VTEP)),
			flow.Do(load(regSender, 0), flow.GotoTable(tNeighbor))))
	}
	m, ok := endpoint(s, owner)
	if !ok {
		return
	}
	// No tunnel has this host's own number.
	do := flow.Do(load(regSender, endNumber(m.host.VTEP)), flow.GotoTable(tOrigin)).Shared()
	of := func(priority uint16, terms ...flow.Term) {
		out.Add(flow.New(tSender, priority, flow.NewMatch(append(terms, inTenant(m.tenant))...), do))
	}
	asks := m.net.Encap == ofnet.VXLAN && m.net.ARP == ofnet.Flood // otherwise no queries or answers come by a tunnel: see neighbor
	if m.IP4.Is4() {
		of(exact, flow.EqAddr(flow.IPSrc, m.IP4))
		if asks {
			of(exact, flow.EqAddr(flow.ARPSPA, m.IP4))
		}
	}
	if m.IP6.Is6() {
		of(exact, flow.EqAddr(flow.IPv6Src, m.IP6))
		if asks {
			of(exact+10, flow.Eq(flow.ICMPv6Type, ndAdvertisement), flow.EqAddr(flow.NDTarget, m.IP6))
		}
	}
}

// endNumber is the number of a tunnel end in a register; 0 for none.
func endNumber(vtep netip.Addr) uint32 {
	if vtep.Is4() {
		a := vtep.As4()
		return binary.BigEndian.Uint32(a[:])
	}
	if !vtep.IsValid() {
		return 0
	}
	sum := fnv.New32a()
	_, _ = sum.Write(vtep.AsSlice())
	return sum.Sum32()
}

// comesFrom matches packets from the end of a tunnel.
func comesFrom(vtep netip.Addr) flow.Term {
	if vtep.Is6() {
		return flow.EqAddr(flow.TunIPv6Src, vtep)
	}
	return flow.EqAddr(flow.TunSrc, vtep)
}

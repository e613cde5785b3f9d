// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// direct lets hosts and endpoints communicate by their own addresses, on every host, if the State says so: Kubernetes requires that of
// nodes and pods. An endpoint's packets to a node's address leave their network for that node, by the tunnel if it is another one, whatever
// the encapsulation; packets of a node take the path of a router's packets. Only the switch of the endpoint's host sees both directions, so
// rules are applied and connections tracked there.
type direct struct{}

func (direct) Name() string { return "direct" }

func (direct) Tables() []flow.Table { return nil }

// hostVNI is the tunnel number of packets for the receiving host itself. No tenant has the number 0.
const hostVNI = relayVNI

func (direct) Reads() []*Input {
	return append(slices.Concat(readsSwitch, readsMember, readsSegment),
		rows(hostRows, func(_ *ofnet.State, h *ofnet.Host, to owners) { to(h.Key()) }),
		readsDirect)
}

// readsDirect is whether hosts and endpoints communicate by their own addresses.
var readsDirect = setting(func(a, b *ofnet.State) bool { return a.Direct == b.Direct && a.Private == b.Private }, everything)

func (direct) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if !s.Direct || s.Local.Host == 0 || !s.Private.Addr().Is4() {
		return
	}
	for _, f := range hostFamilies(s.Private) {
		switch owner.Kind {
		case ofnet.KindSwitch:
			f.nodePort(out, s)
		case ofnet.KindHost:
			if h := s.Hosts.Get(owner.Name); h != nil {
				f.node(out, s, h)
			}
		case ofnet.KindSegment:
			if n, t, ok := segment(s, owner); ok {
				f.fromHost(out, n, t)
				f.noGateway(out, s, n)
			}
		case ofnet.KindEndpoint:
			if m, ok := here(s, owner); ok {
				f.own(out, m)
			}
		}
	}
}

// is4 reports whether the family is IPv4.
func (f *hostFamily) is4() bool { return f.subnet.Addr().Is4() }

// node directs packets of local endpoints to a host's addresses to that host, whatever gateway they have.
func (f *hostFamily) node(out *flow.Set, s *ofnet.State, h *ofnet.Host) {
	f.nodeAsked(out, h)
	steps := []flow.Action{flow.DecTTL(), load(regDstGroup, 0)}
	switch {
	case h.Label == s.Self:
		steps = append(steps, load(regOut, s.Local.Host))
	case h.VTEP.IsValid() && s.Local.Tunnel != 0:
		steps = append(tunnelUnder(steps, hostVNI, h.VTEP), load(regOut, s.Local.Tunnel))
	default:
		return
	}
	for _, a := range h.Addrs() {
		if a.Is4() != f.is4() {
			continue
		}
		to := flow.NewMatch(f.ip, flow.EqAddr(f.dst, a), has(bitEndpoint))
		out.Add(flow.New(tGate, 95, to, flow.Do(on(bitRouted), flow.GotoTable(tRoute))))
		out.Add(flow.New(tRoute, routePriority(a.BitLen(), rankLow), to, flow.Do(append(slices.Clip(steps), flow.GotoTable(tClosed))...)))
		if h.Label == s.Self {
			f.toHost(out, s, a)
			continue
		}
		// Answers of this host to another host by way of a service.
		out.Add(flow.New(tRoute, routePriority(a.BitLen(), rankLow), flow.NewMatch(f.ip, flow.EqAddr(f.dst, a), has(bitHost)),
			flow.Do(append(slices.Clip(steps), flow.GotoTable(tPolicyOut))...)))
	}
}

// nodeAsked looks endpoints' new connections to a node up among the ports that services have at all nodes: they are directed to a local
// backend, as at a service's address, and not to the node.
func (f *hostFamily) nodeAsked(out *flow.Set, h *ofnet.Host) {
	for _, a := range h.Addrs() {
		if a.Is4() == f.is4() {
			out.Add(flow.New(tService, 60, flow.NewMatch(f.ip, flow.EqAddr(f.dst, a), has(bitEndpoint), flow.State(flow.CTNew|flow.CTTracked, 0), flow.Eq(regSlot, 0)),
				flow.Do(load(regSlot, nodeSlot), flow.Resubmit(tService))))
		}
	}
}

// nodePort makes this host answer clients that it directed to a service without changing their address, including hosts: its kernel must
// translate the answer back.
func (f *hostFamily) nodePort(out *flow.Set, s *ofnet.State) {
	from := flow.NewMatch(f.ip, flow.EqAddr(f.src, NodePortAddr(f.subnet, true)), has(bitEndpoint))
	out.Add(flow.New(tRoute, routePriority(f.subnet.Addr().BitLen(), rankOurs)+1, from,
		flow.Do(flow.DecTTL(), load(regDstGroup, 0), load(regOut, s.Local.Host), flow.GotoTable(tPolicyOut))))
	// No service has the port: it belongs to the node.
	out.Add(flow.New(tService, 10, flow.NewMatch(f.ip, flow.Eq(regSlot, nodeSlot)), flow.Do(load(regSlot, 0), flow.GotoTable(tHairpin))))
}

// toHost passes packets for an address of this host to it, with the sender's own address, even if a service has directed them there, for
// the host itself or another one.
func (f *hostFamily) toHost(out *flow.Set, s *ofnet.State, a netip.Addr) {
	led := []flow.Action{flow.DecTTL(), flow.SetMAC(flow.EthDst, HostMAC), flow.SetMAC(flow.EthSrc, RouterMAC), load(regDstGroup, 0),
		load(regOut, s.Local.Host), on(bitHairpin), flow.GotoTable(tPolicyOut)}
	for _, by := range []int{bitHost, bitRelayed} {
		out.Add(flow.New(tRoute, routePriority(a.BitLen(), rankLow), flow.NewMatch(f.ip, flow.EqAddr(f.dst, a), has(by)), flow.Do(led...)))
	}
	out.Add(flow.New(tHostOut, exact+10, flow.NewMatch(f.ip, flow.EqAddr(f.dst, a)),
		flow.Do(flow.SetMAC(flow.EthDst, HostMAC), flow.SetMAC(flow.EthSrc, RouterMAC), flow.Output(s.Local.Host))))
	if s.Local.Tunnel != 0 {
		out.Add(flow.New(tOverlay, exact+10, flow.NewMatch(flow.Eq(flow.TunID, hostVNI), f.ip, flow.EqAddr(f.dst, a)),
			flow.Do(on(bitTunnel), on(bitFabric), load(regOut, s.Local.Host), flow.GotoTable(tHostOut))))
	}
}

// fromHost routes packets of the host to endpoints on other hosts. The other hosts apply rules and track, since only they see the answers.
func (f *hostFamily) fromHost(out *flow.Set, n *ofnet.Segment, t *ofnet.Tenant) {
	if p := f.prefix(n); p.IsValid() {
		out.Add(flow.New(tHostIn, 50, flow.NewMatch(f.ip, flow.EqPrefix(f.dst, p)),
			flow.Do(append(enter(bitHost, n, t), on(bitRouted), on(bitSkip), flow.GotoTable(tRoute))...)))
	}
}

// own accepts packets of the host to a local endpoint.
func (f *hostFamily) own(out *flow.Set, m member) {
	if a := ownAddress(m, f.subnet); a.IsValid() {
		out.Add(flow.New(tHostIn, exact, flow.NewMatch(f.ip, flow.EqAddr(f.dst, a)),
			flow.Do(append(enter(bitHost, m.net, m.tenant), on(bitRouted), flow.GotoTable(tUnhairpin))...)))
	}
}

// noGateway answers for the default route of endpoints on a bridged network without a gateway, by which they answer hosts.
func (f *hostFamily) noGateway(out *flow.Set, s *ofnet.State, n *ofnet.Segment) {
	if n.Mode != ofnet.Bridge || f.gateway(n).IsValid() || !f.prefix(n).IsValid() {
		return
	}
	asks := asks6(s, RouterLinkLocal())
	if f.is4() {
		asks = [][]flow.Term{{flow.Eq(flow.ARPOp, 1), flow.EqAddr(flow.ARPTPA, HostAddr(f.subnet))}}
	}
	for _, ask := range asks {
		out.Add(flow.New(tNeighbor, 130, flow.NewMatch(append(ask, has(bitEndpoint), inNetwork(n))...), answer(RouterMAC)))
	}
}

// prefix returns the network's subnet of the family; invalid if it has none.
func (f *hostFamily) prefix(n *ofnet.Segment) netip.Prefix {
	if f.is4() {
		return n.Prefix4
	}
	return n.Prefix6
}

// RouterLinkLocal is the router's IPv6 address on every network, the target of default routes if a network has no gateway.
func RouterLinkLocal() netip.Addr { return netip.AddrFrom16([16]byte{0: 0xfe, 1: 0x80, 15: 1}) }

// NextHop is the address in the private subnet of a family by which the host reaches endpoints by their own addresses: the switch answers
// for it, and no port has its number.
func NextHop(private netip.Prefix) netip.Addr { return privateAddr(private, 0xfffd) }

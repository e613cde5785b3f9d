// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// If hosts and endpoints communicate by their own addresses, processes of the host are clients of services too. A packet of the host to an
// address of a service is directed to a local backend, or passed on unchanged to the host of a backend: that host translates, tracks, and
// answers as the service, by the path on which endpoints answer hosts. So the backend sees the host's own address, and the host's switch
// tracks nothing for backends elsewhere.

// hostSlot marks slots of backends for processes of this host: those elsewhere are reached by the tunnel.
const hostSlot = 1 << 19

// fromHosts reports whether processes of hosts are clients.
func fromHosts(s *ofnet.State) bool {
	return s.Direct && s.Local.Host != 0 && s.Private.Addr().Is4()
}

// hostClient accepts packets of the host to an address of the service, and passes answers to it.
func (b *balancing) hostClient(out *flow.Set, s *ofnet.State, a netip.Addr) {
	if !fromHosts(s) {
		return
	}
	steps := enterTenant([]flow.Action{on(bitHost), on(bitRouted), load(regNetwork, outside)}, b.tenant)
	out.Add(flow.New(tHostIn, exact, flow.NewMatch(b.family, flow.EqAddr(b.dst, a)), flow.Do(append(steps, flow.GotoTable(tUnhairpin))...)))
}

// fromHost directs new connections of this host's processes to one of the backends, and those that another host has passed on to a local
// one.
func (q *portBalancing) fromHost(out *flow.Set, s *ofnet.State, a netip.Addr, cluster bool) {
	if !fromHosts(s) || len(q.all) == 0 {
		return
	}
	q.leadHost(out, q.asked(a), cluster && q.ClusterLocal)
	if cluster && len(q.here) > 0 {
		q.arrive(out, q.asked(a), false, has(bitRelayed))
	}
}

// nodeSlot marks, in place of a slot, new connections of endpoints to an address of a node: table service then matches only the port.
const nodeSlot = 1 << 20

// askedAtNode matches new connections of local endpoints to the port's number at any node's address.
func (q *portBalancing) askedAtNode() []flow.Term {
	return slices.Clip([]flow.Term{q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.Eq(regSlot, nodeSlot),
		flow.Eq(q.to, uint64(q.NodePort)), flow.State(flow.CTNew|flow.CTTracked, 0), inTenant(q.tenant)})
}

// nodePort accepts packets that the host's kernel has translated to a NodePortAddr: connections to the port's number at the host's own
// addresses.
func (q *portBalancing) nodePort(out *flow.Set, s *ofnet.State) {
	if !fromHosts(s) || q.NodePort == 0 {
		return
	}
	q.nodePortAt(out, s, false)
	if q.ExternalLocal {
		q.nodePortAt(out, s, true)
	}
}

// nodePortAt accepts packets that the host's kernel has translated to one NodePortAddr, and directs them to local backends, or to all.
func (q *portBalancing) nodePortAt(out *flow.Set, s *ofnet.State, local bool) {
	private := s.Private
	if q.six {
		private = Private6(private)
	}
	a := NodePortAddr(private, local)
	steps := enterTenant([]flow.Action{on(bitHost), on(bitRouted), load(regNetwork, outside)}, q.tenant)
	out.Add(flow.New(tHostIn, exact+20, flow.NewMatch(q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.EqAddr(q.dst, a), flow.Eq(q.to, uint64(q.NodePort))),
		flow.Do(append(steps, flow.GotoTable(tUnhairpin))...)))
	// Answers keep their source address, so that the kernel translates them back.
	out.Add(flow.New(tHostOut, exact+5, flow.NewMatch(q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.EqAddr(q.src, a), flow.Eq(q.from, uint64(q.NodePort))),
		flow.Do(flow.SetMAC(flow.EthDst, HostMAC), flow.SetMAC(flow.EthSrc, RouterMAC), flow.Output(s.Local.Host))))
	asked := q.askedAt(a, q.NodePort)
	if len(q.all) == 0 {
		out.Add(flow.New(tService, 50, flow.NewMatch(append(asked, has(bitHost))...), flow.Do(flow.GotoTable(tUnserved))))
		return
	}
	q.leadHost(out, asked, local)
	if len(q.here) > 0 {
		q.arrive(out, asked, false, has(bitRelayed))
	}
}

// leadHost directs packets of the host to one of the backends, or to one of the local ones.
func (q *portBalancing) leadHost(out *flow.Set, asked []flow.Term, here bool) {
	list, mark := q.all, uint32(hostSlot)
	if here {
		list, mark = q.here, hereSlot
	}
	do := flow.Actions{}
	switch {
	case len(list) == 0:
	case q.learns():
		do = flow.Do(append(q.led(), q.recall(mark)...)...)
	default:
		do = flow.Do(append(q.led(), load(regSlot, mark), q.multipath(len(list)), flow.GotoTable(tBackend))...)
	}
	out.Add(flow.New(tService, exact+10, flow.NewMatch(append(asked, has(bitHost))...), do))
}

// NodePortAddr is the address in the private subnet of a family to which the host's kernel translates connections to ports of services at
// the host's own addresses, with the same port number; with local, it is the one for clients outside of services whose connections from
// outside stay on the host.
func NodePortAddr(private netip.Prefix, local bool) netip.Addr {
	if local {
		return privateAddr(private, 0xfffb)
	}
	return privateAddr(private, 0xfffc)
}

// hostSlots are the slots for processes of this host.
func (q *portBalancing) hostSlots(out *flow.Set, s *ofnet.State) {
	if !fromHosts(s) {
		return
	}
	if q.learns() {
		q.learnedAmong(out, memory{hostSlot, q.all, func(x *backend) []flow.Action { return x.handed }})
		return
	}
	for i, x := range q.all {
		switch slot := uint64(hostSlot | i); {
		case x.here != 0:
			q.translate(out, x, slot)
		case x.handed != nil:
			out.Add(flow.New(tBackend, exact, q.slotMatch(slot), flow.Do(x.handed...)))
		}
	}
}

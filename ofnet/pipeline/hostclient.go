package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Where hosts and endpoints meet by their own addresses, processes of the host are clients of services too. What the host sends to an address
// of a service is led to a backend here, or as it is to the host of a backend: that one translates, remembers, and answers the host as from the
// service, by the way that endpoints answer hosts. So the backend sees the host's own address, and the host's switch remembers nothing of
// backends elsewhere.

// hostSlot marks slots of backends for processes of this host: those elsewhere are reached by way of the tunnel.
const hostSlot = 1 << 19

// fromHosts says whether processes of hosts are clients.
func fromHosts(s *ofnet.State) bool {
	return s.Direct && s.Local.Host != 0 && s.Private.Addr().Is4()
}

// hostClient takes what the host sends to an address of the service, and hands it what comes from there.
func (b *balancing) hostClient(out *flow.Set, s *ofnet.State, a netip.Addr) {
	if !fromHosts(s) {
		return
	}
	steps := enterTenant([]flow.Action{on(bitHost), on(bitRouted), load(regNetwork, outside)}, b.tenant)
	out.Add(flow.New(tHostIn, exact, flow.NewMatch(b.family, flow.EqAddr(b.dst, a)), flow.Do(append(steps, flow.GotoTable(tUnhairpin))...)))
}

// fromHost leads new connections of this host's processes to one of the backends, and those that another host has handed on to one here.
func (q *portBalancing) fromHost(out *flow.Set, s *ofnet.State, a netip.Addr, cluster bool) {
	if !fromHosts(s) || len(q.all) == 0 {
		return
	}
	list, mark := q.all, uint32(hostSlot)
	if cluster && q.ClusterLocal {
		list, mark = q.here, hereSlot
	}
	do := flow.Actions{}
	if len(list) > 0 {
		do = flow.Do(append(q.led(), load(regSlot, mark), q.multipath(len(list)), flow.GotoTable(tBackend))...)
	}
	out.Add(flow.New(tService, exact+10, flow.NewMatch(append(q.asked(a), has(bitHost))...), do))
	if cluster && len(q.here) > 0 {
		q.arrive(out, a, false, has(bitRelayed))
	}
}

// hostSlots are the slots that processes of this host are led to.
func (q *portBalancing) hostSlots(out *flow.Set, s *ofnet.State) {
	if !fromHosts(s) {
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

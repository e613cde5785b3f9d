// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// outside handles connections from outside. The host at which they arrive - the one that answers for the address on the uplink, or any that
// a router chose - directs each to a backend's host, by a hash that all hosts share; it remembers nothing except, for affinity with a
// timeout, the client's host. The backend's host chooses a backend of its own, translates, and remembers, so an open connection does not
// depend on the host at which its next packet arrives. With ExternalLocal a host keeps packets that arrive there, or drops them.
func (q *portBalancing) outside(out *flow.Set, s *ofnet.State) {
	if s.Local.Uplink == 0 && s.Local.Tunnel == 0 || len(q.external) == 0 && !fromHosts(s) || len(q.all) == 0 {
		return
	}
	fronting, routed := false, s.Router != nil && s.Router.Tenant == q.tenant.Name
	mac := uplinkMAC(s)
	for _, a := range q.external {
		fronts := q.fronts(s, a)
		fronting = fronting || fronts
		if mac != (ofnet.MAC{}) && (fronts || len(q.here) > 0) {
			q.arrive(out, q.asked(a), fronts, byUplink(s)...)
		}
		if routed {
			q.arrive(out, q.asked(a), true, fromOutside())
		}
		if len(q.here) > 0 {
			q.arrive(out, q.asked(a), false, has(bitRelayed))
		}
	}
	switch {
	case q.ClusterLocal: // the backends are local
	case q.learns():
		q.learnedAmong(out, memory{mark: hereSlot, list: q.here})
	default:
		for i, x := range q.here {
			q.translate(out, x, uint64(hereSlot|i))
		}
	}
	if !fronting && !routed || q.ExternalLocal {
		return
	}
	if q.learns() {
		q.learnedAmong(out, memory{outsideSlot, q.all, func(x *backend) []flow.Action { return x.relay }})
		return
	}
	for i, x := range q.all {
		switch slot := uint64(outsideSlot | i); {
		case x.here != 0:
			q.translate(out, x, slot)
		case x.relay != nil:
			out.Add(flow.New(tBackend, exact, q.slotMatch(slot), flow.Do(x.relay...)))
		}
	}
}

// arrive directs matching packets to a slot of all backends, or of the local ones.
func (q *portBalancing) arrive(out *flow.Set, asked []flow.Term, all bool, terms ...flow.Term) {
	// The second choice needs another basis: otherwise it would depend on the first.
	mark, basis, list := uint32(hereSlot), uint16(q.number+1), q.here
	if all && !q.ExternalLocal {
		mark, basis, list = outsideSlot, uint16(q.number), q.all
	}
	do := flow.Actions{} // no local backend, and no other host is to be used
	switch {
	case len(list) == 0:
	case q.learns():
		do = flow.Do(append(q.led(), q.recall(mark)...)...)
	default:
		do = flow.Do(append(q.led(), load(regSlot, mark), flow.Multipath(q.hash(), basis, len(list), flow.Range(regSlot, 0, 15)), flow.GotoTable(tBackend))...)
	}
	out.Add(flow.New(tService, exact, flow.NewMatch(append(asked, terms...)...), do))
}

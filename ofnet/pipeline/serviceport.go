// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// portBalancing is one port of a service, in one family.
type portBalancing struct {
	*balancing
	*ofnet.ServicePort
	number   uint32
	from, to flow.Field // ports
	// cluster and external are the service's addresses of the family at which it has the port, sole those of both without another UDP port.
	cluster, external, sole []netip.Addr
	backends                []backend
	// near get the connections of local clients, here those that must stay on this host, all those from outside.
	near, here, all []backend
}

// Marks of slots: hereSlot counts only the local backends; outsideSlot counts all, and remote ones are reached by their hosts.
const (
	hereSlot    = 1 << 16
	outsideSlot = 1 << 17
)

// asked matches new connections to the port at one of the service's addresses.
func (q *portBalancing) asked(a netip.Addr) []flow.Term { return q.askedAt(a, q.ServicePort.Port) }

// askedHere matches new connections of local clients: by the port's number and, if that is the only UDP port, by fragments of their first
// datagrams. The userspace datapath looks up each fragment, and the switch regards none as having ports; the tracker returns those of the
// first. It waits for all fragments before it translates, so a datagram whose first fragment has another port is dropped.
func (q *portBalancing) askedHere(a netip.Addr) [][]flow.Term {
	out := [][]flow.Term{q.asked(a)}
	if !slices.Contains(q.sole, a) {
		return out
	}
	const none = 0                                                                            // of a fragment
	of := slices.Clip(append(q.askedAt(a, none), flow.Eq(flow.CTIPProto, ofnet.ProtocolUDP))) // Open vSwitch lists no ct_tp_dst without
	first := append(of, flow.Eq(flow.CTTPDst, uint64(q.ServicePort.Port)))
	others := append(of, flow.Eq(flow.CTTPDst, none))
	if q.six { // their protocol is that of the header which marks them as fragments (RFC 8200 section 4.5)
		const fragment = 44
		others = []flow.Term{q.family, flow.Eq(flow.IPProto, fragment), flow.EqAddr(q.dst, a), flow.State(flow.CTNew|flow.CTTracked, 0), inTenant(q.tenant)}
	}
	return append(out, slices.Clip(first), slices.Clip(others))
}

// askedAt matches new connections to an address and port.
func (q *portBalancing) askedAt(a netip.Addr, port uint16) []flow.Term {
	return slices.Clip([]flow.Term{q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.EqAddr(q.dst, a),
		flow.Eq(q.to, uint64(port)), flow.State(flow.CTNew|flow.CTTracked, 0), inTenant(q.tenant)})
}

// led are the first actions for a connection to the port: it is routed to the backend, whatever gateway the client sent it to.
func (q *portBalancing) led() []flow.Action {
	return slices.Clip([]flow.Action{flow.SetMAC(flow.EthDst, RouterMAC), load(regService, q.number)})
}

// choices sends new connections of local clients to a slot of the backend table. Packets from the fabric are not directed again, except
// those from outside.
func (q *portBalancing) choices(out *flow.Set, s *ofnet.State) {
	near := choice{q, 0, q.near, spread | q.number}
	inside := near
	if q.ClusterLocal {
		inside = choice{q, hereSlot, q.here, spreadHere | q.number}
	}
	for _, a := range q.cluster {
		for _, asked := range q.askedHere(a) {
			inside.lead(out, asked)
			if len(inside.among) == 0 && len(q.all) > 0 { // only remote backends exist, which are not allowed
				out.Add(flow.New(tService, exact, flow.NewMatch(append(asked, hasNot(bitFabric))...), flow.Actions{}))
			}
		}
	}
	for _, a := range q.external {
		for _, asked := range q.askedHere(a) {
			near.lead(out, asked)
		}
	}
	nodePort := q.NodePort != 0 && fromHosts(s) // ExternalLocal applies to clients outside
	if nodePort {
		near.lead(out, q.askedAtNode())
	}
	if len(q.cluster) > 0 {
		inside.group(out)
	}
	if (len(q.external) > 0 || nodePort) && (len(q.cluster) == 0 || q.ClusterLocal) {
		near.group(out)
	}
}

// choice is the set of backends for the connections of a local client.
type choice struct {
	*portBalancing
	mark  uint32 // of the slots
	among []backend
	id    uint32 // of the group
}

// grouped reports whether the datapath chooses: connections then do not visit the tables one by one. Its hash has no ports of UDP, and
// would direct all connections of a client to one backend.
func (c *choice) grouped() bool {
	return !c.Affinity.Client && c.Protocol != ofnet.ProtocolUDP && len(c.among) <= maxSpread
}

// lead directs the connections to the service.
func (c *choice) lead(out *flow.Set, asked []flow.Term) {
	if len(c.among) == 0 {
		return
	}
	steps := c.led()
	switch {
	case c.grouped():
		steps = append(steps, flow.ToGroup(c.id))
	case c.learns():
		steps = append(steps, c.recall(c.mark)...)
	default:
		steps = append(steps, load(regSlot, c.mark), c.multipath(len(c.among)), flow.GotoTable(tBackend))
	}
	out.Add(flow.New(tService, exact, flow.NewMatch(append(asked, hasNot(bitFabric))...), flow.Do(steps...)))
}

// group adds the group, if any.
func (c *choice) group(out *flow.Set) {
	if !c.grouped() || len(c.among) == 0 {
		return
	}
	buckets := make([]flow.Bucket, len(c.among))
	for i := range c.among {
		buckets[i] = flow.Bucket{Weight: 100, Actions: flow.Do(load(regSlot, c.mark|uint32(i)), flow.Resubmit(tBackend))}
	}
	out.AddGroup(flow.Group{ID: c.id, Type: flow.GroupSelect, Buckets: flow.NewBuckets(buckets...)})
}

// hash are the fields that choose a backend if the tables do.
func (q *portBalancing) hash() flow.HashFields {
	switch {
	case q.Affinity.Client:
		return flow.HashSymmetricL3
	case q.Protocol == ofnet.ProtocolUDP:
		return flow.HashSymmetricL3L4UDP
	}
	return flow.HashSymmetricL3L4
}

// multipath chooses one of n slots.
func (q *portBalancing) multipath(n int) flow.Action {
	return flow.Multipath(q.hash(), uint16(q.number), n, flow.Range(regSlot, 0, 15))
}

// slots directs the slots of near and here to their backends.
func (q *portBalancing) slots(out *flow.Set) {
	if q.learns() {
		q.learned(out)
		return
	}
	for i, x := range q.near {
		q.translate(out, x, uint64(i))
	}
	if q.ClusterLocal {
		for i, x := range q.here {
			q.translate(out, x, uint64(hereSlot|i))
		}
	}
}

// slotMatch matches packets directed to a slot of the port, whose number no port of another protocol has.
func (q *portBalancing) slotMatch(slot uint64) flow.Match {
	return flow.NewMatch(q.family, flow.Eq(regService, uint64(q.number)), flow.Eq(regSlot, slot))
}

func (q *portBalancing) translate(out *flow.Set, x backend, slot uint64) {
	q.add(out, x, ofnet.LoadOpened, flow.New(tBackend, exact, q.slotMatch(slot), flow.Do(q.translation(x))))
}

// translation makes the tracker direct a connection to a backend.
func (q *portBalancing) translation(x backend) flow.Action {
	return flow.Track(flow.CT{
		Commit: true, ZoneFrom: zone(), Recirc: true, Table: tHairpin,
		NAT:  &flow.NAT{Dst: true, First: x.Addr, PortLow: x.Target},
		Exec: []flow.Action{flow.Load(labelService(), uint64(q.number)), flow.Load(labelBackend(), x.label())},
	})
}

// counted counts the packets between the local clients and a backend, and lets a backend reach itself: for it to answer the service's
// address, packets must come from that address. The second translation has a zone of its own.
func (q *portBalancing) counted(out *flow.Set, x backend) {
	label := flow.EqBits(flow.Bits{Field: flow.CTLabel, First: labelService().First, N: labelService().N + labelBackend().N},
		x.label()<<labelService().N|uint64(q.number))
	behind := slices.Clip([]flow.Term{label, inTenant(q.tenant)})
	to := slices.Clip(append(behind, q.family, flow.State(flow.CTTracked, flow.CTRpl)))
	q.add(out, x, ofnet.LoadTo, flow.New(tHairpin, exact, flow.NewMatch(to...), flow.Do(flow.GotoTable(tPeer))))
	answered := flow.Do(on(bitSkip), flow.GotoTable(tPeer))
	if q.Protocol == ofnet.ProtocolUDP {
		// If the rules have changed, they judge the packet that the client would send to the backend.
		answered = flow.Do(on(bitAnswer), on(bitBehind), q.remember(x), load(regPort, uint32(x.Target)), load(regSrcGroup, x.group),
			flow.GotoTable(tPeer))
	}
	if q.Protocol == ofnet.ProtocolSCTP { // translated by a tracker that knows its ports: only this association was refused
		out.Add(flow.New(tState, 183, flow.NewMatch(append(behind, q.family, answering(), flow.EqMask(flow.CTMark, markBlocked, markBlocked))...), flow.Actions{}))
	}
	q.add(out, x, ofnet.LoadFrom, flow.New(tState, 182, flow.NewMatch(append(behind, q.family, answering())...), answered))
	if x.here == 0 {
		return
	}
	back := flow.Do(on(bitSkip), on(bitHairpin), flow.Track(flow.CT{Commit: true, ZoneFrom: flow.Range(regTenant, 16, 31), Recirc: true,
		Table: tGate, NAT: &flow.NAT{Src: true, First: q.main()}}))
	q.add(out, x, ofnet.LoadTo, flow.New(tHairpin, exact+10, flow.NewMatch(append(to, flow.EqAddr(q.src, x.Addr))...), back))
	if x.Host != "" { // it would bypass the switch when it answers another host, whose packet was passed on
		q.add(out, x, ofnet.LoadTo, flow.New(tHairpin, exact+20, flow.NewMatch(append(to, has(bitRelayed))...), back))
	}
}

// unhairpin reverts the second translation in the backend's answers to itself.
func (q *portBalancing) unhairpin(x backend) flow.Flow {
	return flow.New(tUnhairpin, exact, flow.NewMatch(q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.Eq(flow.InPort, uint64(x.here)),
		flow.EqAddr(q.dst, q.main()), flow.Eq(q.from, uint64(x.Target))),
		flow.Do(on(bitHairpin), flow.Track(flow.CT{ZoneFrom: flow.Range(regTenant, 16, 31), NAT: &flow.NAT{}, Recirc: true, Table: tTrack})))
}

// add adds a flow that counts for a backend.
func (q *portBalancing) add(out *flow.Set, x backend, of ofnet.Load, f flow.Flow) {
	f.Cookie = flow.NewCookie(0, 0, flow.Owner(q.LoadKey(q.ServicePort, x.Backend, of)))
	out.Add(f)
}

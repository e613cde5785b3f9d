package pipeline

import (
	"iter"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// service leads the connections of clients that are here to a backend, wherever that is: the tracker translates the
// service's address and port into the backend's, and back in the answers. Only the client's host does so; everyone else
// sees client and backend. Rules are asked afterwards, so they judge the connection to the backend.
type service struct{}

func (service) Name() string { return "service" }

func (service) Tables() []flow.Table {
	return []flow.Table{
		{ID: tUnhairpin, Name: "unhairpin", Miss: flow.Do(flow.GotoTable(tTrack)), Asks: "reply of a hairpinned connection"},
		{ID: tService, Name: "service", Miss: flow.Do(flow.GotoTable(tHairpin)), Asks: "service address to backends"},
		{ID: tBackend, Name: "backend", Asks: "slot to backend", Lost: "the service has no such provider"},
		{ID: tHairpin, Name: "hairpin", Miss: flow.Do(flow.GotoTable(tPeer)), Asks: "is the backend the client itself"},
	}
}

func (service) Reads() []*Input {
	over := func(s *ofnet.State, list iter.Seq[*ofnet.Endpoint], to owners) {
		for e := range list {
			each(s.ServicesOver(e), to)
		}
	}
	return append(slices.Clone(readsSwitch), readsRouter,
		rows(serviceRows, func(_ *ofnet.State, v *ofnet.Service, to owners) { to(v.Key()) }),
		rows(tenantRows, func(s *ofnet.State, t *ofnet.Tenant, to owners) { each(s.ServicesOf(t.Name), to) }),
		rows(endpointRows, func(s *ofnet.State, e *ofnet.Endpoint, to owners) { each(s.ServicesOver(e), to) }),
		// Which of a tenant's endpoints an address stands for depends on its segments.
		rows(segmentRows, func(s *ofnet.State, n *ofnet.Segment, to owners) { over(s, s.Members(n.Name), to) }),
		rows(groupRows, func(s *ofnet.State, g *ofnet.Group, to owners) { over(s, s.MembersOf(g.Name), to) }),
		rows(hostRows, func(s *ofnet.State, h *ofnet.Host, to owners) { over(s, s.On(h.Label), to) }))
}

func (service) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	if owner.Kind != ofnet.KindService {
		return
	}
	b, ok := balancingOf(s, owner.Name)
	if !ok {
		return
	}
	v, t := b.Service, b.tenant
	b.resolution(out, s)
	// A port that the service does not have, and every port while it has no backend.
	out.Add(flow.New(tService, 50, flow.NewMatch(b.family, flow.EqAddr(b.dst, v.Address), inTenant(t)), flow.Actions{}))
	numbers := v.Numbers()
	unhairpin := map[flow.Key]bool{}
	for i, p := range v.Ports {
		from, to, ok := portFields(p.Protocol)
		if !ok || i >= len(numbers) {
			continue
		}
		q := portBalancing{balancing: &b, ServicePort: p, number: numbers[i], from: from, to: to}
		q.choice(out, s)
		for _, x := range b.backends {
			q.translation(out, x)
			q.counted(out, x)
			if x.here == 0 {
				continue
			}
			if f := q.unhairpin(x); !unhairpin[f.Key] { // ports may share their target
				unhairpin[f.Key] = true
				out.Add(f)
			}
		}
	}
}

// balancingOf puts a service together; ok is false when it is not in s, or its tenant is not.
func balancingOf(s *ofnet.State, name string) (b balancing, ok bool) {
	v := s.Services.Get(name)
	if v == nil || !v.Address.IsValid() {
		return b, false
	}
	t := s.Tenants.Get(v.Tenant)
	if t == nil {
		return b, false
	}
	b = balancing{Service: v, tenant: t, family: flow.IP(), dst: flow.IPDst, src: flow.IPSrc}
	if v.Address.Is6() {
		b.family, b.dst, b.src = flow.IPv6(), flow.IPv6Dst, flow.IPv6Src
	}
	for _, a := range v.Backends {
		if a.Is4() != v.Address.Is4() {
			continue
		}
		x := backend{Addr: a, slot: len(b.backends)}
		m, ok := resolve(s, s.At(v.Tenant, a))
		x.group = m.group
		switch {
		case ok && m.local:
			x.here = m.Port
		case ok:
			x.relay = relayTo(s, m)
		}
		if ok && b.front == "" {
			b.front = m.Host
		}
		b.backends = append(b.backends, x)
	}
	return b, true
}

// portFields are the fields of a protocol's ports; ok is false when it has none.
func portFields(protocol uint8) (from, to flow.Field, ok bool) {
	switch protocol {
	case ofnet.ProtocolTCP:
		return flow.TCPSrc, flow.TCPDst, true
	case ofnet.ProtocolUDP:
		return flow.UDPSrc, flow.UDPDst, true
	case ofnet.ProtocolSCTP:
		return flow.SCTPSrc, flow.SCTPDst, true
	}
	return flow.NoField, flow.NoField, false
}

// balancing is a service with what it is made of.
type balancing struct {
	*ofnet.Service
	tenant   *ofnet.Tenant
	family   flow.Term
	dst, src flow.Field // addresses
	backends []backend
	front    string // host that takes connections from the uplink: that of the first backend; "" when it is not known
}

type backend struct {
	netip.Addr
	slot  int
	group uint32        // of the endpoint; 0: none
	here  uint32        // port of the endpoint, 0 when it is on another host or not known
	relay []flow.Action // that hand a packet on to its host; nil when it is here, or there is no way
}

// label is what the tracker calls the backend.
func (x backend) label() uint64 {
	b := x.As16()
	if x.Is4() {
		return uint64(b[12])<<24 | uint64(b[13])<<16 | uint64(b[14])<<8 | uint64(b[15])
	}
	const prime, offset = 16777619, 2166136261 // FNV-1a
	h := uint32(offset)
	for _, c := range b {
		h = (h ^ uint32(c)) * prime
	}
	return uint64(h)
}

// Marks of slots: hereSlot, they count the backends here alone; outsideSlot, they count all, and those elsewhere are reached
// by way of their hosts.
const (
	hereSlot    = 1 << 16
	outsideSlot = 1 << 17
)

// resolution answers who has the service's address: the router, as everywhere; on a VLAN, for those outside, one host.
func (b *balancing) resolution(out *flow.Set, s *ofnet.State) {
	ask := []flow.Term{flow.Eq(flow.ARPOp, 1), flow.ARP()}
	target := flow.ARPTPA
	if b.Address.Is6() {
		ask, target = solicits(), flow.NDTarget
	}
	ask = slices.Clip(append(ask, flow.EqAddr(target, b.Address), inTenant(b.tenant)))
	out.Add(flow.New(tNeighbor, 120, flow.NewMatch(append(ask, has(bitEndpoint))...), answer(RouterMAC)))
	if b.fronts(s) {
		out.Add(flow.New(tNeighbor, 120, flow.NewMatch(append(ask, has(bitUplink))...), answer(uplinkMAC(s))))
	}
}

// fronts says that this host takes the connections that come by the uplink.
func (b *balancing) fronts(s *ofnet.State) bool {
	return s.Local.Uplink != 0 && b.front == s.Self && uplinkMAC(s) != ofnet.MAC{}
}

// here counts the backends on this host.
func (b *balancing) here() (n int) {
	for _, x := range b.backends {
		if x.here != 0 {
			n++
		}
	}
	return n
}

// portBalancing is one port of a service.
type portBalancing struct {
	*balancing
	ofnet.ServicePort
	number   uint32
	from, to flow.Field // ports
}

// choice sends a new connection of a client here to a slot of the backend table. Packets of the fabric are not led on, but
// for those from outside.
func (q *portBalancing) choice(out *flow.Set, s *ofnet.State) {
	if len(q.backends) == 0 {
		return
	}
	match := slices.Clip([]flow.Term{q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.EqAddr(q.dst, q.Address),
		flow.Eq(q.to, uint64(q.Port)), flow.State(flow.CTNew|flow.CTTracked, 0), inTenant(q.tenant)})
	// The packet is routed to the backend, whatever gateway the client sent it to.
	steps := slices.Clip([]flow.Action{flow.SetMAC(flow.EthDst, RouterMAC), load(regService, q.number)})
	hash := flow.HashSymmetricL3L4
	if q.Affinity {
		hash = flow.HashSymmetricL3
	}
	among := func(n int) flow.Action {
		return flow.Multipath(hash, uint16(q.number), n, flow.Range(regSlot, 0, 15))
	}
	if !q.Affinity && len(q.backends) <= spreadMost {
		// A group's hash is the datapath's: connections need no visit to the tables each.
		id := spread | q.number
		buckets := make([]flow.Bucket, len(q.backends))
		for i, x := range q.backends {
			buckets[i] = flow.Bucket{Weight: 100, Actions: flow.Do(load(regSlot, uint32(x.slot)), flow.Resubmit(tBackend))}
		}
		out.AddGroup(flow.Group{ID: id, Type: flow.GroupSelect, Buckets: flow.NewBuckets(buckets...)})
		out.Add(flow.New(tService, exact, flow.NewMatch(append(match, hasNot(bitFabric))...), flow.Do(append(steps, flow.ToGroup(id))...)))
	} else {
		out.Add(flow.New(tService, exact, flow.NewMatch(append(match, hasNot(bitFabric))...), flow.Do(append(steps,
			load(regSlot, 0), among(len(q.backends)), flow.GotoTable(tBackend))...)))
	}
	q.outside(out, s, match, steps, hash)
}

// outside takes the connections from outside. The host at which they arrive - the one that answers for the address on the
// uplink, or any that a router chose - leads each to a backend's host, by a hash that all hosts share; it remembers
// nothing. That host leads it to a backend of its own, translates, and remembers, so it does not matter to an open
// connection by which host its next packet arrives.
func (q *portBalancing) outside(out *flow.Set, s *ofnet.State, match []flow.Term, steps []flow.Action, hash flow.HashFields) {
	if s.Local.Uplink == 0 && s.Local.Tunnel == 0 {
		return
	}
	n := q.here()
	lead := func(all bool, terms ...flow.Term) {
		// Another basis for the second choice: else it would depend on the first.
		mark, basis, count := uint32(hereSlot), uint16(q.number+1), n
		if all {
			mark, basis, count = outsideSlot, uint16(q.number), len(q.backends)
		}
		out.Add(flow.New(tService, exact, flow.NewMatch(append(match, terms...)...), flow.Do(append(steps, load(regSlot, mark),
			flow.Multipath(hash, basis, count, flow.Range(regSlot, 0, 15)), flow.GotoTable(tBackend))...)))
	}
	fronts, routed := q.fronts(s), s.Router != nil && s.Router.Tenant == q.tenant.Name
	if mac := uplinkMAC(s); mac != (ofnet.MAC{}) && (fronts || n > 0) {
		// To this host by name: what a physical switch floods is others' business.
		lead(fronts, flow.EqMAC(flow.EthDst, mac), flow.EqMask(regFlags, 1<<bitUplink, 1<<bitUplink|1<<bitRouted|1<<bitRelayed))
	}
	if routed {
		lead(true, fromOutside())
	}
	if n > 0 {
		lead(false, has(bitRelayed))
	}
	slot := uint64(hereSlot)
	for _, x := range q.backends {
		if x.here != 0 {
			q.translate(out, x, slot)
			slot++
		}
		if !fronts && !routed {
			continue
		}
		switch number := outsideSlot | uint64(x.slot); {
		case x.here != 0:
			q.translate(out, x, number)
		case x.relay != nil:
			out.Add(flow.New(tBackend, exact, q.slotMatch(number), flow.Do(x.relay...)))
		}
	}
}

// slotMatch matches what was led to a slot of the port.
func (q *portBalancing) slotMatch(slot uint64) flow.Match {
	return flow.NewMatch(q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.Eq(regService, uint64(q.number)), flow.Eq(regSlot, slot))
}

// translation leads slot n of the port to its backend.
func (q *portBalancing) translation(out *flow.Set, x backend) { q.translate(out, x, uint64(x.slot)) }

func (q *portBalancing) translate(out *flow.Set, x backend, slot uint64) {
	q.add(out, x, ofnet.LoadOpened, flow.New(tBackend, exact, q.slotMatch(slot), flow.Do(flow.Track(flow.CT{
		Commit: true, ZoneFrom: zone(), Recirc: true, Table: tHairpin,
		NAT:  &flow.NAT{Dst: true, First: x.Addr, PortLow: q.Target},
		Exec: []flow.Action{flow.Load(labelService(), uint64(q.number)), flow.Load(labelBackend(), x.label())},
	}))))
}

// counted counts what passes between the clients here and a backend, and lets a backend reach itself: for it to answer
// the service's address, that must be where the packet comes from. The second translation has a zone of its own.
func (q *portBalancing) counted(out *flow.Set, x backend) {
	label := flow.EqBits(flow.Bits{Field: flow.CTLabel, First: labelService().First, N: labelService().N + labelBackend().N},
		x.label()<<labelService().N|uint64(q.number))
	behind := slices.Clip([]flow.Term{label, inTenant(q.tenant)})
	to := slices.Clip(append(behind, q.family, flow.State(flow.CTTracked, flow.CTRpl)))
	q.add(out, x, ofnet.LoadTo, flow.New(tHairpin, exact, flow.NewMatch(to...), flow.Do(flow.GotoTable(tPeer))))
	answered := flow.Do(on(bitSkip), flow.GotoTable(tPeer))
	if q.Protocol == ofnet.ProtocolUDP {
		// Should the rules have changed, they judge what the client would send to the backend.
		answered = flow.Do(on(bitAnswer), on(bitBehind), q.remember(x), load(regPort, uint32(q.Target)), load(regSrcGroup, x.group),
			flow.GotoTable(tPeer))
	}
	if q.Protocol == ofnet.ProtocolSCTP { // translated by a tracker that knows its ports: what was refused is this association alone
		out.Add(flow.New(tState, 183, flow.NewMatch(append(behind, q.family, answering(), flow.EqMask(flow.CTMark, markBlocked, markBlocked))...), flow.Actions{}))
	}
	q.add(out, x, ofnet.LoadFrom, flow.New(tState, 182, flow.NewMatch(append(behind, q.family, answering())...), answered))
	if x.here != 0 {
		q.add(out, x, ofnet.LoadTo, flow.New(tHairpin, exact+10, flow.NewMatch(append(to, flow.EqAddr(q.src, x.Addr))...),
			flow.Do(on(bitSkip), on(bitHairpin), flow.Track(flow.CT{Commit: true, ZoneFrom: flow.Range(regTenant, 16, 31), Recirc: true,
				Table: tGate, NAT: &flow.NAT{Src: true, First: q.Address}}))))
	}
}

// remember puts the backend's address into a register.
func (b *balancing) remember(x backend) flow.Action {
	if x.Is4() {
		return flow.SetAddr(regBackend, x.Addr)
	}
	return flow.SetAddr(regBackend6, x.Addr)
}

// unhairpin undoes the second translation in what the backend answers to itself.
func (q *portBalancing) unhairpin(x backend) flow.Flow {
	return flow.New(tUnhairpin, exact, flow.NewMatch(q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.Eq(flow.InPort, uint64(x.here)),
		flow.EqAddr(q.dst, q.Address), flow.Eq(q.from, uint64(q.Target))),
		flow.Do(on(bitHairpin), flow.Track(flow.CT{ZoneFrom: flow.Range(regTenant, 16, 31), NAT: &flow.NAT{}, Recirc: true, Table: tTrack})))
}

// add adds a flow that counts for a backend.
func (q *portBalancing) add(out *flow.Set, x backend, of ofnet.Load, f flow.Flow) {
	f.Cookie = flow.NewCookie(0, 0, flow.Owner(q.LoadKey(q.ServicePort, x.Addr, of)))
	out.Add(f)
}

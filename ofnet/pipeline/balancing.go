// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// balancing is a service in one address family, with its parts.
type balancing struct {
	*ofnet.Service
	tenant   *ofnet.Tenant
	six      bool
	family   flow.Term
	dst, src flow.Field   // addresses
	cluster  []netip.Addr // of the family
	external []netip.Addr // of the family
	ports    []portBalancing
	front    string // host that accepts connections from the uplink: that of the backend with the lowest address; "" if unknown
}

// balancingOf assembles a service; ok is false if the service or its tenant is not in s, or it has no address of the family.
func balancingOf(s *ofnet.State, name string, six bool) (b *balancing, ok bool) {
	v := s.Services.Get(name)
	if v == nil {
		return nil, false
	}
	b = &balancing{Service: v, six: six, family: flow.IP(), dst: flow.IPDst, src: flow.IPSrc, tenant: s.Tenants.Get(v.Tenant)}
	if six {
		b.family, b.dst, b.src = flow.IPv6(), flow.IPv6Dst, flow.IPv6Src
	}
	b.cluster, b.external = b.ofFamily(v.Cluster), b.ofFamily(v.External)
	if b.tenant == nil || len(b.cluster)+len(b.external) == 0 {
		return nil, false
	}
	var first netip.Addr
	for i := range v.Ports {
		p := &v.Ports[i]
		from, to, known := portFields(p.Protocol)
		number := v.Number(i, six)
		if !known || number == 0 {
			continue
		}
		q := portBalancing{balancing: b, ServicePort: p, number: number, from: from, to: to}
		for _, x := range p.Backends {
			if x.Addr.Is4() == six {
				continue
			}
			y, host := b.backend(s, x)
			y.at, y.twin = host, p.Twin(x)
			if host != "" && (b.front == "" || x.Addr.Less(first)) {
				b.front, first = host, x.Addr
			}
			q.backends = append(q.backends, y)
		}
		q.choose()
		q.cluster, q.external = q.own(s, b.cluster), q.own(s, b.external)
		q.sole = q.single(s, slices.Concat(q.cluster, q.external))
		b.ports = append(b.ports, q)
	}
	return b, true
}

// ofFamily returns the addresses of a list that are of the family.
func (b *balancing) ofFamily(list []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(list), func(a netip.Addr) bool { return a.Is4() == b.six })
}

// backend returns the path of packets to a backend, and its host; "" if unknown.
func (b *balancing) backend(s *ofnet.State, x ofnet.Backend) (y backend, host string) {
	y = backend{Backend: x}
	if x.Host != "" {
		switch h := s.Hosts.Get(x.Host); {
		case x.Host == s.Self:
			y.here = s.Local.Host
		case h != nil && h.VTEP.IsValid() && s.Local.Tunnel != 0:
			y.relay = hostRelay(s, h, b.tenant)
			y.handed = y.relay
		}
		return y, x.Host
	}
	m, ok := resolve(s, s.At(b.Tenant, x.Addr))
	y.group = m.group
	if !ok {
		return y, ""
	}
	if m.local {
		y.here = m.Port
	} else {
		y.relay = relayTo(s, m)
		if m.host.VTEP.IsValid() && s.Local.Tunnel != 0 {
			y.handed = tunnelRelay(s, m)
		}
	}
	return y, m.Host
}

// portFields returns the fields of a protocol's ports; ok is false if it has none.
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

// flows adds all flows of the service in the family.
func (b *balancing) flows(out *flow.Set, s *ofnet.State) {
	for _, a := range b.cluster {
		b.address(out, s, a, false)
	}
	for _, a := range b.external {
		b.address(out, s, a, true)
	}
	hairpins := map[flow.Key]struct{}{} // ports may share their target
	for i := range b.ports {
		q := &b.ports[i]
		q.guard(out)
		q.choices(out, s)
		q.slots(out)
		q.outside(out, s)
		q.hostSlots(out, s)
		q.nodePort(out, s)
		for _, x := range q.backends {
			q.counted(out, x)
			if x.here == 0 {
				continue
			}
			f := q.unhairpin(x)
			if _, shared := hairpins[f.Key]; !shared {
				hairpins[f.Key] = struct{}{}
				out.Add(f)
			}
		}
	}
}

// address answers queries for an address of the service: the router, as everywhere; on a VLAN, for machines outside, one host. Clients get
// an error for a port that the service does not have, and for one that has no backend.
func (b *balancing) address(out *flow.Set, s *ofnet.State, a netip.Addr, external bool) {
	if b.leadsHere(s, a) {
		b.hostClient(out, s, a)
	}
	for i := range b.ports {
		if q := &b.ports[i]; !b.Borrows(a) && (slices.Contains(q.cluster, a) || slices.Contains(q.external, a)) {
			q.fromHost(out, s, a, !external)
		}
	}
	if !b.leads(s, a) {
		return
	}
	var asks [][]flow.Term
	if b.six {
		asks = asks6(s, a)
	} else {
		asks = [][]flow.Term{{flow.Eq(flow.ARPOp, 1), flow.EqAddr(flow.ARPTPA, a)}}
	}
	for _, ask := range asks {
		ask = slices.Clip(append(ask, inTenant(b.tenant)))
		out.Add(flow.New(tNeighbor, 120, flow.NewMatch(append(ask, has(bitEndpoint))...), answer(RouterMAC)))
		if external && b.fronts(s, a) {
			out.Add(flow.New(tNeighbor, 120, flow.NewMatch(append(ask, has(bitUplink))...), answer(uplinkMAC(s))))
		}
	}
	b.unserved(out, s, a, external)
}

// unserved sends errors to rejected clients: those on this host, and, for an address for outside, those whose connections this host
// accepts. It drops packets from other switches, and packets that other hosts accept.
func (b *balancing) unserved(out *flow.Set, s *ofnet.State, a netip.Addr, external bool) {
	to := slices.Clip([]flow.Term{b.family, flow.EqAddr(b.dst, a), inTenant(b.tenant)})
	tell := func(terms ...flow.Term) {
		out.Add(flow.New(tService, 50, flow.NewMatch(append(to, terms...)...), flow.Do(flow.GotoTable(tUnserved))))
	}
	tell(hasNot(bitFabric))
	if external && b.fronts(s, a) {
		tell(byUplink(s)...)
	}
	if external && s.Router != nil && s.Router.Tenant == b.tenant.Name {
		tell(fromOutside())
	}
	out.Add(flow.New(tService, 40, flow.NewMatch(to...), flow.Actions{}))
}

// byUplink matches packets from a VLAN's trunk to this host by name: other hosts handle packets that a physical switch floods.
func byUplink(s *ofnet.State) []flow.Term {
	return []flow.Term{flow.EqMAC(flow.EthDst, uplinkMAC(s)), flow.EqMask(regFlags, 1<<bitUplink, 1<<bitUplink|1<<bitRouted|1<<bitRelayed)}
}

// fronts reports whether this host accepts connections to an address that come by the uplink.
func (b *balancing) fronts(s *ofnet.State, a netip.Addr) bool {
	return s.Local.Uplink != 0 && b.frontOf(s, a) == s.Self && uplinkMAC(s) != ofnet.MAC{}
}

// main is the source address of the service's own messages.
func (b *balancing) main() netip.Addr {
	if len(b.cluster) > 0 {
		return b.cluster[0]
	}
	return b.external[0]
}

// remember stores the backend's address in a register.
func (b *balancing) remember(x backend) flow.Action {
	if b.six {
		return flow.SetAddr(regBackend6, x.Addr)
	}
	return flow.SetAddr(regBackend, x.Addr)
}

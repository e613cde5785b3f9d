// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"iter"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Services may share an address. Flows of the address itself belong to the first of them by name, and flows of a port to the first that has
// it. If none of them has the address as its own, there are no flows of the address itself: its other ports belong to its owner.

// sharers calls to with services, and with those that share an address with one of them.
func sharers(s *ofnet.State, list iter.Seq[*ofnet.Service], to owners) {
	for v := range list {
		each(s.Sharers(v), to)
	}
}

// leads reports whether the service is the first of its tenant that has an address as its own.
func (b *balancing) leads(s *ofnet.State, a netip.Addr) bool {
	return s.FirstAt(a, b.beside).Name == b.Name && !b.Borrows(a)
}

// leadsHere reports whether the service is the first of all tenants that has an address as its own: processes of hosts have no tenant.
func (b *balancing) leadsHere(s *ofnet.State, a netip.Addr) bool {
	return s.FirstAt(a, func(*ofnet.Service) bool { return true }).Name == b.Name && !b.Borrows(a)
}

// beside reports whether a service is of the same tenant.
func (b *balancing) beside(o *ofnet.Service) bool { return o.Tenant == b.Tenant }

// frontOf returns the host that accepts connections from the uplink to an address; "" if unknown.
func (b *balancing) frontOf(s *ofnet.State, a netip.Addr) string {
	first := s.FirstAt(a, b.beside)
	if first.Name == b.Name {
		return b.front
	}
	if o, ok := balancingOf(s, first.Name, b.six); ok {
		return o.front
	}
	return ""
}

// own returns the addresses of a list by which clients of the port reach this service.
func (q *portBalancing) own(s *ofnet.State, list []netip.Addr) (out []netip.Addr) {
	has := func(o *ofnet.Service) bool { return q.beside(o) && o.Port(q.Protocol, q.ServicePort.Port) != nil }
	for _, a := range list {
		if q.Borrows(a) && !s.FirstAt(a, q.beside).Borrows(a) {
			continue // the owner of the address has all of it
		}
		if s.FirstAt(a, has).Name == q.Service.Name { // ports of equal addresses are ordered by name
			out = append(out, a)
		}
	}
	return out
}

// single returns the addresses of a list at which the port is the only UDP port.
func (q *portBalancing) single(s *ofnet.State, list []netip.Addr) (out []netip.Addr) {
	if q.Protocol != ofnet.ProtocolUDP {
		return nil
	}
	another := func(p ofnet.ServicePort) bool { return p.Protocol == ofnet.ProtocolUDP && p.Port != q.ServicePort.Port }
	for _, a := range list {
		if q.Borrows(a) {
			continue // fragments do not identify their port
		}
		if s.FirstAt(a, func(o *ofnet.Service) bool { return q.beside(o) && slices.ContainsFunc(o.Ports, another) }) == nil {
			out = append(out, a)
		}
	}
	return out
}

// guard drops packets to the port at a guarded address, except from allowed sources.
func (q *portBalancing) guard(out *flow.Set) {
	whole := netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	if q.six {
		whole = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	for _, a := range q.external {
		if !slices.Contains(q.Guarded, a) {
			continue
		}
		for _, p := range ofnet.Without(whole, q.Sources) {
			from := []flow.Term{q.family, flow.Eq(flow.IPProto, uint64(q.Protocol)), flow.EqAddr(q.dst, a), flow.Eq(q.to, uint64(q.ServicePort.Port)), inTenant(q.tenant)}
			if p.Bits() > 0 {
				from = append(from, flow.EqPrefix(q.src, p))
			}
			out.Add(flow.New(tService, exact+30, flow.NewMatch(from...), flow.Actions{}))
		}
	}
}

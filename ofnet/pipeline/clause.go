// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// family is the address family of packets that a flow is for; familyAny if its match does not distinguish them.
type family uint8

const (
	familyAny family = iota
	family4
	family6
)

// families lists those that a rule with these peers needs flows for.
func families(r *ofnet.Rule, peers []netip.Prefix) []family {
	if r.Protocol == ofnet.ProtocolAny && len(peers) == 0 && len(r.Own) == 0 {
		return []family{familyAny}
	}
	return []family{family4, family6}
}

// addresses returns the clauses of a list of prefixes: those of the family, each once and none that lies in another. possible is false if
// the list is not empty and has none of the family.
func addresses(f flow.Field, list []netip.Prefix, family family) (out clauses, possible bool) {
	if len(list) == 0 {
		return nil, true
	}
	for i, p := range list {
		if p.Addr().Is4() == (family == family4) && !covered(list, i) {
			out = append(out, []flow.Term{flow.EqPrefix(f, p.Masked())})
		}
	}
	return out, len(out) > 0
}

// covered reports whether entry i of list lies in another one, or equals an earlier one.
func covered(list []netip.Prefix, i int) bool {
	p := list[i].Masked()
	for j, q := range list {
		q = q.Masked()
		if j != i && q.Bits() <= p.Bits() && q.Contains(p.Addr()) && (q != p || j < i) {
			return true
		}
	}
	return false
}

// services are the clauses of a rule's protocol and ports; possible is false if its ranges hold no port.
func services(r *ofnet.Rule, family family) (out clauses, possible bool) {
	proto := flow.IP()
	if family == family6 {
		proto = flow.IPv6()
	}
	switch {
	case family == familyAny:
		return nil, true
	case r.Protocol == ofnet.ProtocolAny:
		return clauses{{proto}}, true
	case r.Protocol == ofnet.ProtocolICMP && family == family6:
		return clauses{{flow.ICMP6()}}, true
	}
	whole := []flow.Term{proto, flow.Eq(flow.IPProto, uint64(r.Protocol))}
	field := portOf(r.Protocol)
	if field == flow.NoField || len(r.Ports) == 0 {
		return clauses{whole}, true
	}
	for _, p := range r.Ports {
		for value, mask := range masks(p) {
			out = append(out, append(whole[:2:2], flow.EqMask(field, uint64(value), uint64(mask))))
		}
	}
	return out, len(out) > 0
}

func portOf(protocol uint8) flow.Field {
	switch protocol {
	case ofnet.ProtocolTCP:
		return flow.TCPDst
	case ofnet.ProtocolUDP:
		return flow.UDPDst
	case ofnet.ProtocolSCTP:
		return flow.SCTPDst
	}
	return flow.NoField
}

// masks yields the fewest masked values that together are a range of ports: at most 30, in ascending order. A range that ends before it
// begins has none.
func masks(p ofnet.PortRange) func(yield func(value, mask uint16) bool) {
	return func(yield func(value, mask uint16) bool) {
		for at, last := uint32(p.First), uint32(p.Last); at <= last; {
			size := uint32(1)
			for at&size == 0 && size < 1<<16 && at+2*size-1 <= last {
				size *= 2
			}
			if !yield(uint16(at), uint16(0xffff&^(size-1))) {
				return
			}
			at += size
		}
	}
}

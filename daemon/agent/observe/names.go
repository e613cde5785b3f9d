// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"net/netip"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// protocolName is the usual name of an IP protocol; its number if it has no name here.
func protocolName(p uint8) string {
	switch p {
	case ofnet.ProtocolICMP, protocolICMP6:
		return "icmp"
	case ofnet.ProtocolTCP:
		return "tcp"
	case ofnet.ProtocolUDP:
		return "udp"
	case ofnet.ProtocolSCTP:
		return "sctp"
	}
	return strconv.Itoa(int(p))
}

const protocolICMP6 = 58

// name fills in the names of the containers at both ends.
func (o *Observer) name(e *model.Observed) {
	for _, end := range []*model.ObservedEnd{e.From, e.To} {
		if end.Endpoint != "" {
			end.Name = o.Called(end.Endpoint)
		}
	}
}

// end returns the owner of an address in a tenant.
func end(s *ofnet.State, tenant string, a netip.Addr) *model.ObservedEnd {
	if e := s.At(tenant, a); e != nil {
		return endOf(e, a)
	}
	out := &model.ObservedEnd{Address: a.String()}
	if s.Private.Contains(a) {
		out.Host = s.Self
		return out
	}
	for label, h := range s.Hosts.All() {
		for _, own := range h.Addrs() {
			if own == a {
				out.Host = label
			}
		}
	}
	return out
}

// endOf is an endpoint that uses an address.
func endOf(e *ofnet.Endpoint, a netip.Addr) *model.ObservedEnd {
	return &model.ObservedEnd{Address: a.String(), Endpoint: e.ID, Network: e.Segment, Group: e.Group, Host: e.Host}
}

// sender returns the endpoint at a local port that sends from an address of others.
func sender(s *ofnet.State, port uint32, a netip.Addr) *model.ObservedEnd {
	for e := range s.On(s.Self) {
		if e.Port == port {
			return endOf(e, a)
		}
	}
	return &model.ObservedEnd{Address: a.String()} // it has just disappeared
}

// service returns the service of a tenant that has an address; "" if none has.
func service(s *ofnet.State, tenant string, a netip.Addr) string {
	if v := s.FirstAt(a, func(v *ofnet.Service) bool { return v.Tenant == tenant }); v != nil {
		return v.Name
	}
	return ""
}

// tenantOf returns the tenant with a number; "" if there is none.
func tenantOf(s *ofnet.State, number uint16) string {
	for name, t := range s.Tenants.All() {
		if t.ID == number {
			return name
		}
	}
	return ""
}

// decision is the key of a lookup of a number in registers or labels.
type decision struct {
	group     string
	direction ofnet.Direction
	number    uint32
}

// maxDecisions bounds the cached ones.
const maxDecisions = 4096

// deciders caches the meaning of numbers while the State stays the same: a lookup takes time in proportion to the rules.
type deciders struct {
	find func(s *ofnet.State, group string, d ofnet.Direction, number uint32) pipeline.Decider
	of   uint64 // revision of the State
	is   map[decision]pipeline.Decider
}

// get returns the decider, in the State of a revision.
func (d *deciders) get(s *ofnet.State, revision uint64, what decision) pipeline.Decider {
	if what.number == 0 {
		return pipeline.Decider{}
	}
	if d.is == nil || d.of != revision || len(d.is) >= maxDecisions {
		d.is, d.of = map[decision]pipeline.Decider{}, revision
	}
	out, known := d.is[what]
	if !known {
		out = d.find(s, what.group, what.direction, what.number)
		d.is[what] = out
	}
	return out
}

// ruleName returns a rule or policy in the form in which flows name their owners.
func ruleName(k ofnet.Key, called func(ofnet.Key) string) []string {
	if k == (ofnet.Key{}) {
		return nil
	}
	return []string{called(k)}
}

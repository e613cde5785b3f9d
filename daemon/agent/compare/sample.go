// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/contiv/contiv/ofnet"
)

const (
	poolInterval = 5 * time.Second // between two lists of what questions are about
	maxListed    = 20000           // endpoints, services and rules in such a list, each
	maxTraffic   = 500             // kinds of traffic in it
	tries        = 8               // to find the other end of a question
)

// traffic is a protocol with a port.
type traffic struct {
	protocol uint8
	port     uint16
}

// pool lists what questions are about.
type pool struct {
	version  uint64
	at       time.Time
	here     []string                     // endpoints of this host
	tenants  map[string][]*ofnet.Endpoint // by tenant
	services map[string][]*ofnet.Service  // by tenant
	ports    int                          // of the services
	rules    []ofnet.AttachedRule         // about groups with members here
	traffic  []traffic                    // that rules, class policies and services name
	members  map[string][]*ofnet.Endpoint // of groups, on this host
}

// list makes a pool.
func list(s *ofnet.State) *pool {
	p := &pool{tenants: map[string][]*ofnet.Endpoint{}, services: map[string][]*ofnet.Service{}, members: map[string][]*ofnet.Endpoint{},
		traffic: []traffic{{ofnet.ProtocolICMP, 0}, {ofnet.ProtocolTCP, 80}, {ofnet.ProtocolUDP, 5000}}}
	seen, n := map[traffic]bool{}, 0
	add := func(protocol uint8, port uint16) {
		t := traffic{protocol, port}
		if (protocol == ofnet.ProtocolTCP || protocol == ofnet.ProtocolUDP) && len(p.traffic) < maxTraffic && !seen[t] {
			seen[t] = true
			p.traffic = append(p.traffic, t)
		}
	}
	for e := range s.Endpoints.Values() {
		segment := s.Segments.Get(e.Segment)
		if segment == nil {
			continue
		}
		if e.Host == s.Self && e.Port != 0 {
			p.here = append(p.here, e.ID)
			p.members[e.Group] = append(p.members[e.Group], e)
		} else if n++; n > maxListed {
			continue
		}
		p.tenants[segment.Tenant] = append(p.tenants[segment.Tenant], e)
	}
	for r := range s.AttachedRules() {
		if len(p.rules) == maxListed {
			break
		}
		if len(p.members[r.By.Group()]) > 0 {
			p.rules = append(p.rules, r)
			for _, ports := range r.Ports {
				add(r.Protocol, ports.First)
				add(r.Protocol, ports.Last)
			}
		}
	}
	for c := range s.ClassPolicies.Values() {
		for i := range c.Rules {
			for _, ports := range c.Rules[i].Ports {
				add(ports.Protocol, ports.First)
			}
		}
	}
	n = 0
	for v := range s.Services.Values() {
		if n++; n > maxListed {
			break
		}
		p.services[v.Tenant] = append(p.services[v.Tenant], v)
		p.ports += len(v.Ports)
	}
	slices.Sort(p.here)
	return p
}

// Kinds of questions.
const (
	aboutPairs = iota
	aboutRules
	aboutServices
	kinds
)

// turns counts questions by kind.
type turns [kinds]int

// next returns the kind of the next question: each has turns in proportion to its objects, and pairs have
// a third at least.
func (t turns) next(p *pool) (kind int) {
	pairs := 2 * len(p.here)
	sizes := turns{aboutPairs: pairs, aboutRules: min(len(p.rules), pairs), aboutServices: min(p.ports, pairs)}
	for k := range sizes {
		if sizes[k] > 0 && (t[k]+1)*sizes[kind] < (t[kind]+1)*sizes[k] {
			kind = k
		}
	}
	return kind
}

// pick returns one of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// question returns a question; ok is false if none was found. Questions about pairs, rules and services take turns.
func (p *pool) question(s *ofnet.State, r *rand.Rand, n *turns) (q question, ok bool) {
	if len(p.here) == 0 {
		return q, false
	}
	kind := n.next(p)
	n[kind]++
	switch kind {
	case aboutRules:
		q, ok = p.aboutRule(r)
	case aboutServices:
		q, ok = p.aboutService(s, r)
	default:
		q, ok = p.aboutPair(s, r, n[aboutPairs]-1)
	}
	q.six = r.IntN(4) == 0
	if ok && q.six {
		from, to := s.Endpoints.Get(q.from), s.Endpoints.Get(q.to)
		q.six = from != nil && from.IP6.IsValid() && (to == nil || to.IP6.IsValid())
	}
	return q, ok
}

// aboutPair asks about an endpoint here and another one, usually of its tenant. The endpoints here take turns as senders, then as receivers,
// so that a fault at one of them is found after a known number of questions.
func (p *pool) aboutPair(s *ofnet.State, r *rand.Rand, turn int) (q question, ok bool) {
	own, receives := s.Endpoints.Get(p.here[turn%len(p.here)]), turn/len(p.here)%2 == 1
	if own == nil {
		return q, false
	}
	tenant := ""
	if n := s.Segments.Get(own.Segment); n != nil {
		tenant = n.Tenant
	}
	t := pick(r, p.traffic)
	q = question{protocol: t.protocol, port: t.port}
	for range tries {
		other := own
		if r.IntN(8) == 0 {
			other = s.Endpoints.Get(pick(r, p.here)) // perhaps of another tenant
		} else if list := p.tenants[tenant]; len(list) > 0 {
			other = pick(r, list)
		}
		if other == nil || other.ID == own.ID {
			continue
		}
		q.from, q.to = own.ID, other.ID
		if receives {
			q.from, q.to = q.to, q.from
		}
		return q, true
	}
	return q, false
}

// aboutService asks about an endpoint here and a port of a service of its tenant.
func (p *pool) aboutService(s *ofnet.State, r *rand.Rand) (q question, ok bool) {
	own := s.Endpoints.Get(pick(r, p.here))
	if own == nil {
		return q, false
	}
	n := s.Segments.Get(own.Segment)
	if n == nil || len(p.services[n.Tenant]) == 0 {
		return q, false
	}
	v := pick(r, p.services[n.Tenant])
	if len(v.Ports) == 0 {
		return q, false
	}
	port := pick(r, v.Ports)
	return question{from: own.ID, service: v.Name, protocol: port.Protocol, port: port.Port}, port.Protocol == ofnet.ProtocolTCP || port.Protocol == ofnet.ProtocolUDP
}

// aboutRule asks about a member of a rule's group and an endpoint that the rule names.
func (p *pool) aboutRule(r *rand.Rand) (q question, ok bool) {
	rule := pick(r, p.rules)
	own := pick(r, p.members[rule.By.Group()])
	q.protocol, q.port = rule.Protocol, 0
	switch {
	case rule.Protocol == ofnet.ProtocolAny:
		q.protocol, q.port = ofnet.ProtocolTCP, 80
	case len(rule.Ports) > 0:
		ports := pick(r, rule.Ports)
		q.port = ports.First + uint16(r.IntN(int(ports.Last-ports.First)+1))
	case rule.Protocol == ofnet.ProtocolTCP || rule.Protocol == ofnet.ProtocolUDP:
		q.port = 80
	}
	if q.protocol != ofnet.ProtocolTCP && q.protocol != ofnet.ProtocolUDP && q.protocol != ofnet.ProtocolICMP {
		return q, false
	}
	for range tries {
		list := p.tenants[rule.ID.Tenant]
		if len(list) == 0 {
			return q, false
		}
		far := pick(r, list)
		if far.ID == own.ID || rule.PeerGroup != "" && far.Group != rule.PeerGroup {
			continue
		}
		q.from, q.to = own.ID, far.ID
		if rule.Direction&ofnet.In != 0 {
			q.from, q.to = q.to, q.from
		}
		return q, true
	}
	return q, false
}

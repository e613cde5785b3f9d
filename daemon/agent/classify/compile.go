// SPDX-License-Identifier: Apache-2.0

package classify

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
)

// compile returns a policy in numbers of classes, by direction.
func (p *policy) compile() (out []*ofnet.ClassPolicy) {
	for i := range p.sides {
		s := &p.sides[i]
		made := &ofnet.ClassPolicy{Name: p.name, Direction: s.direction, Stage: p.stage, Priority: p.priority}
		for j := range s.rules {
			made.Rules = s.rules[j].compile(made.Rules, s.direction, p.subject)
		}
		out = append(out, made)
	}
	return out
}

// compile appends a rule: once for ports by number, and once for each number that classes have for a name, with only those classes:
// subjects in the ingress direction, peers in the egress direction.
func (r *rule) compile(out []ofnet.ClassRule, d ofnet.Direction, subject *question) []ofnet.ClassRule {
	whole := ofnet.ClassRule{Place: uint8(r.Number), Action: r.action, Subjects: numbers(subject.classes), Anyone: len(r.Peers) == 0}
	peers := map[*class]uint16{}
	for _, q := range r.pods {
		for x := range q.classes {
			peers[x] = 1
		}
	}
	whole.Peers = numbers(peers)
	for _, p := range r.Peers {
		if p.Block.IsValid() {
			whole.Prefixes = append(whole.Prefixes, ofnet.Without(p.Block, p.Except)...)
		}
	}
	for _, p := range r.Ports {
		switch {
		case p.Name != "" || p.Protocol == 0:
		case p.First == 0:
			whole.Ports = append(whole.Ports, ofnet.AllPorts(p.Protocol))
		default:
			whole.Ports = append(whole.Ports, ofnet.ProtocolPorts{Protocol: p.Protocol, PortRange: ofnet.PortRange{First: p.First, Last: p.Last}})
		}
	}
	if len(r.Ports) == 0 || len(whole.Ports) > 0 {
		out = add(out, whole)
	}
	for _, q := range r.ports {
		for _, port := range answers(q) {
			one, having := whole, map[*class]uint16{}
			for x, a := range q.classes {
				if _, isPeer := peers[x]; a == port && (d == ofnet.In && subject.classes[x] != 0 || d == ofnet.Out && (isPeer || whole.Anyone)) {
					having[x] = 1
				}
			}
			if d == ofnet.In {
				one.Subjects = numbers(having)
			} else {
				one.Anyone, one.Peers, one.Prefixes = false, numbers(having), nil
			}
			one.Ports = []ofnet.ProtocolPorts{{Protocol: q.protocol, PortRange: ofnet.PortRange{First: port, Last: port}}}
			out = add(out, one)
		}
	}
	return out
}

// add appends a rule that some packet can match.
func add(out []ofnet.ClassRule, r ofnet.ClassRule) []ofnet.ClassRule {
	if len(r.Subjects) == 0 || !r.Anyone && len(r.Peers) == 0 && len(r.Prefixes) == 0 {
		return out
	}
	return append(out, r)
}

// numbers returns those of classes, in order.
func numbers(list map[*class]uint16) []uint32 {
	out := make([]uint32, 0, len(list))
	for x := range list {
		out = append(out, x.number)
	}
	slices.Sort(out)
	return out
}

// answers returns the ports that classes have for a name, in order, each once.
func answers(q *question) (out []uint16) {
	for _, a := range q.classes {
		out = append(out, a)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

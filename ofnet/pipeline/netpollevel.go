// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// netpolLevel compiles the policies of one direction, stage and priority. A rule is a conjunction of its own classes, those of the other
// side, and ports, so that it costs their sum; clauses that rules of the level share are one flow.
func netpolLevel(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	l, policies := s.PoliciesAt(owner)
	c := levelCompilation{classSide: classSideOf(l.Direction), level: l, clauses: map[flow.Key][]flow.Action{}}
	firsts, room := ofnet.Slots(policies), s.RoomOf(l)
	for n, p := range policies {
		for i := range p.Rules {
			r := &p.Rules[i]
			slot := firsts[n] + int(r.Place) - 1
			if l.Stage != ofnet.StageNamespace && slot >= room.Slots {
				closed := &ofnet.ClassRule{Action: ofnet.Deny, Subjects: r.Subjects, Anyone: true}
				c.add(out, closed, decider{owner, numberCrowded}, slotPriority(l, room, room.Slots))
				continue
			}
			c.add(out, r, decider{p.Key(), numberOf(p.Key())}, slotPriority(l, room, slot))
		}
	}
	for _, k := range c.order {
		out.Add(flow.New(k.Table, k.Priority, k.Match, flow.Do(c.clauses[k]...)))
	}
}

// levelCompilation collects the clauses of a level. Those of several rules with one place become one flow.
type levelCompilation struct {
	classSide
	level   ofnet.Level
	rules   uint32
	clauses map[flow.Key][]flow.Action
	order   []flow.Key
}

// decider is named by the flow of a conjunction: the owner in its cookie, and the number in the tracker's label.
type decider struct {
	owner  ofnet.Key
	number uint32
}

// add compiles one rule. Conjunctions are numbered by priority and the rule's place among those of the level, so no two in a table share a
// number.
func (c *levelCompilation) add(out *flow.Set, r *ofnet.ClassRule, by decider, priority uint16) {
	id := uint32(priority)<<16 | c.rules
	c.rules++
	dimensions := []clauses{c.classes(c.own, r.Subjects)}
	if !r.Anyone {
		dimensions = append(dimensions, append(c.classes(c.peer, r.Peers), c.addresses(r.Prefixes)...))
	}
	if len(r.Ports) > 0 {
		dimensions = append(dimensions, c.ports(r.Ports))
	}
	if len(dimensions) == 1 { // a conjunction needs at least two clauses
		dimensions = append(dimensions, clauses{{flow.IP()}, {flow.IPv6()}})
	}
	for _, list := range dimensions {
		if len(list) == 0 {
			return // it matches no packet
		}
	}
	table := c.table(c.level.Stage)
	for k, list := range dimensions {
		for _, terms := range list {
			at := flow.Key{Table: table, Priority: priority, Match: flow.NewMatch(terms...)}
			if c.clauses[at] == nil {
				c.order = append(c.order, at)
			}
			c.clauses[at] = append(c.clauses[at], flow.Conjunction(id, k+1, len(dimensions)))
		}
	}
	decides := flow.New(table, priority, flow.NewMatch(flow.Eq(flow.ConjID, uint64(id))), c.does(c.level.Stage, r.Action, by.number))
	decides.Cookie = flow.NewCookie(0, 0, flow.Owner(by.owner))
	out.Add(decides)
}

func (c *levelCompilation) classes(first int, list []uint32) (out clauses) {
	for _, class := range list {
		out = append(out, []flow.Term{inClass(first, class)})
	}
	return out
}

// addresses returns the clauses of the other side's prefixes, each once and none that lies in another.
func (c *levelCompilation) addresses(list []netip.Prefix) (out clauses) {
	for i, p := range list {
		if covered(list, i) {
			continue
		}
		family, field := flow.IP(), c.peer4
		if p.Addr().Is6() {
			family, field = flow.IPv6(), c.peer6
		}
		out = append(out, []flow.Term{family, flow.EqPrefix(field, p.Masked())})
	}
	return out
}

// ports returns the clauses of ports, in both families, each once.
func (c *levelCompilation) ports(list []ofnet.ProtocolPorts) (out clauses) {
	seen := map[flow.Match]struct{}{}
	for _, p := range list {
		field := portOf(p.Protocol)
		for value, mask := range masks(p.PortRange) {
			for _, family := range []flow.Term{flow.IP(), flow.IPv6()} {
				terms := []flow.Term{family, flow.Eq(flow.IPProto, uint64(p.Protocol)), flow.EqMask(field, uint64(value), uint64(mask))}
				m := flow.NewMatch(terms...)
				if _, there := seen[m]; !there {
					seen[m] = struct{}{}
					out = append(out, terms)
				}
			}
		}
	}
	return out
}

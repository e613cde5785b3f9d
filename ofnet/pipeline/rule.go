// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"net/netip"

	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// rulePriority leaves room for four kinds of flows at each priority of rules, in ascending order: those that allow by conjunction, that
// allow, that deny by conjunction, that deny. A plain flow and the clause of a conjunction never have the same priority: which of them
// counts would be undefined (ovs-fields(7), "Conjunctive Match Fields").
func rulePriority(r *ofnet.Rule, conjunction bool) uint16 {
	p := 100 + 4*uint16(r.Priority)
	if r.Deny {
		p += 2
	}
	if !conjunction {
		p++
	}
	return p
}

// side holds the differences between the two directions.
type side struct {
	table, next  flow.TableID
	own, peer    flow.Field // registers of groups
	own4, own6   flow.Field // addresses
	peer4, peer6 flow.Field
	decided      flow.Field // register for the number of the rule that admits or refuses
}

func sideOf(d ofnet.Direction) side {
	if d == ofnet.In {
		return side{table: tPolicyIn, next: tAdminIn, own: regDstGroup, peer: regSrcGroup,
			own4: flow.IPDst, own6: flow.IPv6Dst, peer4: flow.IPSrc, peer6: flow.IPv6Src, decided: regRuleIn}
	}
	return side{table: tPolicyOut, next: tAdminOut, own: regSrcGroup, peer: regDstGroup,
		own4: flow.IPSrc, own6: flow.IPv6Src, peer4: flow.IPDst, peer6: flow.IPv6Dst, decided: regRuleOut}
}

// clauses are the alternatives of one dimension of a rule: its peers, own addresses or ports. A nil list matches anything.
type clauses [][]flow.Term

// compilation collects the flows of a tier. Flows of several rules with one place become one.
type compilation struct {
	side
	state   *ofnet.State
	group   uint32
	numbers map[uint32]bool // of the rules so far
	plain   map[flow.Key]flow.Flow
	shared  map[flow.Key][]flow.Action // clauses, with a conjunction action for each rule
	order   []flow.Key                 // of both maps, in the order of the rules
}

func newCompilation(s *ofnet.State, t ofnet.Tier, group uint32) *compilation {
	return &compilation{side: sideOf(t.Direction), state: s, group: group, numbers: map[uint32]bool{},
		plain: map[flow.Key]flow.Flow{}, shared: map[flow.Key][]flow.Action{}}
}

// number returns the number of a rule in conjunctions and in connections: the low half of its number in cookies, or the next free one if
// another rule of the tier has it.
func (c *compilation) number(rule ofnet.Key) uint32 {
	n := numberOf(rule)
	for c.numbers[n] {
		n = max(n+1, firstNumber)
	}
	c.numbers[n] = true
	return n
}

// add compiles one rule. Rules of a tier are added in the order of their ids, so that numbers are reproducible.
func (c *compilation) add(rule ofnet.AttachedRule) {
	r, key := rule.Rule, rule.Key()
	number := c.number(key) // also of a rule that matches nothing, so that the others keep theirs
	peerGroup, peers, ok := c.peers(r)
	if !ok {
		return
	}
	next := c.next
	if r.Deny {
		next = tRefuse
	}
	verdict := flow.Do(load(c.decided, number), flow.GotoTable(next))
	cookie := flow.NewCookie(0, 0, flow.Owner(key))
	base := []flow.Term{flow.Eq(c.own, uint64(c.group))}
	if peerGroup != 0 {
		base = append(base, flow.Eq(c.peer, uint64(peerGroup)))
	}
	if r.Protocol == ofnet.ProtocolAny {
		base = append(base, hasNot(bitReply))
	}
	if r.Openings && r.Protocol == ofnet.ProtocolTCP {
		base = append(base, has(bitOpening))
	}
	conjoined := false
	for _, family := range families(r, peers) {
		dimensions, possible := c.dimensions(r, peers, family)
		if !possible {
			continue
		}
		terms := append(base[:len(base):len(base)], dimensions.single()...)
		wide := dimensions.wide()
		if len(wide) < 2 {
			for m := range product(terms, wide) {
				c.plainFlow(flow.Key{Table: c.table, Priority: rulePriority(r, false), Match: m}, cookie, verdict)
			}
			continue
		}
		for k, list := range wide {
			for _, alternative := range list {
				m := flow.NewMatch(append(terms[:len(terms):len(terms)], alternative...)...)
				c.clause(flow.Key{Table: c.table, Priority: rulePriority(r, true), Match: m}, flow.Conjunction(number, k+1, len(wide)))
			}
		}
		if !conjoined {
			conjoined = true
			m := flow.NewMatch(flow.Eq(flow.ConjID, uint64(number)), flow.Eq(c.own, uint64(c.group)))
			c.plainFlow(flow.Key{Table: c.table, Priority: rulePriority(r, true), Match: m}, cookie, verdict)
		}
	}
}

// peers returns the other side of a rule: the number of its group, 0 for any, and the prefixes of its addresses, none for all. ok is false
// if the rule names something that does not exist.
func (c *compilation) peers(r *ofnet.Rule) (group uint32, prefixes []netip.Prefix, ok bool) {
	if r.PeerGroup != "" {
		g := c.state.Groups.Get(r.PeerGroup)
		if g == nil || g.ID == 0 || g.Tenant != r.ID.Tenant {
			return 0, nil, false
		}
		group = g.ID
	}
	if r.PeerNetwork == "" {
		return group, r.Peers, true
	}
	n := c.state.Segments.Get(r.PeerNetwork)
	if n == nil || n.Tenant != r.ID.Tenant {
		return 0, nil, false
	}
	prefixes = addressesOf(n)
	return group, prefixes, len(prefixes) > 0
}

// addressesOf returns the prefixes that together are the addresses of a network.
func addressesOf(n *ofnet.Segment) (out []netip.Prefix) {
	if n.First4.IsValid() {
		out = ipam.Range{First: n.First4, Last: n.Last4}.Prefixes()
	} else if n.Prefix4.IsValid() {
		out = append(out, n.Prefix4)
	}
	if n.Prefix6.IsValid() {
		out = append(out, n.Prefix6)
	}
	return out
}

// plainFlow adds a flow that decides. If rules match the same, the first one has the flow, and its counter.
func (c *compilation) plainFlow(k flow.Key, cookie flow.Cookie, do flow.Actions) {
	if _, there := c.plain[k]; there {
		return
	}
	c.order = append(c.order, k)
	c.plain[k] = flow.Flow{Key: k, Cookie: cookie, Actions: do}
}

func (c *compilation) clause(k flow.Key, a flow.Action) {
	if c.shared[k] == nil {
		c.order = append(c.order, k)
	}
	c.shared[k] = append(c.shared[k], a)
}

func (c *compilation) flowsTo(out *flow.Set) {
	for _, k := range c.order {
		if f, ok := c.plain[k]; ok {
			out.Add(f)
		} else {
			out.Add(flow.New(k.Table, k.Priority, k.Match, flow.Do(c.shared[k]...)))
		}
	}
}

// dimensions are a rule's clauses for one family of addresses.
type dimensions [3]clauses

// dimensions lists the conditions of a rule for packets of a family; possible is false if no such packet can match.
func (c *compilation) dimensions(r *ofnet.Rule, peers []netip.Prefix, family family) (d dimensions, possible bool) {
	own, peer := c.own4, c.peer4
	if family == family6 {
		own, peer = c.own6, c.peer6
	}
	if d[0], possible = addresses(peer, peers, family); !possible {
		return d, false
	}
	if d[1], possible = addresses(own, r.Own, family); !possible {
		return d, false
	}
	d[2], possible = services(r, family)
	return d, possible
}

// single joins the dimensions with only one alternative.
func (d *dimensions) single() (out []flow.Term) {
	for _, list := range d {
		if len(list) == 1 {
			out = append(out, list[0]...)
		}
	}
	return out
}

// wide lists the dimensions with several alternatives.
func (d *dimensions) wide() (out []clauses) {
	for _, list := range d {
		if len(list) > 1 {
			out = append(out, list)
		}
	}
	return out
}

// product yields the matches of all alternatives of at most one dimension.
func product(terms []flow.Term, wide []clauses) func(yield func(flow.Match) bool) {
	return func(yield func(flow.Match) bool) {
		if len(wide) == 0 {
			yield(flow.NewMatch(terms...))
			return
		}
		for _, alternative := range wide[0] {
			if !yield(flow.NewMatch(append(terms[:len(terms):len(terms)], alternative...)...)) {
				return
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// policy applies rules at both ends, after forwarding has determined the receiver: the sender's rules on the sender's host, the receiver's
// on the receiver's. A group without rules admits everything.
type policy struct{}

func (policy) Name() string { return "policy" }

func (policy) Tables() []flow.Table {
	return []flow.Table{
		{ID: tPolicyOut, Name: "policy_out", Miss: flow.Do(flow.GotoTable(tAdminOut)), Asks: "rules of the sender's group"},
		{ID: tPolicyIn, Name: "policy_in", Miss: flow.Do(flow.GotoTable(tAdminIn)), Asks: "rules of the receiver's group"},
	}
}

// Priorities of the flows that stand above all rules.
const (
	policySkip  = 60000 // judged already
	policyOther = 59000 // judged at the other end
	policyGuard = 58000 // the switch refuses the rules
)

func (policy) Reads() []*Input {
	all := func(tiers []ofnet.Tier, to owners) { each(slices.Values(tiers), to) }
	of := func(s *ofnet.State, group string, to owners) { all(s.TiersOf(group), to) }
	return []*Input{
		rows(ruleRows, func(s *ofnet.State, r *ofnet.Rule, to owners) { all(s.TiersWith(r), to) }),
		rows(attachmentRows, func(s *ofnet.State, a *ofnet.Attachment, to owners) { all(s.TiersBy(a), to) }),
		rows(groupRows, func(s *ofnet.State, g *ofnet.Group, to owners) { of(s, g.Name, to) }),
		rows(groupRows, func(s *ofnet.State, g *ofnet.Group, to owners) { all(s.TiersNaming(g.Tenant, g.Key()), to) }),
		rows(segmentRows, func(s *ofnet.State, n *ofnet.Segment, to owners) { all(s.TiersNaming(n.Tenant, n.Key()), to) }),
		// The first local member of a group adds the group's rules, and the last one removes them.
		facts(endpointRows, func(e *ofnet.Endpoint) string { return e.Group },
			func(s *ofnet.State, group string) bool { return s.Here(group) > 0 }, of),
		setting(func(a, b *ofnet.State) bool { return a.Self == b.Self }, everything),
	}
}

func (policy) Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	switch owner.Kind {
	case ofnet.KindSwitch:
		policySwitch(out)
	case ofnet.KindPolicy:
		policyTier(out, s, owner)
	}
}

func policySwitch(out *flow.Set) {
	add := func(t flow.TableID, priority uint16, term flow.Term, next flow.TableID) {
		out.Add(flow.New(t, priority, flow.NewMatch(term), flow.Do(flow.GotoTable(next))))
	}
	add(tPolicyOut, policySkip, has(bitSkip), tReplicate)
	add(tPolicyIn, policySkip, has(bitSkip), tDeliver)
	add(tPolicyOut, policyOther, hasNot(bitEndpoint), tReplicate)
	add(tPolicyIn, policyOther, hasNot(bitLocal), tCommit)
}

// policyTier compiles the rules of one group, direction and priority, on hosts where the group has members.
func policyTier(out *flow.Set, s *ofnet.State, owner ofnet.Key) {
	t, rules := s.RulesOf(owner)
	g := s.Groups.Get(t.Group)
	if g == nil || g.ID == 0 || len(rules) == 0 || s.Here(t.Group) == 0 {
		return
	}
	c := newCompilation(s, t, g.ID)
	for _, r := range rules {
		c.add(r)
	}
	c.flowsTo(out)
}

// Guard closes a group in a direction, except for open connections: it replaces a tier that denies something if the switch refuses the
// tier's flows. Other owners have no replacement. It implements bridge.Guard.
func (p *Pipeline) Guard(s *ofnet.State, owner, guard ofnet.Key) (out flow.Set) {
	t, rules := s.RulesOf(owner)
	g := s.Groups.Get(t.Group)
	if g == nil || !slices.ContainsFunc(rules, func(r ofnet.AttachedRule) bool { return r.Deny }) {
		return out
	}
	side := sideOf(t.Direction)
	closed := flow.New(side.table, policyGuard, flow.NewMatch(flow.Eq(side.own, uint64(g.ID))), flow.Do(load(side.decided, numberGuard), flow.GotoTable(tRefuse)))
	closed.Cookie = flow.NewCookie(p.Number(policy{}.Name()), round, flow.Owner(guard))
	out.Add(closed)
	return out
}

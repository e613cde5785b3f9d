// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// The decider of a connection is encoded as a number: in registers, in the tracker's label, and so in packet-ins. The first numbers stand
// for deciders that are no rule.
const (
	numberIsolated = 1 // the end is isolated and no policy admits the connection
	numberGuard    = 2 // the group is closed because the switch refuses its rules
	numberCrowded  = 3 // policies of one priority have too many rules
	firstNumber    = 4
)

// numberOf returns the number of a rule or policy: the low half of its number in cookies. If two rules of a tier have the same, the second
// has the next free one.
func numberOf(k ofnet.Key) uint32 { return max(uint32(flow.Owner(k)), firstNumber) }

// Decider is the rule or policy that decided about a connection at one end.
type Decider struct {
	Key  ofnet.Key // of a rule or policy; zero: none, or unknown
	Deny bool      // it refuses, or is a policy some of whose rules do
	Text string    // the decider, if it is no rule; "": none, or unknown
}

// Decider returns the rule of a group, a key of s.Groups, or the policy that a number stands for, as it is in s. It takes time in
// proportion to the number of rules that the group has in this direction, and of policies. If several have the number, it returns none.
func (p *Pipeline) Decider(s *ofnet.State, group string, d ofnet.Direction, number uint32) (out Decider) {
	switch number {
	case 0:
		return out
	case numberIsolated:
		return Decider{Deny: true, Text: "no network policy admits it"}
	case numberGuard:
		return Decider{Deny: true, Text: "the group is closed, for the switch refuses its rules"}
	case numberCrowded:
		return Decider{Deny: true, Text: "network policies of one priority have more rules than the switch has room for: those beyond deny everything"}
	}
	found := map[Decider]bool{}
	seen := map[ofnet.Key]bool{}
	for _, t := range s.TiersOf(group) {
		if t.Direction != d || seen[t.Key()] {
			continue
		}
		seen[t.Key()] = true
		_, rules := s.RulesOf(t.Key())
		c := compilation{numbers: make(map[uint32]bool, len(rules))}
		for _, r := range rules {
			if c.number(r.Key()) == number {
				found[Decider{Key: r.Key(), Deny: r.Deny}] = true
			}
		}
	}
	for policy := range s.ClassPolicies.Values() {
		if policy.Direction == d && numberOf(policy.Key()) == number {
			denies := slices.ContainsFunc(policy.Rules, func(r ofnet.ClassRule) bool { return r.Action == ofnet.Deny })
			found[Decider{Key: policy.Key(), Deny: denies}] = true
		}
	}
	if len(found) == 1 {
		for one := range found {
			out = one
		}
	}
	return out
}

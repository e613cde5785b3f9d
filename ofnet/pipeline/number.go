package pipeline

import (
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// What decided about a connection is told by a number: in registers, in the tracker's label, and so in packet-ins. The first ones stand
// for what is no rule.
const (
	numberIsolated = 1 // policies admit nothing of the kind, and the end is isolated
	numberGuard    = 2 // the group is closed, since the switch refuses its rules
	numberCrowded  = 3 // policies of one priority have more rules than there is room for
	firstNumber    = 4
)

// numberOf is the number of a rule or policy: the low half of its number in cookies. Of two rules in a tier that would have the same, the
// second has what follows.
func numberOf(k ofnet.Key) uint32 { return max(uint32(flow.Owner(k)), firstNumber) }

// Decider is what decided about a connection at one end.
type Decider struct {
	Key  ofnet.Key // of a rule or policy; zero: of none, or it is not known which
	Deny bool      // it refuses, or is a policy some of whose rules do
	Text string    // what decided, where that is no rule; "": nothing did, or it is not known
}

// Decider says which rule of a group, a key of s.Groups, or which policy a number stands for, as it is in s. It takes time in proportion to the
// number of rules that the group has in this direction, and of policies. When several have the number, none is named.
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

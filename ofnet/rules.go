package ofnet

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/table"
)

// What finds rules, and what they amount to.
var (
	rulesOfTier  = table.By[string](func(r *Rule) Key { return r.Tier().Key() })
	rulesOfGroup = table.By[string](func(r *Rule) string { return r.Group })
	judgedIn     = table.Sum[string](func(r *Rule) (group string, _ uint64) {
		if r.Direction == In {
			group = r.Group
		}
		return group, 1
	})
	generations = table.Sum[string](func(r *Rule) (string, uint64) { return r.Tenant, r.hash() })
)

// JudgesIn says whether rules judge what members of a group receive. It takes constant time.
func (s *State) JudgesIn(group string) bool {
	n, _ := judgedIn.In(s.Rules, group)
	return n > 0
}

// TiersOf lists the tiers of a group, in no order, in time proportional to the number of its rules.
func (s *State) TiersOf(group string) (out []Tier) {
	seen := map[Tier]struct{}{}
	for r := range rulesOfGroup.In(s.Rules, group).Values() {
		if _, ok := seen[r.Tier()]; !ok {
			seen[r.Tier()] = struct{}{}
			out = append(out, r.Tier())
		}
	}
	return out
}

// tiers lists all tiers in order.
func (s *State) tiers() (out []Tier) {
	for _, rules := range rulesOfTier.Each(s.Rules) {
		for r := range rules.Values() {
			out = append(out, r.Tier())
			break
		}
	}
	slices.SortFunc(out, Tier.compare)
	return out
}

// RulesOf finds the tier that has a key, and its rules by id. It takes time in proportion to their number.
func (s *State) RulesOf(tier Key) (t Tier, rules []*Rule) {
	rules = slices.SortedFunc(rulesOfTier.In(s.Rules, tier).Values(), func(a, b *Rule) int { return cmp.Compare(a.ID, b.ID) })
	if len(rules) > 0 {
		t = rules[0].Tier()
	}
	return t, rules
}

// Tracking is whether a tenant's connections are tracked, and by what rules.
type Tracking struct {
	On bool
	// Generation is a hash of the rules, 1..1<<31-1, the same on all hosts and after a restart; a connection that was admitted under another
	// generation is judged again.
	Generation uint32
}

// Tracking says whether a tenant's connections are tracked, which costs every packet a second pass of the switch:
// only those of a tenant that has rules or services are. It takes constant time.
func (s *State) Tracking(tenant string) Tracking {
	switch rules, sum := generations.In(s.Rules, tenant); {
	case rules > 0:
		return Tracking{true, max(1, uint32(sum^sum>>32)&(1<<31-1))}
	case s.HasServices(tenant):
		return Tracking{true, 1}
	}
	return Tracking{}
}

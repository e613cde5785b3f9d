package ofnet

import (
	"maps"
	"slices"
)

// listedRule is a rule as it is listed, with the hash that its tenant's sum has.
type listedRule struct {
	*Rule
	hash uint64
}

// ruling is what the rules of a tenant amount to.
type ruling struct {
	rules int
	sum   uint64 // of the rules' hashes
}

func (s *State) touchRule(id string) {
	x := s.index
	if was, listed := x.rules[id]; listed {
		if was.Rule == s.Rules[id] {
			return
		}
		g, tier := x.group(was.Group), was.Tier()
		if delete(g.tiers[tier], id); len(g.tiers[tier]) == 0 {
			delete(g.tiers, tier)
			delete(x.tiers, tier.Key())
		}
		if was.Direction == In {
			g.in--
		}
		t := x.tenants[was.Tenant]
		t.rules--
		if t.sum -= was.hash; t.rules == 0 {
			delete(x.tenants, was.Tenant)
		}
		delete(x.rules, id)
		x.tidy(was.Group)
	}
	if r := s.Rules[id]; r != nil {
		now := listedRule{r, r.hash()}
		x.rules[id] = now
		g, tier := x.group(r.Group), r.Tier()
		if g.tiers[tier] == nil {
			g.tiers[tier] = map[string]*Rule{}
			x.tiers[tier.Key()] = tier
		}
		g.tiers[tier][id] = r
		if r.Direction == In {
			g.in++
		}
		t := x.tenants[r.Tenant]
		if t == nil {
			t = &ruling{}
			x.tenants[r.Tenant] = t
		}
		t.rules++
		t.sum += now.hash
	}
}

// ListedRule is the rule that the lists have by an id: until Touch, that before the change; nil when they have none.
func (s *State) ListedRule(id string) *Rule {
	if s.index == nil {
		return nil
	}
	return s.index.rules[id].Rule
}

// JudgesIn counts the rules that judge what members of a group receive, in constant time after Reindex.
func (s *State) JudgesIn(group string) int {
	if s.index != nil {
		if g := s.index.groups[group]; g != nil {
			return g.in
		}
		return 0
	}
	n := 0
	for _, r := range s.Rules {
		if r.Group == group && r.Direction == In {
			n++
		}
	}
	return n
}

// TiersOf lists the tiers of a group, in no order, in time proportional to their number after Reindex.
func (s *State) TiersOf(group string) []Tier {
	if g := s.indexed().index.groups[group]; g != nil {
		return slices.Collect(maps.Keys(g.tiers))
	}
	return nil
}

// RulesOf finds the tier that has a key, and its rules by id. It takes time in proportion to their number after
// Reindex.
func (s *State) RulesOf(tier Key) (t Tier, rules []*Rule) {
	x := s.indexed().index
	t, ok := x.tiers[tier]
	if !ok {
		return t, nil
	}
	list := x.groups[t.Group].tiers[t]
	rules = make([]*Rule, 0, len(list))
	for id := range list {
		if r := s.Rules[id]; r != nil && r.Tier() == t {
			rules = append(rules, r)
		}
	}
	slices.SortFunc(rules, func(a, b *Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return t, rules
}

// Tracking says whether a tenant's connections are tracked, which costs every packet a second pass of the switch:
// only those of a tenant that has rules or services are. generation is a hash of the rules, 1..1<<31-1, the same on all
// hosts and after a restart; a connection that was admitted under another generation is judged again. It takes constant
// time after Reindex.
func (s *State) Tracking(tenant string) (tracked bool, generation uint32) {
	x := s.indexed().index
	t := x.tenants[tenant]
	switch {
	case t != nil:
		return true, max(1, uint32(t.sum^t.sum>>32)&(1<<31-1))
	case len(x.services.ofTenant[tenant]) > 0:
		return true, 1
	}
	return false, 0
}

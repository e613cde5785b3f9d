// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// step is a place among the rules of a policy: each group that has the policy has a Tier there.
type step struct {
	policy    identity.Policy
	direction Direction
	priority  uint8
}

// peer is what rules of a tenant name as their other side.
type peer struct {
	tenant string
	Key    // of a group or segment
}

// Indexes of rules by their groups, and totals of them.
var (
	rulesOfPolicy = table.By[identity.Rule](func(r *Rule) identity.Policy { return r.ID.Policy })
	rulesOfStep   = table.ByEach[identity.Rule](func(r *Rule, to []step) []step {
		for d := range r.directions {
			to = append(to, step{r.ID.Policy, d, r.Priority})
		}
		return to
	})
	rulesNaming = table.ByEach[identity.Rule](func(r *Rule, to []peer) []peer {
		if r.PeerGroup != "" {
			to = append(to, peer{r.ID.Tenant, Key{KindGroup, r.PeerGroup}})
		}
		if r.PeerNetwork != "" {
			to = append(to, peer{r.ID.Tenant, Key{KindSegment, r.PeerNetwork}})
		}
		return to
	})
	judgedIn = table.Sum[identity.Rule](func(r *Rule) (policy identity.Policy, _ uint64) {
		if r.Direction&In != 0 {
			policy = r.ID.Policy
		}
		return policy, 1
	})
	rulesSum = table.Sum[identity.Rule](func(r *Rule) (identity.Policy, uint64) { return r.ID.Policy, hash(*r) })

	attachmentsOfGroup  = table.By[identity.Attachment]((*Attachment).Group)
	attachmentsOfPolicy = table.By[identity.Attachment]((*Attachment).Policy)
	attachmentsSum      = table.Sum[identity.Attachment](func(a *Attachment) (identity.Policy, uint64) { return a.Policy(), hash(a.ID) })
)

// hash is a hash of the content, equal on all hosts and after a restart.
func hash(of ...any) uint64 {
	h := sha256.Sum256(fmt.Appendf(nil, "%+v", of))
	return binary.BigEndian.Uint64(h[:])
}

// directions yields In, Out or both.
func (r *Rule) directions(yield func(Direction) bool) {
	for _, d := range []Direction{In, Out} {
		if r.Direction&d != 0 && !yield(d) {
			return
		}
	}
}

// Attach attaches a policy to a group, if it is not attached yet.
func (s *State) Attach(id identity.Attachment) {
	if s.Attachments.Get(id) == nil {
		s.Attachments.Set(id, &Attachment{id})
	}
}

// AttachmentsOf yields the attachments of a policy, in no order.
func (s *State) AttachmentsOf(policy identity.Policy) iter.Seq[*Attachment] {
	return attachmentsOfPolicy.In(s.Attachments, policy).Values()
}

// PolicyJudgesIn reports whether a policy has rules about packets that members of its groups receive, in constant time.
func (s *State) PolicyJudgesIn(policy identity.Policy) bool {
	n, _ := judgedIn.In(s.Rules, policy)
	return n > 0
}

// JudgesIn reports whether rules judge packets that members of a group receive. It takes time in proportion to the number of its policies.
func (s *State) JudgesIn(group string) bool {
	for a := range attachmentsOfGroup.In(s.Attachments, group).Values() {
		if s.PolicyJudgesIn(a.Policy()) {
			return true
		}
	}
	return false
}

// TiersOf lists the tiers of a group, in no order and some of them several times, in time proportional to the number of its rules.
func (s *State) TiersOf(group string) (out []Tier) {
	for a := range attachmentsOfGroup.In(s.Attachments, group).Values() {
		out = append(out, s.TiersBy(a)...)
	}
	return out
}

// TiersBy lists the tiers that a group has by one of its attachments, each once, as TiersOf does.
func (s *State) TiersBy(a *Attachment) (out []Tier) {
	seen := map[Tier]struct{}{}
	for r := range rulesOfPolicy.In(s.Rules, a.Policy()).Values() {
		for d := range r.directions {
			t := Tier{a.Group(), d, r.Priority}
			if _, ok := seen[t]; !ok {
				seen[t] = struct{}{}
				out = append(out, t)
			}
		}
	}
	return out
}

// TiersWith lists the tiers that a rule is in, each once and in no order.
func (s *State) TiersWith(r *Rule) (out []Tier) {
	for a := range s.AttachmentsOf(r.ID.Policy) {
		for d := range r.directions {
			out = append(out, Tier{a.Group(), d, r.Priority})
		}
	}
	return out
}

// TiersNaming lists the tiers with rules of a tenant that name a group or segment as their other side, in no order and some of them several
// times.
func (s *State) TiersNaming(tenant string, k Key) (out []Tier) {
	for r := range rulesNaming.In(s.Rules, peer{tenant, k}).Values() {
		out = append(out, s.TiersWith(r)...)
	}
	return out
}

// tiers lists all tiers in order.
func (s *State) tiers() (out []Tier) {
	for a := range s.Attachments.Values() {
		out = append(out, s.TiersBy(a)...)
	}
	slices.SortFunc(out, Tier.compare)
	return slices.Compact(out)
}

// RulesOf returns the tier with a key, and its rules by id; a tier without rules is the zero Tier. It takes time in proportion to their
// number.
func (s *State) RulesOf(tier Key) (t Tier, rules []AttachedRule) {
	t, ok := tierOf(tier)
	if !ok {
		return Tier{}, nil
	}
	for a := range attachmentsOfGroup.In(s.Attachments, t.Group).Values() {
		for r := range rulesOfStep.In(s.Rules, step{a.Policy(), t.Direction, t.Priority}).Values() {
			rules = append(rules, AttachedRule{r, a})
		}
	}
	if len(rules) == 0 {
		return Tier{}, nil
	}
	slices.SortFunc(rules, func(a, b AttachedRule) int { return a.ID.Compare(b.ID) })
	return t, rules
}

// AttachedRules yields all rules for each group that has them, in no order.
func (s *State) AttachedRules() iter.Seq[AttachedRule] {
	return func(yield func(AttachedRule) bool) {
		for a := range s.Attachments.Values() {
			for r := range rulesOfPolicy.In(s.Rules, a.Policy()).Values() {
				if !yield(AttachedRule{r, a}) {
					return
				}
			}
		}
	}
}

// Tracking reports whether a tenant's connections are tracked, and by which generation of rules.
type Tracking struct {
	On bool
	// Generation is a hash of the rules, of their groups and of the peers that they name, and of the tenant's Judgement, 1..1<<31-1, the
	// same on all hosts and after a restart; a connection that was admitted in another generation is judged again.
	Generation uint32
}

// Tracking reports whether a tenant's connections are tracked, which costs every packet a second pass of the switch: only a tenant that has
// groups with rules, a Judgement, or services needs that. It takes time in proportion to the number of policies that groups have, and of
// groups and segments that rules name.
func (s *State) Tracking(tenant string) (t Tracking) {
	var sum uint64
	for policy := range attachmentsOfPolicy.Each(s.Attachments) {
		if rules, said := rulesSum.In(s.Rules, policy); rules > 0 && policy.Tenant == tenant {
			_, attached := attachmentsSum.In(s.Attachments, policy)
			t.On, sum = true, sum+hash(said, attached)
		}
	}
	if j := s.Judgements.Get(tenant); j != nil {
		t.On, sum = true, sum+hash("classes", j.Sum)
	}
	switch {
	case t.On:
		sum += s.named(tenant)
		t.Generation = max(1, uint32(sum^sum>>32)&(1<<31-1))
	case s.HasServices(tenant):
		t = Tracking{true, 1}
	}
	return t
}

// Tracked returns only Tracking.On, in less time.
func (s *State) Tracked(tenant string) bool {
	for policy := range attachmentsOfPolicy.Each(s.Attachments) {
		if rules, _ := rulesSum.In(s.Rules, policy); rules > 0 && policy.Tenant == tenant {
			return true
		}
	}
	return s.Judgements.Get(tenant) != nil || s.HasServices(tenant)
}

// named is a hash of the groups and segments that rules of a tenant name.
func (s *State) named(tenant string) (sum uint64) {
	for p := range rulesNaming.Each(s.Rules) {
		if p.tenant != tenant {
			continue
		}
		if g := s.Groups.Get(p.Name); p.Kind == KindGroup && g != nil && g.Tenant == tenant {
			sum += hash(p.Key, g.ID)
		}
		if n := s.Segments.Get(p.Name); p.Kind == KindSegment && n != nil && n.Tenant == tenant {
			sum += hash(p.Key, n.Prefix4, n.First4, n.Last4, n.Prefix6)
		}
	}
	return sum
}

// SPDX-License-Identifier: Apache-2.0

package ofnet

import (
	"testing"

	"github.com/contiv/contiv/identity"
)

// TestTracking: a tenant is tracked while it has rules, and its generation depends on what they say and on nothing else.
func TestTracking(t *testing.T) {
	policy := identity.Policy{Tenant: "t", Name: "p"}
	rule := func(id string, deny bool) *Rule {
		return &Rule{ID: identity.Rule{Policy: policy, Rule: id}, Direction: In, Priority: 1, PeerGroup: "t:far", Deny: deny}
	}
	has := func(group string) identity.Attachment {
		return identity.Attachment{Group: identity.Group{Tenant: "t", Name: group}, Policy: "p"}
	}
	s := NewState("h1")
	s.Rules.Set(rule("a", true).ID, rule("a", true))
	if s.Tracking("t") != (Tracking{}) || s.Tracked("t") {
		t.Errorf("rules that no group has: got %+v", s.Tracking("t"))
	}
	s.Rules.Delete(rule("a", true).ID)
	s.Attach(has("g"))
	set := func(id string, r *Rule) uint32 {
		if r == nil {
			s.Rules.Delete(identity.Rule{Policy: policy, Rule: id})
		} else {
			s.Rules.Set(r.ID, r)
		}
		tracking := s.Tracking("t")
		if tracking.On != (s.Rules.Len() > 0) || tracking.On != (tracking.Generation != 0) || tracking.Generation >= 1<<31 || tracking.On != s.Tracked("t") {
			t.Errorf("with %d rules: %+v", s.Rules.Len(), tracking)
		}
		return tracking.Generation
	}
	a := set("a", rule("a", true))
	ab := set("b", rule("b", true))
	changed := set("b", rule("b", false))
	if a == ab || ab == changed || a == changed {
		t.Errorf("generations of three sets of rules: want three, got %#x, %#x, %#x", a, ab, changed)
	}
	if got := set("b", rule("b", true)); got != ab {
		t.Errorf("the same rules again: want %#x, got %#x", ab, got)
	}
	other := NewState("h2")
	other.Attach(has("g"))
	other.Rules.Set(rule("b", true).ID, rule("b", true))
	other.Rules.Set(rule("a", true).ID, rule("a", true))
	if got := other.Tracking("t").Generation; got != ab {
		t.Errorf("on another host: want %#x, got %#x", ab, got)
	}
	for what, change := range map[string]func(s *State){
		"a second group has them":    func(s *State) { s.Attach(has("h")) },
		"the named group comes":      func(s *State) { s.Groups.Set("t:far", &Group{Name: "t:far", Tenant: "t", ID: 4}) },
		"the named group renumbered": func(s *State) { s.Groups.Set("t:far", &Group{Name: "t:far", Tenant: "t", ID: 5}) },
	} {
		before := other.Tracking("t").Generation
		if change(other); other.Tracking("t").Generation == before {
			t.Errorf("%s: want another generation", what)
		}
	}
	before := other.Tracking("t")
	other.Groups.Set("t:other", &Group{Name: "t:other", Tenant: "t", ID: 6})
	if other.Tracking("t") != before {
		t.Error("a group that no rule names: want the same generation")
	}
	want := Tier{"t:g", In, 1}
	if tier, rules := s.RulesOf(want.Key()); tier != want || len(rules) != 2 || rules[0].Key().Name != "t:g:p:a" || !s.JudgesIn("t:g") {
		t.Errorf("rules of their tier: got %v, %v", tier, rules)
	}
	set("a", nil)
	set("b", nil)
	if n := len(s.TiersOf("t:g")); n != 0 || s.JudgesIn("t:g") {
		t.Errorf("after the last rule: want nothing listed, got %d tiers", n)
	}
}

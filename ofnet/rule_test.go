package ofnet

import "testing"

// TestTracking: a tenant is tracked while it has rules, and its generation depends on what they say and on nothing else.
func TestTracking(t *testing.T) {
	rule := func(id string, deny bool) *Rule {
		return &Rule{ID: id, Tenant: "t", Group: "g:t", Direction: In, Priority: 1, Deny: deny}
	}
	s := NewState("h1")
	set := func(id string, r *Rule) uint32 {
		if r == nil {
			s.Rules.Delete(id)
		} else {
			s.Rules.Set(id, r)
		}
		tracking := s.Tracking("t")
		if tracking.On != (s.Rules.Len() > 0) || tracking.On != (tracking.Generation != 0) || tracking.Generation >= 1<<31 {
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
	other.Rules.Set("b", rule("b", true))
	other.Rules.Set("a", rule("a", true))
	if got := other.Tracking("t").Generation; got != ab {
		t.Errorf("on another host: want %#x, got %#x", ab, got)
	}
	if tier, rules := s.RulesOf(rule("a", true).Tier().Key()); tier != rule("a", true).Tier() || len(rules) != 2 || rules[0].ID != "a" || !s.JudgesIn("g:t") {
		t.Errorf("rules of their tier: got %v, %v", tier, rules)
	}
	set("a", nil)
	set("b", nil)
	if n := len(s.TiersOf("g:t")); n != 0 || s.JudgesIn("g:t") {
		t.Errorf("after the last rule: want nothing listed, got %d tiers", n)
	}
}

package ofnet

import "testing"

// TestTracking: a tenant is tracked while it has rules, and its generation depends on what they say and on nothing else.
func TestTracking(t *testing.T) {
	rule := func(id string, deny bool) *Rule {
		return &Rule{ID: id, Tenant: "t", Group: "g:t", Direction: In, Priority: 1, Deny: deny}
	}
	s := NewState("h1")
	s.Reindex()
	set := func(id string, r *Rule) uint32 {
		if s.Rules[id] = r; r == nil {
			delete(s.Rules, id)
		}
		s.Touch(Key{KindRule, id})
		tracked, generation := s.Tracking("t")
		if tracked != (len(s.Rules) > 0) || tracked != (generation != 0) || generation >= 1<<31 {
			t.Errorf("with %d rules: tracked %v, generation %#x", len(s.Rules), tracked, generation)
		}
		return generation
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
	other.Rules["b"], other.Rules["a"] = rule("b", true), rule("a", true)
	if _, got := other.Tracking("t"); got != ab {
		t.Errorf("on another host: want %#x, got %#x", ab, got)
	}
	set("a", nil)
	set("b", nil)
	if n := len(s.TiersOf("g:t")); n != 0 || s.JudgesIn("g:t") != 0 {
		t.Errorf("after the last rule: want nothing listed, got %d tiers", n)
	}
}

// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// policed is a State of many endpoints in one group, on this host, with rules that allow TCP ports one by one.
func policed(endpoints, rules int) *ofnet.State {
	s := ofnettest.Many(endpoints, 0)
	for i := range rules {
		ofnettest.SetRule(s, "t:g", portRule("t:g", i))
	}
	return s
}

// portRule allows a group's TCP port.
func portRule(group string, port int) *ofnet.Rule {
	return &ofnet.Rule{ID: ofnettest.RuleID(group, fmt.Sprintf("r%d", port)), Direction: ofnet.In, Priority: uint8(port%100 + 1),
		Protocol: ofnet.ProtocolTCP, Ports: []ofnet.PortRange{{First: uint16(port), Last: uint16(port)}}}
}

// TestFlowsOfManyRules shows that rules cost flows by their own number, whatever that of the endpoints.
func TestFlowsOfManyRules(t *testing.T) {
	const most = 5000
	p := Default()
	for _, endpoints := range []int{10, 1000} {
		s, plain := policed(endpoints, 1000), policed(endpoints, 0)
		n := len(p.CompileAll(s).Flows) - len(p.CompileAll(plain).Flows)
		if n < 1000 || n > most {
			t.Errorf("1000 rules on a group of %d endpoints: want at most %d flows, got %d", endpoints, most, n)
		}
		t.Logf("1000 rules on a group of %d endpoints: %d flows", endpoints, n)
	}
}

// TestConjunctionCost shows that a rule with many peers and many ports costs their sum.
func TestConjunctionCost(t *testing.T) {
	s := policed(1, 0)
	r := &ofnet.Rule{ID: ofnettest.RuleID("t:g", "wide"), Direction: ofnet.In, Priority: 1, Protocol: ofnet.ProtocolTCP}
	for i := range 100 {
		r.Peers = append(r.Peers, netip.PrefixFrom(netip.AddrFrom4([4]byte{11, 0, byte(i), 0}), 24))
		r.Ports = append(r.Ports, ofnet.PortRange{First: uint16(1000 + 2*i), Last: uint16(1000 + 2*i)})
	}
	ofnettest.SetRule(s, "t:g", r)
	const sum = 100 + 100 + 1
	if n := len(Default().Compile(s, ofnet.Tier{Group: "t:g", Direction: ofnet.In, Priority: 1}.Key()).Flows); n != sum {
		t.Errorf("flows for 100 peers and 100 ports: want %d, got %d", sum, n)
	}
}

// TestOneChangeTouchesFew shows that a rule, and an endpoint, concern the same few owners however many others there are.
func TestOneChangeTouchesFew(t *testing.T) {
	p := Default()
	touched := func(endpoints, rules int, change func(s *ofnet.State)) int {
		s := policed(endpoints, rules)
		before := s.Clone()
		change(s)
		return len(affected(p, before, s))
	}
	for name, change := range map[string]func(s *ofnet.State){
		"another rule": func(s *ofnet.State) {
			ofnettest.SetRule(s, "t:g", &ofnet.Rule{ID: ofnettest.RuleID("t:g", "new"), Direction: ofnet.In, Priority: 7, Deny: true})
		},
		"rule goes": func(s *ofnet.State) {
			s.Rules.Delete(ofnettest.RuleID("t:g", "r7"))
		},
		"another endpoint": func(s *ofnet.State) {
			e := *s.Endpoints.Get("t:n0:e0")
			e.ID = "t:n0-new"
			s.Endpoints.Set(e.ID, &e)
		},
	} {
		small, large := touched(200, 200, change), touched(1000, 2000, change)
		if small != large || large > 4 {
			t.Errorf("%s: want as many owners touched among few and many, 4 at most, got %d and %d", name, small, large)
		}
	}
}

// TestRuleNumbersDiffer makes two rules whose hashes would be one: each must have its own conjunction.
func TestRuleNumbersDiffer(t *testing.T) {
	c := newCompilation(ofnet.NewState("h1"), ofnet.Tier{Direction: ofnet.In}, 1)
	r := ofnet.Key{Kind: ofnet.KindRule, Name: "t:g:p:r"}
	if a, b := c.number(r), c.number(r); a == b || a == 0 || b == 0 {
		t.Errorf("numbers of two rules with one hash: want two, got %d and %d", a, b)
	}
}

// TestEqualRulesShareFlows: rules that ask the same have one flow, which bears the name of the first.
func TestEqualRulesShareFlows(t *testing.T) {
	s := policed(1, 0)
	for _, id := range []string{"a", "b"} {
		ofnettest.SetRule(s, "t:g", &ofnet.Rule{ID: ofnettest.RuleID("t:g", id), Direction: ofnet.Out, Priority: 3, Deny: true})
	}
	set := Default().Compile(s, ofnet.Tier{Group: "t:g", Direction: ofnet.Out, Priority: 3}.Key())
	if len(set.Flows) != 1 || set.Flows[0].Cookie.Owner() != flow.Owner(ofnet.Key{Kind: ofnet.KindRule, Name: "t:g:g:a"}) {
		t.Errorf("flows: want one with the cookie of a, got\n%s", set.Text(nil))
	}
}

func TestPortMasks(t *testing.T) {
	for _, r := range []ofnet.PortRange{{First: 0, Last: 65535}, {First: 80, Last: 80}, {First: 1, Last: 65534}, {First: 1000, Last: 1999}, {First: 65535, Last: 65535}, {First: 5, Last: 4}} {
		have, n := map[uint16]int{}, 0
		for value, mask := range masks(r) {
			n++
			for p := range 1 << 16 {
				if uint16(p)&mask == value {
					have[uint16(p)]++
				}
			}
		}
		for p := range 1 << 16 {
			want := 0
			if p >= int(r.First) && p <= int(r.Last) {
				want = 1
			}
			if have[uint16(p)] != want {
				t.Fatalf("%v: port %d: want it %d times, got %d", r, p, want, have[uint16(p)])
			}
		}
		if n > 30 {
			t.Errorf("%v: want at most 30 masks, got %d", r, n)
		}
	}
}

// BenchmarkOneRule compiles what one more rule on a group of 200 rules touches, among many other owners.
func BenchmarkOneRule(b *testing.B) {
	for _, owners := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(owners), func(b *testing.B) {
			s, p := ofnettest.Many(owners, 0), Default()
			for i := range 200 { // the group's rules; the endpoints are in another
				ofnettest.SetRule(s, "t:few", portRule("t:few", i))
			}
			s.Groups.Set("t:few", &ofnet.Group{Name: "t:few", Tenant: "t", ID: 8})
			e := *s.Endpoints.Get("t:n0:e0")
			e.Group = "t:few"
			s.Endpoints.Set(e.ID, &e)
			rule := &ofnet.Rule{ID: ofnettest.RuleID("t:few", "new"), Direction: ofnet.In, Priority: 7, Deny: true}
			for b.Loop() {
				for _, r := range []*ofnet.Rule{rule, nil} {
					before := s.Clone()
					if r == nil {
						s.Rules.Delete(rule.ID)
					} else {
						s.Rules.Set(rule.ID, r)
					}
					for _, k := range affected(p, before, s) {
						p.Compile(s, k)
					}
				}
			}
		})
	}
}

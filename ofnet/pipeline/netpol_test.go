// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// wide returns a policy with these numbers of judged classes, of classes and prefixes of peers, and of ports.
func wide(subjects, peers, prefixes, ports int) *ofnet.ClassPolicy {
	r := ofnet.ClassRule{Place: 1, Action: ofnet.Accept}
	for i := range subjects {
		r.Subjects = append(r.Subjects, uint32(1+i))
	}
	for i := range peers {
		r.Peers = append(r.Peers, uint32(1000+i))
	}
	for i := range prefixes {
		r.Prefixes = append(r.Prefixes, netip.PrefixFrom(netip.AddrFrom4([4]byte{11, 0, byte(i), 0}), 24))
	}
	for i := range ports {
		r.Ports = append(r.Ports, ofnet.ProtocolPorts{Protocol: ofnet.ProtocolTCP, PortRange: ofnet.PortRange{First: uint16(1000 + 2*i), Last: uint16(1000 + 2*i)}})
	}
	return &ofnet.ClassPolicy{Name: "ns:p", Direction: ofnet.In, Stage: ofnet.StageNamespace, Rules: []ofnet.ClassRule{r}}
}

// TestFlowsOfClassPolicy shows that a policy costs the sum of classes, peers and ports of each family, whatever the number of endpoints.
func TestFlowsOfClassPolicy(t *testing.T) {
	p := Default()
	for _, endpoints := range []int{10, 1000} {
		s := ofnettest.Many(endpoints, endpoints)
		before := len(p.CompileAll(s).Flows)
		s.SetClassPolicy(wide(40, 30, 20, 5))
		const most = 40 + 30 + 20 + 2*5 + 10
		if n := len(p.CompileAll(s).Flows) - before; n > most {
			t.Errorf("%d endpoints: want at most %d flows, got %d", endpoints, most, n)
		}
	}
}

// TestSlots shows that the rules of all priorities have flow priorities of their own, below what stands above them.
func TestSlots(t *testing.T) {
	last := uint16(netpolIsolated)
	for priority := range uint16(ofnet.LastPriority + 1) {
		for slot := range slots {
			p := slotPriority(ofnet.Level{Stage: ofnet.StageBaseline, Number: priority}, ofnet.Room{Slots: ofnet.MaxSlots}, slot)
			if p >= last {
				t.Fatalf("priority %d, slot %d: want less than %d, got %d", priority, slot, last, p)
			}
			last = p
		}
	}
	for _, number := range []uint16{0, ofnet.Levels - 1} {
		if p := slotPriority(ofnet.Level{Stage: ofnet.StageNamespace, Number: number}, ofnet.Room{}, 0); p <= netpolIsolated || p >= netpolExempt {
			t.Errorf("namespace level %d: want a priority between %d and %d, got %d", number, netpolIsolated, netpolExempt, p)
		}
	}
	if last < 1 {
		t.Errorf("the last slot: want above a table's miss, got %d", last)
	}
	for stage, top := range map[ofnet.Stage]uint16{ofnet.StageAdmin: netpolExempt, ofnet.StageBaseline: netpolIsolated} {
		spare := ofnet.SpareSlots(stage)
		for _, room := range []ofnet.Room{{Slots: ofnet.MaxSlots + spare}, {Slots: ofnet.MaxSlots, Above: spare}} {
			if p := slotPriority(ofnet.Level{Stage: stage}, room, 0); p >= top {
				t.Errorf("%s with all spare slots: want less than %d, got %d", stage, top, p)
			}
		}
	}
}

// crowd sets policies of one priority, each of that many rules about class 1.
func crowd(s *ofnet.State, d ofnet.Direction, stage ofnet.Stage, priority uint16, policies, rules int) {
	for i := range policies {
		p := &ofnet.ClassPolicy{Name: fmt.Sprintf("c%d-%04d", priority, i), Direction: d, Stage: stage, Priority: priority}
		for place := range rules {
			r := ofnet.ClassRule{Place: uint8(place + 1), Action: ofnet.Accept, Subjects: []uint32{1}, Peers: []uint32{2},
				Ports: []ofnet.ProtocolPorts{{Protocol: ofnet.ProtocolTCP, PortRange: ofnet.PortRange{First: uint16(20000 + place), Last: uint16(20000 + place)}}}}
			if place%2 == 1 {
				r.Action = ofnet.Deny
			}
			p.Rules = append(p.Rules, r)
		}
		s.SetClassPolicy(p)
	}
}

// decisions are the flows of a level by which its rules decide.
func decisions(s *ofnet.State, l ofnet.Level) (out []flow.Flow) {
	for _, f := range Default().Compile(s, l.Key()).Flows {
		if f.Match.Has(flow.ConjID) {
			out = append(out, f)
		}
	}
	return out
}

// TestCrowdedLevel has room for all rules of policies of one priority about the same endpoints: none speaks of other traffic, which
// passes. Earlier stages have a higher priority, later ones stay.
func TestCrowdedLevel(t *testing.T) {
	for _, stage := range []ofnet.Stage{ofnet.StageAdmin, ofnet.StageBaseline} {
		s := ofnet.NewState("h1")
		crowd(s, ofnet.In, stage, 100, 3, 20)
		crowd(s, ofnet.In, stage, 99, 1, 2)
		crowd(s, ofnet.In, stage, 101, 1, 2)
		if got := s.Crowded(); len(got) != 0 {
			t.Errorf("%s: want room for all, got %d policies without", stage, len(got))
		}
		last, seen := 1<<16, 0
		for _, number := range []uint16{99, 100, 101} {
			l := ofnet.Level{Direction: ofnet.In, Stage: stage, Number: number}
			flows := decisions(s, l)
			slices.SortFunc(flows, func(a, b flow.Flow) int { return int(b.Priority) - int(a.Priority) })
			for i, f := range flows {
				if int(f.Priority) >= last {
					t.Errorf("%s, priority %d, rule %d: want flows below %d, got %d", stage, number, i, last, f.Priority)
				}
				last = int(f.Priority)
				seen++
				side := classSideOf(ofnet.In)
				want := side.does(stage, []ofnet.ClassAction{ofnet.Accept, ofnet.Deny}[i%2], 0).Steps(Default().Tables())
				if got := f.Actions.Steps(Default().Tables()); got[len(got)-1] != want[len(want)-1] {
					t.Errorf("%s, priority %d, rule %d: want %v, got %v", stage, number, i, want, got)
				}
			}
		}
		if seen != 64 {
			t.Errorf("%s: want 64 rules that decide, got %d", stage, seen)
		}
	}
}

// TestCrowdedStage closes traffic without a spare slot, marks that in the cookie, and does not affect other directions and stages.
func TestCrowdedStage(t *testing.T) {
	s := ofnet.NewState("h1")
	crowd(s, ofnet.In, ofnet.StageBaseline, 5, 20, 20)
	crowd(s, ofnet.Out, ofnet.StageBaseline, 5, 1, 20)
	l := ofnet.Level{Direction: ofnet.In, Stage: ofnet.StageBaseline, Number: 5}
	room, denials := s.RoomOf(l), 0
	for _, f := range decisions(s, l) {
		if f.Cookie.Owner() != flow.Owner(l.Key()) {
			continue
		}
		denials++
		if want := slotPriority(l, room, room.Slots); f.Priority != want {
			t.Errorf("a denial: want priority %d, got %d", want, f.Priority)
		}
	}
	if want := 400 - ofnet.MaxSlots - ofnet.SpareSlots(ofnet.StageBaseline); denials != want {
		t.Errorf("want %d rules that deny, got %d", want, denials)
	}
	if got := s.Crowded(); len(got) != 1 || got[0].Name != "c5-0019" {
		t.Errorf("want the last policy reported, got %v", got)
	}
	if got := s.RoomOf(ofnet.Level{Direction: ofnet.Out, Stage: ofnet.StageBaseline, Number: 4}); got != (ofnet.Room{Slots: ofnet.MaxSlots}) {
		t.Errorf("want the other direction as ever, got %+v", got)
	}
}

// TestLevelOfManySubjects has room for any number of policies of one priority whose subjects no other has.
func TestLevelOfManySubjects(t *testing.T) {
	s := ofnet.NewState("h1")
	for i := range uint32(10) {
		p := &ofnet.ClassPolicy{Name: fmt.Sprint("c", i), Direction: ofnet.In, Stage: ofnet.StageAdmin, Priority: 5}
		for place := range ofnet.MaxRules {
			p.Rules = append(p.Rules, ofnet.ClassRule{Place: uint8(place + 1), Action: ofnet.Accept, Subjects: []uint32{i + 1}, Anyone: true})
		}
		s.SetClassPolicy(p)
	}
	if got := s.Crowded(); len(got) != 0 {
		t.Errorf("want room for all, got %v", got)
	}
	for _, f := range Default().Compile(s, ofnet.Level{Direction: ofnet.In, Stage: ofnet.StageAdmin, Number: 5}.Key()).Flows {
		if slices.Contains(f.Actions.Steps(Default().Tables()), flow.Do(flow.GotoTable(tRefuse)).Steps(Default().Tables())[0]) {
			t.Errorf("want nothing denied, got %v", f)
		}
	}
	// A policy about two of them goes behind both.
	both := &ofnet.ClassPolicy{Name: "d", Direction: ofnet.In, Stage: ofnet.StageAdmin, Priority: 5, Rules: []ofnet.ClassRule{{Place: 1, Action: ofnet.Deny, Subjects: []uint32{1, 2}, Anyone: true}}}
	first := &ofnet.ClassPolicy{Name: "a", Rules: []ofnet.ClassRule{{Place: 3, Subjects: []uint32{1}}}}
	second := &ofnet.ClassPolicy{Name: "b", Rules: []ofnet.ClassRule{{Place: 7, Subjects: []uint32{2}}}}
	if got := ofnet.Slots([]*ofnet.ClassPolicy{first, second, both}); !slices.Equal(got, []int{0, 0, 7}) {
		t.Errorf("want slots 0, 0, 7, got %v", got)
	}
}

// TestOnePolicyTouchesFew shows that a policy, and an endpoint of a class, concern the same few owners however many others there are.
func TestOnePolicyTouchesFew(t *testing.T) {
	p := Default()
	for name, change := range map[string]func(s *ofnet.State){
		"another policy": func(s *ofnet.State) {
			more := *wide(3, 3, 3, 3)
			more.Name = "ns:more"
			s.SetClassPolicy(&more)
		},
		"another endpoint elsewhere": func(s *ofnet.State) {
			e := *s.Endpoints.Get("t:n0:e0")
			e.ID, e.Host, e.Port, e.IP4, e.Class = "new", "h1", 0, netip.MustParseAddr("10.0.0.200"), 1001
			s.Endpoints.Set(e.ID, &e)
		},
	} {
		for _, endpoints := range []int{10, 1000} {
			s := ofnettest.Many(endpoints, 0)
			for i := range 100 {
				other := *wide(3, 3, 3, 3)
				other.Name = fmt.Sprint("ns:p", i)
				s.SetClassPolicy(&other)
			}
			before := s.Clone()
			change(s)
			if got := affected(p, before, s); len(got) > 2 {
				t.Errorf("%s among %d endpoints: want 2 owners at most, got %v", name, endpoints, got)
			}
		}
	}
}

func TestClassPolicyKeys(t *testing.T) {
	for _, l := range []ofnet.Level{{Direction: ofnet.In, Stage: ofnet.StageAdmin, Number: 7}, {Direction: ofnet.Out, Stage: ofnet.StageNamespace, Number: 6999}, {Direction: ofnet.Out, Stage: ofnet.StageBaseline}} {
		s := ofnet.NewState("h1")
		if got, list := s.PoliciesAt(l.Key()); list != nil || got != (ofnet.Level{}) {
			t.Errorf("%s without policies: want none, got %v, %v", l.Key(), got, list)
		}
		p := &ofnet.ClassPolicy{Name: "x", Direction: l.Direction, Stage: l.Stage, Priority: l.Number}
		s.SetClassPolicy(p)
		if got, list := s.PoliciesAt(p.Level().Key()); len(list) != 1 || got != p.Level() {
			t.Errorf("%s: want its policy, got %v, %v", p.Level().Key(), got, list)
		}
	}
}

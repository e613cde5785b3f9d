// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/skew"
)

var next = Build{Version: "0.10.0", Protocol: skew.Range{Oldest: 1, Newest: 2}, Records: skew.Range{Oldest: 1, Newest: 1}}

func node(name string, role model.NodeRole, change ...func(*model.Node)) model.Node {
	n := model.Node{Name: name, Address: name, Role: role, Ready: true, Version: "0.9.0"}
	for _, c := range change {
		c(&n)
	}
	return n
}

// three returns a cluster of three netmasters and three agents, of which the first netmaster leads.
func three() State {
	return State{Nodes: []model.Node{node("m1", model.RoleLeader), node("m2", model.RoleFollower), node("m3", model.RoleFollower),
		node("h3", model.RoleAgent), node("h1", model.RoleAgent), node("h2", model.RoleAgent)}}
}

func order(p Plan) string {
	var out []string
	for _, s := range p.Steps {
		what := s.Daemon
		if strings.Contains(s.Command, "handover") {
			what = "handover"
		}
		out = append(out, what+" "+s.Host)
	}
	return strings.Join(out, ", ")
}

// Followers come first, then the leader after it has handed over, then the agents.
func TestMake(t *testing.T) {
	p := Make(three(), next)
	if got, want := order(p), "netmaster m2, netmaster m3, handover m1, netmaster m1, netplugin h1, netplugin h2, netplugin h3"; got != want {
		t.Errorf("steps: got %s, want %s", got, want)
	}
	if len(p.Blockers) != 0 {
		t.Errorf("blockers: got %q, want none", p.Blockers)
	}
}

// A later plan has the remaining steps.
func TestMake_Again(t *testing.T) {
	s := three()
	for _, i := range []int{1, 2, 4} {
		s.Nodes[i].Version = next.Version
	}
	if got, want := order(Make(s, next)), "handover m1, netmaster m1, netplugin h2, netplugin h3"; got != want {
		t.Errorf("steps: got %s, want %s", got, want)
	}
	for i := range s.Nodes {
		s.Nodes[i].Version = next.Version
	}
	if p := Make(s, next); len(p.Steps) != 0 || len(p.Remarks) != 0 {
		t.Errorf("all of the build: got %+v, want nothing to do", p)
	}
}

func TestMake_Blockers(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*State)
		want   []string
	}{
		{"a netmaster that is not ready", func(s *State) { s.Nodes[1].Ready, s.Nodes[1].Reason = false, "its disk is full" }, []string{"netmaster m2 is not ready: its disk is full"}},
		{"an agent that is down", func(s *State) { s.Nodes[3].Ready, s.Nodes[3].Down = false, true }, nil},
		{"an agent that is too old", func(s *State) { s.Nodes[3].Protocol = "7-8" }, []string{"netplugin on h3 knows version 7-8 of the protocol of agents, version 0.10.0 of contiv knows 1-2: upgrade to a release between them first"}},
		{"a netmaster of later records", func(s *State) { s.Nodes[0].Records = "2-3" }, []string{"netmaster m1 knows version 2-3 of the format"}},
		{"a text that is no range", func(s *State) { s.Nodes[0].Records = "new" }, []string{"netmaster m1: format of the store's records: range of versions: got \"new\""}},
		{"an error", func(s *State) {
			s.Health.Findings = []model.Finding{{Code: model.FindingVersionSkew, Severity: model.SeverityError, Object: "host/h1"}}
		}, []string{"problems of severity error: 1, the first one version-skew of host/h1"}},
		{"a warning", func(s *State) {
			s.Health.Findings = []model.Finding{{Code: model.FindingVersionSkew, Severity: model.SeverityWarning, Object: "host/h1"}}
		}, nil},
		{"a member that does not answer", func(s *State) { s.Members = []model.StoreMember{{Name: "m3", Error: "time is over"}} }, []string{"member m3 of the store does not answer: time is over"}},
	} {
		s := three()
		row.change(&s)
		p := Make(s, next)
		if len(p.Blockers) != len(row.want) {
			t.Errorf("%s: got %q, want %q", row.name, p.Blockers, row.want)
			continue
		}
		for i, want := range row.want {
			if !strings.Contains(p.Blockers[i], want) {
				t.Errorf("%s: got %q, want %q", row.name, p.Blockers[i], want)
			}
		}
	}
}

// With one or two netmasters the plan names what a restart interrupts.
func TestMake_Interrupts(t *testing.T) {
	one := State{Nodes: []model.Node{node("m1", model.RoleLeader)}}
	if p := Make(one, next); order(p) != "netmaster m1" || !strings.Contains(p.Steps[0].Effect, "nothing can be changed") {
		t.Errorf("one netmaster: got %+v", p.Steps)
	}
	two := State{Nodes: []model.Node{node("m1", model.RoleLeader), node("m2", model.RoleFollower)}}
	if p := Make(two, next); !strings.Contains(p.Steps[0].Effect, "embedded store") {
		t.Errorf("two netmasters: got %+v", p.Steps)
	}
	down := three()
	down.Nodes[3].Down, down.Nodes[3].Ready = true, false
	if p := Make(down, next); !strings.Contains(strings.Join(p.Remarks, "; "), "host h3 is down") || strings.Contains(order(p), "h3,") || strings.HasSuffix(order(p), "netplugin h3") {
		t.Errorf("a host that is down: got %+v", p)
	}
}

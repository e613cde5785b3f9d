// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// terminals are the sizes at which pages are compared.
func terminals() [][2]int { return [][2]int{{80, 24}, {120, 40}, {200, 60}} }

// crowd is a tenant with groups: those with a number divisible by 100 have a database, which others reach only at its port, and each
// with different policies has its own rule.
func crowd(groups int, different bool) *feed.Snapshot {
	s, _ := fixed()
	s.Endpoints, s.Objects = nil, map[string][]model.Object{"tenant": {&model.Tenant{TenantName: "big"}}, "network": {&model.Network{TenantName: "big", NetworkName: "net", Encap: "vxlan", Subnet: "10.0.0.0/8"}}}
	put := func(o model.Object) { s.Objects[o.Kind().Name] = append(s.Objects[o.Kind().Name], o) }
	rule := func(policy, id, action string, port, priority int) {
		r := &model.Rule{TenantName: "big", PolicyName: policy, RuleId: id, Direction: "in", Action: action, Priority: priority, Port: port}
		if port != 0 {
			r.Protocol = "tcp"
		}
		put(r)
	}
	rule("db-in", "base", "deny", 0, 1)
	rule("db-in", "pg", "allow", 5432, 10)
	for i := range groups {
		g := &model.EndpointGroup{TenantName: "big", NetworkName: "net", GroupName: fmt.Sprintf("g%04d", i)}
		switch {
		case different:
			g.Policies = []string{g.GroupName}
			rule(g.GroupName, "only", "deny", 0, 1)
			rule(g.GroupName, "port", "allow", 1000+i, 10)
		case i%100 == 0:
			g.Policies = []string{"db-in"}
		}
		put(g)
	}
	return s
}

// scaled is a console that shows a snapshot.
func scaled(tb testing.TB, s *feed.Snapshot, path string, size [2]int, keys ...string) *Model {
	tb.Helper()
	_, now := fixed()
	m := New(tb.Context(), &cluster{}, mono(tb, false), opened(tb, path), now)
	m.Update(s)
	m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	m.Frame()
	press(m, keys...)
	return m
}

// Equal groups are one row and one column; a pair is found by its names; where nothing is equal the columns' names are written downwards.
func TestGoldenMatrixAtScale(t *testing.T) {
	for _, x := range []struct {
		name      string
		groups    int
		different bool
		keys      []string
	}{{"folded", 300, false, nil}, {"different", 300, true, []string{"down", "right"}}, {"pair", 300, false, filter("g0042>g0200")}, {"unfolded", 300, false, []string{"space", "G"}},
		{"ports", 300, true, []string{"+", "down", "right", "right"}}} {
		for _, size := range terminals() {
			m := scaled(t, crowd(x.groups, x.different), "matrix/big", size, x.keys...)
			frame := m.Frame()
			if wrong := exact(frame, size[0], size[1]); wrong != "" {
				t.Errorf("%s at %v: %s", x.name, size, wrong)
			}
			golden(t, fmt.Sprintf("matrix-%s-%d.txt", x.name, size[0]), Plain(frame)+"\n")
		}
	}
}

// What a matrix with folds says is what it says without: the cell of each pair is found by its names.
func TestMatrixOfFoldsSaysTheSame(t *testing.T) {
	m := scaled(t, crowd(30, false), "matrix/big", [2]int{120, 40})
	for _, pair := range []struct{ from, to, want string }{{"g0003", "g0000", "tcp 5432"}, {"g0000", "g0003", "all"}, {"g0000", "g0000", "tcp 5432"}, {"outside", "g0000", "tcp 5432"}, {"g0029", "outside", "all"}} {
		press(m, filter(pair.from+">"+pair.to)...)
		if frame, want := Plain(m.Frame()), pair.from+" to "+pair.to+"  "+pair.want; !strings.Contains(frame, want) {
			t.Errorf("want %q in\n%s", want, frame)
		}
		press(m, "esc")
	}
}

// The folds under the cursor open and close, and the cursor stays on its pair.
func TestFoldsOpenAndClose(t *testing.T) {
	m := scaled(t, crowd(30, false), "matrix/big", [2]int{120, 40}, "right")
	closed := Plain(m.Frame())
	if want := "g0000..g0029 (30)"; !strings.Contains(closed, want) {
		t.Fatalf("want the fold %q in\n%s", want, closed)
	}
	press(m, "space")
	if open := Plain(m.Frame()); !strings.Contains(open, "g0017 ") || strings.Contains(open, "(29) ") || strings.Contains(open, "(30) ") {
		t.Errorf("want each group of the fold in\n%s", open)
	}
	press(m, "space")
	if again := Plain(m.Frame()); again != closed {
		t.Errorf("want the folds closed again, got\n%s", again)
	}
}

// Enter shows the rules of the receiver, of a fold those of its first.
func TestRulesOfAFold(t *testing.T) {
	m := scaled(t, crowd(300, false), "matrix/big", [2]int{120, 40}, "enter")
	if frame := Plain(m.Frame()); !strings.Contains(frame, "db-in") {
		t.Errorf("want the rules of g0000 in\n%s", frame)
	}
}

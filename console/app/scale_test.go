// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
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
	}{{"folded", 300, false, nil}, {"different", 120, true, []string{"down", "right"}}, {"pair", 300, false, filter("g0042>g0200")}, {"unfolded", 300, false, []string{"space", "G"}},
		{"ports", 120, true, []string{"+", "down", "right", "right"}}} {
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

// fleet is a cluster of hosts with endpoints in groups of ten networks; every hundredth host is silent, and every fortieth lags.
func fleet(hosts, endpoints int) *feed.Snapshot {
	s, now := fixed()
	s.Nodes, s.Endpoints, s.Objects = s.Nodes[:1], nil, map[string][]model.Object{}
	put := func(o model.Object) { s.Objects[o.Kind().Name] = append(s.Objects[o.Kind().Name], o) }
	var findings []model.Finding
	for i := range hosts {
		n := model.Node{Name: fmt.Sprintf("h%04d", i), Role: model.RoleAgent, Ready: true, Revision: 18204, VTEP: fmt.Sprintf("198.51.%d.%d", i>>8, i&255)}
		switch {
		case i%100 == 99:
			n = model.Node{Name: n.Name, Role: model.RoleAgent, Reason: "did not answer: i/o timeout"}
			findings = append(findings, model.Finding{Code: model.FindingAgentSilent, Severity: model.SeverityError, Object: "host/" + n.Name, Evidence: n.Reason})
		case i%40 == 17:
			n.Lag = 2
		}
		s.Nodes = append(s.Nodes, n)
	}
	for i := range 2 {
		tenant := fmt.Sprintf("t%d", i)
		put(&model.Tenant{TenantName: tenant})
		for j := range 5 {
			network := fmt.Sprintf("n%d", j)
			put(&model.Network{TenantName: tenant, NetworkName: network, Encap: "vxlan", Subnet: fmt.Sprintf("10.%d.%d.0/20", i, 16*j)})
			for k := range 12 {
				put(&model.EndpointGroup{TenantName: tenant, NetworkName: network, GroupName: fmt.Sprintf("g%d-%02d", j, k)})
			}
		}
	}
	for i := range endpoints {
		tenant, network := fmt.Sprintf("t%d", i%2), fmt.Sprintf("n%d", i/2%5)
		id := fmt.Sprintf("web-%05d", i)
		at := i * 7919 % (hosts * (hosts + 1) / 2) // the first hosts have fewest
		host := 0
		for at > host {
			at -= host + 1
			host++
		}
		s.Endpoints = append(s.Endpoints, &feed.Endpoint{Key: tenant + ":" + network + ":" + id, EndpointID: id, Network: network + "." + tenant, EndpointGroupKey: fmt.Sprintf("g%d-%02d:%s", i/2%5, i/10%12, tenant),
			HomingHost: fmt.Sprintf("h%04d", host), IpAddress: [2]string{fmt.Sprintf("10.%d.%d.%d", i%2, i>>8&255, i&255), ""}})
	}
	s.Answers = map[feed.Question]feed.Answer{page.HealthQuestion(): {At: now, Value: model.Health{Findings: findings}}}
	return s
}

// All hosts are on the map, at most some screens away, and what is wrong with them is counted.
func TestGoldenTopologyAtScale(t *testing.T) {
	for _, hosts := range []int{50, 500, 5000} {
		s := fleet(hosts, 4*hosts)
		for _, x := range []struct {
			name string
			keys []string
		}{{"", nil}, {"-next", []string{"n"}}, {"-boxes", []string{"+", "G"}}} {
			for _, size := range terminals() {
				m := scaled(t, s, "topology", size, x.keys...)
				frame := m.Frame()
				if wrong := exact(frame, size[0], size[1]); wrong != "" {
					t.Errorf("%d hosts%s at %v: %s", hosts, x.name, size, wrong)
				}
				golden(t, fmt.Sprintf("topology-%d%s-%d.txt", hosts, x.name, size[0]), Plain(frame)+"\n")
			}
		}
	}
}

// Each host can be selected with the arrow keys, in boxes and in cells, and enter opens its page.
func TestEveryHostIsReachable(t *testing.T) {
	for _, zoom := range []string{"+", "tab"} {
		m := scaled(t, fleet(130, 130), "topology", [2]int{80, 24}, zoom)
		for i := range 130 {
			if frame, want := Plain(m.Frame()), fmt.Sprintf("host h%04d ", i); !strings.Contains(frame, want) {
				t.Fatalf("zoom %s, host %d: want %q in\n%s", zoom, i, want, frame)
			}
			press(m, "right")
		}
		press(m, "enter")
		if frame := Plain(m.Frame()); !strings.Contains(frame, "netctl describe node h0129") {
			t.Errorf("zoom %s: want the page of the last host, got\n%s", zoom, frame)
		}
	}
}

// A large tree has only its tenants at first, with what they have; an object that the page starts at is in view.
func TestLargeTreeIsFolded(t *testing.T) {
	m := scaled(t, fleet(50, 200), "topology", [2]int{120, 40})
	if frame := Plain(m.Frame()); !strings.Contains(frame, "tenant t0  5 networks, 100 endpoints") || strings.Contains(frame, "network n0") {
		t.Errorf("want only tenants, got\n%s", frame)
	}
	for path, want := range map[string]string{"topology/network/t1/n3": "network t1:n3: 20 on", "topology/group/t1/g3-07": "group g3-07  2", "topology/endpoint/t1:n3:web-00177": "web-00177"} {
		if frame := Plain(scaled(t, fleet(50, 200), path, [2]int{120, 40}).Frame()); strings.Contains(frame, "▾ tenant t0") || !strings.Contains(frame, want) {
			t.Errorf("%s: want %q, and tenant t0 folded, got\n%s", path, want, frame)
		}
	}
}

// The overview has its sections in every size: beside the hosts where there is room, else in a line each.
func TestGoldenOverviewSizes(t *testing.T) {
	for _, size := range terminals() {
		for _, x := range []struct {
			name   string
			change func(s *feed.Snapshot)
		}{{"", func(*feed.Snapshot) {}}, {"-unknown", func(s *feed.Snapshot) {
			s.Answers = map[feed.Question]feed.Answer{}
			s.Rates, s.Pools = feed.Rates{}, nil
		}}, {"-without-pairs", func(s *feed.Snapshot) { delete(s.Answers, feed.Question{Topic: feed.Observed}) }}} {
			s, _ := realistic()
			x.change(s)
			m := scaled(t, s, "overview", size)
			frame := m.Frame()
			if wrong := exact(frame, size[0], size[1]); wrong != "" {
				t.Errorf("%s at %v: %s", x.name, size, wrong)
			}
			golden(t, fmt.Sprintf("overview%s-%d.txt", x.name, size[0]), Plain(frame)+"\n")
		}
	}
}

// Where there is room, a list has the page of its selected row beside it.
func TestGoldenBeside(t *testing.T) {
	s, _ := realistic()
	for _, path := range []string{"endpoints", "findings", "top"} {
		m := scaled(t, s, path, [2]int{200, 60}, "down")
		if path == "endpoints" {
			m = scaled(t, s, path, [2]int{200, 60}, filter("web-1$")...)
		}
		frame := m.Frame()
		if wrong := exact(frame, 200, 60); wrong != "" {
			t.Errorf("%s: %s", path, wrong)
		}
		golden(t, path+"-beside.txt", Plain(frame)+"\n")
	}
}

// The data of the page beside a list is requested after the cursor has rested, and not in a narrow terminal or after |.
func TestBesideAsksAfterAPause(t *testing.T) {
	s, now := fixed()
	c := &cluster{}
	m := New(t.Context(), c, mono(t, false), opened(t, "endpoints"), now)
	m.pause = time.Nanosecond
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 40})
	_, first := m.Update(s)
	described := func() (keys []string) {
		for _, q := range c.asked {
			if q.Topic == feed.Described {
				keys = append(keys, q.Key)
			}
		}
		return keys
	}
	down, err := pressOf("down")
	if err != nil {
		t.Fatal(err)
	}
	_, second := m.Update(down)
	if got := described(); got != nil {
		t.Errorf("before the pause: got requests for %v", got)
	}
	if m.Update(first()); described() != nil {
		t.Errorf("after the pause of the first row, which is not selected any more: got requests for %v", described())
	}
	if m.Update(second()); !slices.Equal(described(), []string{"acme:blue:web-1"}) {
		t.Errorf("after the pause: got requests for %v", described())
	}
	if _, again := m.Update(s); again != nil || len(described()) != 1 {
		t.Errorf("after a snapshot: want the same requests, got %v", described())
	}
	hide, err := pressOf("|")
	if err != nil {
		t.Fatal(err)
	}
	if m.Update(hide); described() != nil || strings.Contains(Plain(m.Frame()), "│") {
		t.Errorf("hidden: got requests for %v", described())
	}
	m.Update(hide)
	if m.Update(tea.WindowSizeMsg{Width: 159, Height: 40}); described() != nil || strings.Contains(Plain(m.Frame()), "│") {
		t.Errorf("narrow: got requests for %v", described())
	}
}

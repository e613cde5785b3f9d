// SPDX-License-Identifier: Apache-2.0

package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// town is a tenant with two groups and a loose endpoint, and another tenant.
func town() *feed.Snapshot {
	endpoint := func(id, network, group, host string) *feed.Endpoint {
		return &feed.Endpoint{Key: network + ":" + id, EndpointID: id, EndpointGroupKey: group, HomingHost: host, IpAddress: [2]string{"10.1.1.1"}}
	}
	return &feed.Snapshot{
		Objects: map[string][]model.Object{
			"tenant":  {&model.Tenant{TenantName: "t"}, &model.Tenant{TenantName: "u"}},
			"network": {&model.Network{TenantName: "t", NetworkName: "n", Subnet: "10.1.1.0/24"}, &model.Network{TenantName: "u", NetworkName: "n", Subnet: "10.1.1.0/24"}},
			"endpointGroup": {&model.EndpointGroup{TenantName: "t", GroupName: "db", NetworkName: "n", Policies: []string{"p"}},
				&model.EndpointGroup{TenantName: "t", GroupName: "web", NetworkName: "n", Policies: []string{"out"}}},
			"policy": {&model.Policy{TenantName: "t", PolicyName: "p"}},
			"rule": {&model.Rule{TenantName: "t", PolicyName: "p", RuleId: "1", Direction: "in", Action: "deny", Priority: 1},
				&model.Rule{TenantName: "t", PolicyName: "out", RuleId: "1", Direction: "in", FromEndpointGroup: "db", Action: "deny", Priority: 1}},
		},
		Endpoints: []*feed.Endpoint{endpoint("db1", "t:n", "db:t", "h1"), endpoint("web1", "t:n", "web:t", "h1"), endpoint("web2", "t:n", "web:t", "h2"),
			endpoint("loose", "t:n", "", "h2"), endpoint("far", "u:n", "", "h1")},
	}
}

// indexOf is the index of a snapshot, filtered.
func indexOf(s *feed.Snapshot, filter *widget.Filter) *indexes {
	return makeIndexes(context.Background(), s.Endpoints, indexVersion{filter: filter}, nil)
}

// visibleLines is the visible lines of a snapshot's tree.
func visibleLines(s *feed.Snapshot, f folds, filter *widget.Filter) (out []line) {
	t := newTree(branches(s), indexOf(s, filter), f)
	for i := range t.size {
		out = append(out, t.at(i))
	}
	return out
}

func texts(all []line) string {
	var out []string
	for _, b := range all {
		out = append(out, strings.Repeat(".", b.depth)+strings.Fields(b.label())[0]+" "+b.key)
	}
	return strings.Join(out, "\n")
}

func TestTree(t *testing.T) {
	filter, err := widget.NewFilter("web2")
	if err != nil {
		t.Fatal(err)
	}
	whole := "tenant t\n.network t:n\n..group t:db\n...db1 t:n:db1\n..group t:web\n...web1 t:n:web1\n...web2 t:n:web2\n..loose t:n:loose\ntenant u\n.network u:n\n..far u:n:far"
	tests := []struct {
		name   string
		folds  folds
		filter *widget.Filter
		want   string
	}{
		{"all", folds{}, nil, whole},
		{"a folded group", folds{ref{model.KindEndpointGroup(), "t:web"}: true}, nil, strings.Replace(whole, "...web1 t:n:web1\n...web2 t:n:web2\n", "", 1)},
		{"a folded tenant", folds{{model.KindTenant(), "t"}: true, {model.KindTenant(), "u"}: true}, nil, "tenant t\ntenant u"},
		{"a filter keeps ancestors and opens all", folds{{model.KindTenant(), "t"}: true}, filter, "tenant t\n.network t:n\n..group t:web\n...web2 t:n:web2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := texts(visibleLines(town(), tt.folds, tt.filter)); got != tt.want {
				t.Errorf("want:\n%s\ngot:\n%s", tt.want, got)
			}
		})
	}
}

func TestLongBranchesBeginFolded(t *testing.T) {
	s := town()
	for range foldFrom {
		s.Endpoints = append(s.Endpoints, s.Endpoints[1])
	}
	if got := texts(visibleLines(s, folds{}, nil)); strings.Contains(got, "web1") || !strings.Contains(got, "db1") {
		t.Errorf("want the long group folded and the short one not, got:\n%s", got)
	}
	if got := texts(visibleLines(s, folds{ref{model.KindEndpointGroup(), "t:web"}: true}, nil)); !strings.Contains(got, "web1") {
		t.Errorf("want the long group unfolded, got:\n%s", got)
	}
}

func TestRelations(t *testing.T) {
	tests := []struct {
		at   ref
		want map[string]relation
	}{
		{ref{model.KindEndpoint(), "t:n:web1"}, map[string]relation{"t:n:web1": selected, "t:n:web2": full, "t:n:db1": refused, "t:n:loose": full, "u:n:far": unrelated}},
		{ref{model.KindEndpoint(), "t:n:loose"}, map[string]relation{"t:n:loose": selected, "t:n:db1": full, "t:n:web1": full, "u:n:far": unrelated}},
		{ref{model.KindEndpointGroup(), "t:db"}, map[string]relation{"t:n:db1": selected, "t:n:web1": refused, "t:n:web2": refused}},
		{ref{model.KindNetwork(), "t:n"}, map[string]relation{"t:n:db1": selected, "t:n:loose": selected, "u:n:far": unrelated}},
		{ref{model.KindTenant(), "u"}, map[string]relation{"u:n:far": selected, "t:n:db1": unrelated}},
	}
	s := town()
	all := visibleLines(s, folds{}, nil)
	for _, tt := range tests {
		i := slices.IndexFunc(all, func(b line) bool { return b.ref == tt.at })
		got := relate(s, &all[i])
		for key, want := range tt.want {
			if e := findEndpoint(s, key); got.of(e) != want {
				t.Errorf("%v: %s: want %v, got %v", tt.at, key, want, got.of(e))
			}
		}
	}
}

// The sums are those of the endpoints one by one.
func TestRelationsAreSummed(t *testing.T) {
	s := town()
	for _, b := range visibleLines(s, folds{}, nil) {
		rel, want, on := relate(s, &b), map[relation]int{}, map[string]bool{}
		for _, e := range s.Endpoints {
			if want[rel.of(e)]++; rel.of(e) == selected {
				on[e.HomingHost] = true
			}
		}
		sums := rel.sums(indexOf(s, nil).all)
		counts, hosts := sums.counts, len(sums.hosts)
		for how := unrelated; how <= selected; how++ {
			if counts[how] != want[how] || hosts != len(on) {
				t.Errorf("%v: relation %d: want %d on %d hosts, got %d on %d", b.ref, how, want[how], len(on), counts[how], hosts)
			}
		}
	}
}

// Many endpoints are indexed in the background, and what was shown stays until that is done; a filter that was typed over never shows.
func TestIndexedInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &feed.Snapshot{}
		for i := range 2 * manyEndpoints {
			s.Endpoints = append(s.Endpoints, &feed.Endpoint{Key: fmt.Sprintf("t:n:web-%04d", i), EndpointID: fmt.Sprintf("web-%04d", i), Network: "n.t", HomingHost: fmt.Sprintf("h%d", i%7)})
		}
		c := Canvas{Background: &widget.Background{Ready: func() {}}}
		var x indexed
		if made, fresh := x.get(c, s); !fresh || made.all.size != len(s.Endpoints) || made.kept != made.all {
			t.Fatalf("want all at once at first, got %+v", made)
		}
		for _, text := range []string{"web-00", "web-001"} {
			filter, err := widget.NewFilter(text)
			if err != nil {
				t.Fatal(err)
			}
			c.Filter = filter
			if made, fresh := x.get(c, s); fresh || made.filter != nil || !x.filtering() {
				t.Fatalf("%s: want the old index while it is filtered, got %+v", text, made)
			}
		}
		synctest.Wait()
		if made, fresh := x.get(c, s); !fresh || made.filter != c.Filter || made.kept.size != 10 || x.filtering() {
			t.Fatalf("want 10 endpoints kept, got %+v", made.kept)
		}
		next := *s
		next.Endpoints = s.Endpoints[1:]
		if made, fresh := x.get(c, &next); fresh || made.all.size != len(s.Endpoints) || x.filtering() {
			t.Fatal("want the old index, and nothing said, while the new endpoints are indexed")
		}
		synctest.Wait()
		if made, _ := x.get(c, &next); made.all.size != len(next.Endpoints) || made.kept.size != 10 {
			t.Fatalf("want the new endpoints, got %d of %d", made.kept.size, made.all.size)
		}
	})
}

func TestAffected(t *testing.T) {
	tests := []struct {
		kind      *model.Kind
		key, want string
	}{
		{model.KindTenant(), "u", "1 network: u:n|1 endpoint: far on h1"},
		{model.KindNetwork(), "t:n", "2 endpointGroups: t:db, t:web|4 endpoints: db1 on h1, web1 on h1, web2 on h2, loose on h2"},
		{model.KindPolicy(), "t:p", "1 endpointGroup: t:db|1 rule: t:p:1"},
		{model.KindEndpointGroup(), "t:db", "1 rule: t:out:1|1 endpoint: db1 on h1"},
		{model.KindPolicy(), "t:gone", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(affected(town(), tt.kind, tt.key), "|"); got != tt.want {
			t.Errorf("%s %s: want %q, got %q", tt.kind.Name, tt.key, tt.want, got)
		}
	}
}

// An unusable uplink appears with its host; one in reserve is not a problem.
func TestNodeState_Uplinks(t *testing.T) {
	th, err := theme.New("mono", true)
	if err != nil {
		t.Fatal(err)
	}
	good := model.Uplink{Name: "eth1", Link: true, Active: true, LACP: "current"}
	for _, row := range []struct {
		second model.Uplink
		want   string
		role   theme.Role
	}{
		{model.Uplink{Name: "eth2", Link: true}, "programmed", theme.Good},
		{model.Uplink{Name: "eth2"}, "uplink eth2 (no link)", theme.Warn},
		{model.Uplink{Name: "eth2", Link: true, LACP: "expired detached"}, "uplink eth2 (expired detached)", theme.Warn},
	} {
		n := model.Node{Name: "h1", Role: model.RoleAgent, Ready: true, Uplinks: []model.Uplink{good, row.second}}
		if got, role := nodeState(th, &n); !strings.HasSuffix(got, row.want) || role != row.role {
			t.Errorf("%+v: want %q in role %v, got %q in %v", row.second, row.want, row.role, got, role)
		}
	}
}

func TestRuleHits(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	one := func(record string, n uint64, phase string) model.RuleStatus {
		return model.RuleStatus{Rule: "t:p:1", Record: record, Phase: phase, Packets: n, Error: phase}
	}
	s := &feed.Snapshot{Nodes: []model.Node{{Name: "h1", Role: model.RoleAgent}, {Name: "h2", Role: model.RoleAgent}, {Name: "h3", Role: model.RoleAgent}},
		Answers: map[feed.Question]feed.Answer{
			{Topic: feed.Rules, Host: "h1"}: {Value: []model.RuleStatus{one("a", 30, "done")}, At: now, Before: []model.RuleStatus{one("a", 10, "done")}, BeforeAt: now.Add(-2 * time.Second)},
			{Topic: feed.Rules, Host: "h2"}: {Value: []model.RuleStatus{one("a", 5, "error")}, At: now, Before: []model.RuleStatus{one("a", 9, "done")}, BeforeAt: now.Add(-2 * time.Second)},
		}}
	h := ruleHits(s)["t:p:1"]
	if h == nil || h.packets != 35 || h.hosts != 2 || !h.rated || h.rate != 10 || h.worst != "error" {
		t.Errorf("want 35 packets on 2 hosts, 10 a second of the one that counts on, and the worst phase, got %+v", h)
	}
	if got := silentHosts(s); !slices.Equal(got, []string{"h3"}) {
		t.Errorf("want h3 silent, got %v", got)
	}
}

func TestBlocks(t *testing.T) {
	var states []model.AddressState
	for _, a := range []string{"2001:db8::2", "10.0.0.1", "2001:db8::1:5", "2001:db8::1", "nonsense"} {
		states = append(states, model.AddressState{Address: a})
	}
	var got []string
	for _, b := range blocks(states) {
		for _, x := range b.states {
			got = append(got, b.prefix.String()+" "+x.Address)
		}
	}
	if want := []string{"2001:db8::/112 2001:db8::1", "2001:db8::/112 2001:db8::2", "2001:db8::1:0/112 2001:db8::1:5"}; !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
}

func TestAddressCells(t *testing.T) {
	th, err := theme.New("mono", true)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	n := &model.Network{TenantName: "t", NetworkName: "n", Subnet: "10.1.0.0/16", Gateway: "10.1.0.9"}
	subnet, err := feed.SubnetOf(n.Subnet)
	if err != nil {
		t.Fatal(err)
	}
	pool := feed.Pool{Allocated: "10.1.0.1-10.1.0.5, 10.1.1.0-10.1.1.255", Available: "10.1.0.6-10.1.0.255", Held: "10.1.0.2", Quarantined: "10.1.0.3", Pooled: "10.1.0.4"}
	var states []model.AddressState
	for i, age := range []*time.Time{nil, ago(time.Second), ago(time.Minute), ago(2 * time.Hour), ago(48 * time.Hour), ago(900 * time.Hour)} {
		states = append(states, model.AddressState{Address: addressAt(subnet, i+1).String(), Since: age})
	}
	l := newAddressCells(n, subnet, pool, owners("t:n", &feed.Snapshot{Endpoints: []*feed.Endpoint{{Key: "t:n:c", IpAddress: [2]string{"10.1.0.1"}}}}), states, Canvas{Theme: th, Now: now})
	sign := func(first, cells int) string { glyph, _ := l.mark(first, cells); return glyph }
	var got string
	for _, i := range []int{0, 1, 2, 3, 4, 5, 6, 9, 600, 65535} {
		got += sign(i, 1)
	}
	if want := "N#hxpS.G-B"; got != want {
		t.Errorf("states: want %s, got %s", want, got)
	}
	if got := sign(0, 256) + sign(256, 256) + sign(512, 256); got != "_#." {
		t.Errorf("blocks: want _#., got %s", got)
	}
	l.ages, got = true, ""
	for i := range 8 {
		got += sign(i, 1)
	}
	if want := ".?01234."; got != want {
		t.Errorf("ages: want %s, got %s", want, got)
	}
}

func TestFlowTables(t *testing.T) {
	var got []flowTable
	for _, x := range flowTables([]model.Flow{
		{Table: "b", TableID: "10", Packets: 4, Rate: &model.FlowRate{Packets: 2}, Drop: true}, {Table: "a", TableID: "9", Shadow: "x"},
		{Table: "b", TableID: "10", Packets: 6, Rate: &model.FlowRate{Packets: 3, Bytes: 7}},
	}) {
		got = append(got, *x)
	}
	want := []flowTable{{name: "a", id: "9", flows: 1, never: 1, shadow: 1}, {name: "b", id: "10", flows: 2, packets: 10, rate: 5, bytes: 7, drops: 2, rated: true}}
	if !slices.Equal(got, want) {
		t.Errorf("want %+v, got %+v", want, got)
	}
}

// Several sessions of a router are counted, and routes kept of a previous agent are shown.
func TestRouterStatus(t *testing.T) {
	router := &model.Bgp{Hostname: "h1"}
	ask := feed.Question{Topic: feed.State, Kind: model.KindBgp().Name, Key: router.ObjectKey()}
	for name, row := range map[string]struct {
		oper *model.BgpOper
		want string
		role theme.Role
	}{
		"not asked yet": {nil, "?|?", theme.Dim},
		"one session": {&model.BgpOper{NeighborStatus: "established", NumRoutes: 3, Neighbors: []string{"50.1.1.200 AS 500 established, ipv4"}},
			"established|3", theme.Good},
		"one of two": {&model.BgpOper{NeighborStatus: "active", NumRoutes: 3, Kept: []string{"20.1.1.0/24"},
			Neighbors: []string{"50.1.1.200 AS 500 established, ipv4", "50.1.1.201 AS 501 active: not established, it says"}}, "1 of 2 established|3, 1 kept", theme.Warn},
	} {
		s := &feed.Snapshot{Answers: map[feed.Question]feed.Answer{}}
		if row.oper != nil {
			s.Answers[ask] = feed.Answer{Value: &model.BgpInspect{Config: router, Oper: row.oper}}
		}
		cells, role := routerStatus(s)(router)
		if got := strings.Join(cells, "|"); got != row.want || role != row.role {
			t.Errorf("%s: want %s in role %v, got %s in role %v", name, row.want, row.role, got, role)
		}
	}
}

// The map names the uplink of a host, or the number of usable ones.
func TestUplinksOf(t *testing.T) {
	look, err := theme.New("mono", true)
	if err != nil {
		t.Fatal(err)
	}
	good, spare, cut := model.Uplink{Name: "eth1", Link: true, Active: true}, model.Uplink{Name: "eth2", Link: true}, model.Uplink{Name: "eth3"}
	for _, tt := range []struct {
		uplinks []model.Uplink
		want    string
	}{
		{nil, ""}, {[]model.Uplink{good}, "eth1 "}, {[]model.Uplink{cut}, look.Glyphs.Cross + "eth3 "},
		{[]model.Uplink{good, spare}, "2/2 "}, {[]model.Uplink{good, cut}, look.Glyphs.Cross + "1/2 "},
	} {
		if got := uplinksOf(look, &model.Node{Uplinks: tt.uplinks}); got != tt.want {
			t.Errorf("%v: want %q, got %q", tt.uplinks, tt.want, got)
		}
	}
}

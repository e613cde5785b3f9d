// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
)

// fixed is a small cluster at a fixed moment.
func fixed() (*feed.Snapshot, time.Time) {
	now := time.Date(2030, 1, 2, 14, 2, 11, 0, time.UTC)
	since := now.Add(-22 * time.Minute).Format(time.RFC3339)
	s := &feed.Snapshot{Base: "https://netmaster:9999", Revision: 18204, Synced: true, Watching: true, Received: now,
		Nodes: []model.Node{
			{Name: "192.0.2.1", Address: "192.0.2.1:9999", Role: model.RoleLeader, Ready: true, Revision: 18204, Wrote: 18204, Since: since, Writes: 1882, Requests: 4100, Watchers: 3},
			{Name: "192.0.2.2", Address: "192.0.2.2:9999", Role: model.RoleFollower, Ready: true, Revision: 18204, Since: since, Stale: 1},
			{Name: "h1", Role: model.RoleAgent, Ready: true, Revision: 18204, Flows: 412, Ports: 2, VTEP: "198.51.100.1", Since: since, FlowMods: 500},
			{Name: "h2", Role: model.RoleAgent, Ready: true, Revision: 18201, Lag: 3, Flows: 398, Ports: 1, VTEP: "198.51.100.2", Since: since, FlowMods: 420},
		},
		Objects: map[string][]model.Object{
			"tenant": {&model.Tenant{TenantName: "acme"}, &model.Tenant{TenantName: "default"}},
			"endpointGroup": {
				&model.EndpointGroup{TenantName: "acme", GroupName: "db", NetworkName: "blue", Policies: []string{"db-in"}},
				&model.EndpointGroup{TenantName: "acme", GroupName: "web", NetworkName: "blue"},
			},
			"network": {
				&model.Network{TenantName: "acme", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Ipv6Subnet: "2001:db8:1::/64", Gateway: "10.1.1.254", NwType: "data"},
				&model.Network{TenantName: "default", NetworkName: "green", Encap: "vlan", Subnet: "10.2.1.10-10.2.1.20/24", NwType: "data", PktTag: 12},
			},
			"policy": {&model.Policy{TenantName: "acme", PolicyName: "db-in"}},
			"rule": {
				&model.Rule{TenantName: "acme", PolicyName: "db-in", RuleId: "base", Direction: "in", Action: "deny", Priority: 1},
				&model.Rule{TenantName: "acme", PolicyName: "db-in", RuleId: "pg", Direction: "in", Protocol: "tcp", Port: 5432, FromEndpointGroup: "web", Action: "allow", Priority: 10},
			},
			"kubeNamespace": {&model.KubeNamespace{Namespace: "shop", Tenant: "acme", Network: "blue"}},
			"networkPolicy": {&model.NetworkPolicy{Namespace: "shop", Name: "web", Subject: "pods app=web", Directions: []string{"ingress"},
				Ingress: []string{"1: allow tcp 80 from pods app=cl of its namespace"}}},
			"kubeService": {&model.KubeService{Namespace: "shop", Name: "web", Type: "NodePort", Tenant: "acme", Addresses: []string{"10.96.0.9"},
				Ports: []string{"tcp 80 (http), node port 30080"}, Ready: 2, Draining: 1}},
			"serviceLB": {&model.ServiceLB{TenantName: "acme", ServiceName: "front", NetworkName: "blue", Ports: []string{"80:8080:TCP"}, Selectors: []string{"tier=web"}}},
		},
		Pools: map[string]feed.Pool{
			"acme:blue": {Count: 5, Free: 246, Allocated: "10.1.1.1-10.1.1.7, 10.1.1.254", Available: "10.1.1.8-10.1.1.253", At: now,
				Held: "10.1.1.3", Quarantined: "10.1.1.4", Pooled: "10.1.1.5-10.1.1.6"},
			"default:green": {Count: 10, Free: 1, Allocated: "10.2.1.10-10.2.1.19", Available: "10.2.1.20", At: now},
		},
		Endpoints: []*feed.Endpoint{
			{Key: "acme:blue:db", EndpointID: "db", Network: "blue.acme", EndpointGroupKey: "db:acme", HomingHost: "h2", IpAddress: [2]string{"10.1.1.2", ""}, MacAddress: "02:02:0a:01:01:02"},
			{Key: "acme:blue:web-1", EndpointID: "web-1", Network: "blue.acme", EndpointGroupKey: "web:acme", HomingHost: "h1", IpAddress: [2]string{"10.1.1.1", "2001:db8:1::1"}, MacAddress: "02:02:0a:01:01:01", Pod: "shop/web"},
			{Key: "default:green:mail", EndpointID: "mail", Network: "green.default", HomingHost: "h1", IpAddress: [2]string{"10.2.1.10", ""}, MacAddress: "02:02:0a:02:01:0a"},
		},
		Events: []feed.Event{
			{At: now.Add(-16 * time.Second), Type: "update", Kind: "network", Key: "acme:blue", Revision: 18190},
			{At: now.Add(-3 * time.Second), Type: model.EventDelete, Kind: "endpoint", Key: "acme:blue:web-9", Revision: 18203},
			{At: now.Add(-time.Second), Type: "create", Kind: "endpoint", Key: "acme:blue:db", Revision: 18204},
		},
		Rates:   feed.Rates{Endpoints: []float64{0, 1, 4, 2}, FlowMods: []float64{0, 210, 40, 0}, Requests: []float64{18, 19, 18, 18}},
		Answers: answers(now),
	}
	for _, objects := range s.Objects {
		for _, o := range objects {
			describeBriefly(s, o.Kind().Name, o.ObjectKey())
		}
	}
	for _, e := range s.Endpoints {
		describeBriefly(s, model.KindEndpoint().Name, e.Key)
	}
	for i := range s.Nodes {
		describeBriefly(s, "", s.Nodes[i].Name)
	}
	return s, now
}

// answers is what the fixed cluster says when it is asked. The agent of h2 is silent.
func answers(now time.Time) map[feed.Question]feed.Answer {
	hour, minute := now.Add(-time.Hour), now.Add(-time.Minute)
	ahead := 0.3
	rate := func(p, b float64) *model.FlowRate { return &model.FlowRate{Packets: p, Bytes: b} }
	said := func(v any) feed.Answer { return feed.Answer{Value: v, At: now} }
	silent := feed.Answer{Err: "the agent of h2 did not answer"}
	rules := func(n uint64) []model.RuleStatus {
		return []model.RuleStatus{
			{Rule: "acme:db-in:base", Record: "1", Group: "db:acme", Direction: "in", Action: "deny", Phase: "done", Packets: 3, Bytes: 222},
			{Rule: "acme:db-in:pg", Record: "2", Group: "db:acme", Direction: "in", Action: "allow", Phase: "done", Packets: n, Bytes: 74 * n},
		}
	}
	return map[feed.Question]feed.Answer{
		page.HealthQuestion(): said(model.Health{Findings: []model.Finding{{Code: model.FindingAgentLag, Severity: model.SeverityWarning, Object: "host/h2",
			Evidence: "3 changes are on the way to its switch", Remedy: "wait; when it stays so, look at the agent's log", Next: "netctl node ls", Since: now.Format(time.RFC3339)}}}),
		{Topic: feed.Flows, Host: "h1"}: said([]model.Flow{
			{Table: "ingress", TableID: "0", Priority: 100, Match: "from port of web-1", Does: "on to spoof", Owner: "endpoint/acme:blue:web-1", Flow: "in_port=4", Packets: 1200, Bytes: 88000, Age: 7200, Rate: rate(1200, 88000)},
			{Table: "policy_in", TableID: "30", Priority: 110, Match: "to group db, tcp 5432", Does: "admit", Owner: "rule/db-in", Flow: "tcp,tp_dst=5432", Packets: 1204, Bytes: 90000, Age: 7200, Rate: rate(1.2, 88)},
			{Table: "policy_in", TableID: "30", Priority: 11, Match: "to group db", Does: "drop", Owner: "rule/db-in", Flow: "reg4=2", Drop: true, Packets: 3, Bytes: 222, Age: 7200, Rate: rate(0.3, 22)},
			{Table: "policy_in", TableID: "30", Priority: 10, Match: "to group db, udp 53", Does: "admit", Owner: "rule/old", Flow: "udp,tp_dst=53", Shadow: "priority=11,reg4=2", Age: 2678400, Rate: rate(0, 0)},
			{Table: "output", TableID: "50", Priority: 5, Match: "any packet", Does: "drop", Flow: "actions=drop", Drop: true, Age: 60, Rate: rate(0, 0)},
		}),
		{Topic: feed.Flows, Host: "h2"}:                             silent,
		{Topic: feed.PodMatrix, Key: "shop"}:                        said(podMatrix("shop")),
		{Topic: feed.State, Kind: "networkPolicy", Key: "shop:web"}: said(&model.NetworkPolicyInspect{Oper: &model.NetworkPolicyOper{Selects: 1, Pods: []string{"shop/web"}}}),
		{Topic: feed.Drift, Host: "h1"}: said(model.Drift{Host: "h1", Now: []model.Difference{{At: hour.Format(time.RFC3339), Kind: "port", Owner: "endpoint/acme:blue:web-1",
			What: "removed: the container's interface is no port", Remedy: "have the runtime recreate the container or pod"}},
			Found: []model.Difference{{At: hour.Format(time.RFC3339), Kind: "flow", Table: "source", What: "removed: any packet"}}}),
		{Topic: feed.Rules, Host: "h1"}: {Value: rules(1204), At: now, Before: rules(1200), BeforeAt: now.Add(-2 * time.Second)},
		{Topic: feed.Rules, Host: "h2"}: silent,
		{Topic: feed.Leadership}: said(model.Leadership{Key: "/contiv.io/lock/netmaster/leader", Holder: "192.0.2.1:9999", Term: 17001,
			Terms: []model.LeaderTerm{{Number: 900, Leader: "192.0.2.2:9999", Since: hour, Until: &minute},
				{Number: 17001, Leader: "192.0.2.1:9999", Since: minute, Why: "the leader's process is dead"}},
			Leases: []model.KeyLease{{Key: "/contiv.io/lock/netmaster/leader", Seconds: 5, Left: 4.1}, {Key: "/contiv.io/service/netplugin/h1", Seconds: 10, Left: 2}},
			Store: model.StoreState{Name: "embedded etcd", ReadMillis: 1.3,
				Members: []model.StoreMember{{Name: "h1", Address: "http://192.0.2.1:2379", Leader: true, Version: "3.7.3", Bytes: 4 << 20, Millis: 0.9}}}}),
		{Topic: feed.MasterPairs}: said(model.MasterPairs{Rows: []model.MasterRow{
			{From: "192.0.2.1:9999", Peers: []model.MasterPeer{{To: "192.0.2.2:9999", State: model.PairSilent, Seconds: 12, Arrives: true, Reason: "i/o timeout"}}},
			{From: "192.0.2.2:9999", Peers: []model.MasterPeer{{To: "192.0.2.1:9999", State: model.PairReached, Seconds: 3661, RoundTripMillis: 0.42, AheadMillis: &ahead}}}}}),
		{Topic: feed.DockerNetworks}: said([]model.DockerNetwork{
			{ID: "0123456789abcdef", Tenant: "acme", Network: "blue", Group: "web", Host: "h1", Pools: []string{"10.1.1.0/24"}, Managed: true, Endpoints: 1},
			{ID: "89abcdef01234567", Tenant: "acme", Network: "blue", Pools: []string{"10.1.1.0/24"}},
		}),
		{Topic: feed.Leader}: said(model.Leadership{Key: "/contiv.io/lock/netmaster/leader", Holder: "192.0.2.1:9999", Term: 17001,
			Leases: []model.KeyLease{{Key: "/contiv.io/lock/netmaster/leader", Seconds: 5, Left: 4.1}},
			Store:  model.StoreState{Name: "embedded etcd", ReadMillis: 1.3, Members: []model.StoreMember{{Name: "h1", Leader: true}, {Name: "h2"}}}}),
		{Topic: feed.Addresses, Key: "acme:blue"}: said([]model.AddressState{
			{Network: "acme:blue", Address: "10.1.1.1", State: "endpoint", Owner: &model.AddressOwner{Kind: "endpoint", ID: "acme:blue:web-1", Host: "h1"}, Since: &hour, By: &model.Actor{Claimed: "h1", Program: "netplugin/1"}},
			{Network: "acme:blue", Address: "10.1.1.4", State: "quarantine", Owner: &model.AddressOwner{Kind: "quarantine", Reason: "broken"}, Since: &minute, By: &model.Actor{Claimed: "ann"}},
			{Network: "acme:blue", Address: "2001:db8:1::1", State: "endpoint", Owner: &model.AddressOwner{Kind: "endpoint", ID: "acme:blue:web-1", Host: "h1"}, Since: &hour},
		}),
		{Topic: feed.AddressHistory, Key: "acme:blue", Detail: "10.1.1.4"}: said([]model.AddressEntry{{Revision: 12, Time: minute, By: model.Actor{Claimed: "ann", Program: "netctl/1"},
			AddressChange: model.AddressChange{Verb: "quarantine", Address: "10.1.1.4", Now: &model.AddressOwner{Kind: "quarantine", Reason: "broken"}}}}),
		{Topic: feed.History, Kind: "network", Key: "acme:blue"}: said([]model.HistoryEntry{{Revision: 9, Time: hour, By: model.Actor{Claimed: "ann", Program: "netctl/1"}, Verb: "create",
			Changes: []model.Change{{Field: "subnet", New: "10.1.1.0/24"}}}}),
		{Topic: feed.Described, Kind: "endpoint", Key: "acme:blue:web-1"}: said(describedEndpoint(now)),
		{Topic: feed.Described, Kind: "network", Key: "acme:blue"}:        said(describedNetwork()),
		{Topic: feed.Described, Key: "h2"}:                                said(describedNode()),
		{Topic: feed.Why, Why: model.WhyRequest{From: "endpoint/acme:blue:web-1", To: "endpoint/acme:blue:db", Protocol: "tcp", Port: 5432}}: said(model.Why{
			From: model.WhyEnd{Kind: "endpoint", Object: "acme:blue:web-1", Address: "10.1.1.1", Group: "web:acme", Host: "h1"},
			To:   model.WhyEnd{Kind: "endpoint", Object: "acme:blue:db", Address: "10.1.1.2", Group: "db:acme", Host: "h2"}, Protocol: "tcp", Port: 5432,
			Verdict: model.VerdictDisagree, Text: "the objects say that it passes, and the switch of h2 drops it",
			Intent: model.WhyIntent{Verdict: model.VerdictAllowed, Text: "rule acme:db-in:pg allows it", In: "acme:db-in:pg"},
			Forward: model.WhyPath{Verdict: model.VerdictDenied, Hops: []model.WhyHop{
				{Host: "h1", Verdict: model.VerdictAllowed, Text: "sends it to h2", Steps: []model.TraceStep{{Table: "policy_in", Priority: 110, Match: "to group db, tcp 5432", Does: "admit", Owner: "rule/db-in"}}},
				{Host: "h2", Verdict: model.VerdictDenied, Text: "the packet ends"}}}}),
		{Topic: feed.State, Kind: "serviceLB", Key: "acme:front"}: said(&model.ServiceLBInspect{Oper: &model.ServiceLBOper{ServiceVip: "10.1.1.7", NumProviders: 1,
			Providers: []model.EndpointOper{{EndpointID: "web-1", IpAddress: []string{"10.1.1.1"}}}}}),
	}
}

// cluster answers in tests, and notes what was asked and changed.
type cluster struct {
	asked   []feed.Question
	did     []string
	refuses string        // key of an object that is not deleted
	packets io.ReadCloser // of a capture; nil: it is refused
}

// Ask notes what the page asks; the verdict is asked whatever page is shown.
func (c *cluster) Ask(q []feed.Question) {
	c.asked = slices.DeleteFunc(slices.Clone(q), func(q feed.Question) bool { return q == page.HealthQuestion() })
}

func (c *cluster) Put(_ context.Context, o model.Object) error {
	c.did = append(c.did, "put "+o.ObjectKey())
	return nil
}

func (c *cluster) Delete(_ context.Context, k *model.Kind, key string) error {
	if key == c.refuses {
		return errors.New(key + " is in use")
	}
	c.did = append(c.did, "delete "+k.Name+" "+key)
	return nil
}

func (c *cluster) Capture(_ context.Context, ask model.CaptureRequest) (*client.Capture, error) {
	c.did = append(c.did, "capture "+ask.Of)
	if c.packets == nil {
		return nil, errors.New("no agent captures")
	}
	return &client.Capture{ReadCloser: c.packets, At: []string{ask.Of + " on h1"}}, nil
}

func (c *cluster) HandOver(_ context.Context, to string) (model.Handover, error) {
	if to == c.refuses {
		return model.Handover{}, errors.New(to + " cannot lead now")
	}
	c.did = append(c.did, "hand over to "+to)
	return model.Handover{From: "192.0.2.1:9999", To: to, Millis: 31.7}, nil
}

func mono(t testing.TB, ascii bool) *theme.Theme { return look(t, "mono", ascii) }

func look(t testing.TB, name string, ascii bool) *theme.Theme {
	t.Helper()
	th, err := theme.New(name, ascii)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// still is a console that shows the fixed cluster.
func still(t testing.TB, th *theme.Theme, first *page.Page, width, height int, editor ...string) (*Model, *cluster) {
	s, now := fixed()
	c := &cluster{}
	m := New(t.Context(), c, th, first, now, editor...)
	m.Update(s)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m, c
}

// screen is a page of the tests.
type screen struct {
	name string
	make func() *page.Page
}

// screens are all pages, and those within them.
func screens() (out []screen) {
	for _, e := range page.Entries() {
		out = append(out, screen{e.Name, e.Make})
	}
	for _, x := range [][2]string{{"bitmap", "addresses/acme/blue/10.1.1.4"}, {"sparse", "addresses/acme/blue:ipv6"}, {"ledger", "addresses/acme/blue/10.1.1.4:history"}, {"zoomed", "addresses/acme/blue:blocks"},
		{"describe", "network/acme/blue"}, {"describe-endpoint", "endpoint/acme:blue:web-1"}, {"describe-node", "nodes/h2"}, {"yaml", "network/acme/blue:yaml"}, {"history", "network/acme/blue:history"}, {"pipeline", "flows/h1"}, {"silent", "flows/h2"},
		{"flowlist", "flows/h1/policy_in"}, {"follow", "endpoint/acme:blue:web-1:flows"}, {"lit", "topology/endpoint/acme:blue:web-1"}, {"reach", "why/endpoint/acme:blue:web-1/endpoint/acme:blue:db/tcp/5432"},
		{"choose", "why/endpoint/acme:blue:web-1"}, {"trouble", "nodes/h1:drift"}} {
		out = append(out, screen{x[0], func() *page.Page {
			p, err := page.Open(x[1])
			if err != nil {
				panic(err)
			}
			return p
		}})
	}
	return append(out, screen{"handover", page.Handover}, screen{"confirm", func() *page.Page {
		return page.Confirm(page.Change{Objects: page.Objects{Kind: model.KindNetwork(), Keys: []string{"acme:blue"}}})
	}})
}

// press sends keys and does at once what they ask for, as the program would.
func press(m *Model, keys ...string) {
	for _, k := range keys {
		msg, err := pressOf(k)
		if err != nil {
			panic(err)
		}
		if _, cmd := m.Update(msg); cmd != nil {
			m.Update(cmd())
		}
	}
}

// podMatrix is what three pods of a namespace may open, one of them under the policy web.
func podMatrix(namespace string) model.WorkloadMatrix {
	return model.WorkloadMatrix{Namespace: namespace,
		Workloads: []model.MatrixWorkload{{Name: "cl +1", Tenant: "acme", Pods: []string{"cl", "cl-2"}}, {Name: "web", Tenant: "acme", Pods: []string{"web"}}, {Name: "outside"}},
		Cells: []model.MatrixCell{
			{From: "cl +1", To: "cl +1", Sum: "all", Classes: []model.MatrixClass{{Traffic: "other", Fate: "allowed"}}},
			{From: "cl +1", To: "web", Sum: "tcp 80", Classes: []model.MatrixClass{{Traffic: "tcp 80", Fate: "allowed", In: "networkpolicy " + namespace + "/web rule 1"}, {Traffic: "other", Fate: "denied", In: "networkpolicy " + namespace + "/web isolates"}}},
			{From: "cl +1", To: "outside", Sum: "all", Classes: []model.MatrixClass{{Traffic: "other", Fate: "allowed"}}},
			{From: "web", To: "cl +1", Sum: "all", Classes: []model.MatrixClass{{Traffic: "other", Fate: "allowed"}}},
			{From: "web", To: "web", Sum: "none", Classes: []model.MatrixClass{{Traffic: "other", Fate: "denied", In: "networkpolicy " + namespace + "/web isolates"}}},
			{From: "web", To: "outside", Sum: "all", Classes: []model.MatrixClass{{Traffic: "other", Fate: "allowed"}}},
			{From: "outside", To: "cl +1", Sum: "all", Classes: []model.MatrixClass{{Traffic: "other", Fate: "allowed"}}},
			{From: "outside", To: "web", Sum: "none", Classes: []model.MatrixClass{{Traffic: "other", Fate: "denied", In: "networkpolicy " + namespace + "/web isolates"}}},
			{From: "outside", To: "outside", Classes: []model.MatrixClass{}},
		}}
}

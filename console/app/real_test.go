// SPDX-License-Identifier: Apache-2.0

package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
)

// realistic is a cluster as one meets them: three masters, six hosts, of which one is silent and one lacks interfaces, three tenants, and
// dozens of endpoints.
func realistic() (*feed.Snapshot, time.Time) {
	s, now := fixed()
	since := func(d time.Duration) string { return now.Add(-d).Format(time.RFC3339) }
	s.Base, s.Revision = "https://netmaster.example.net:9999", 48211
	s.Nodes = []model.Node{
		{Name: "192.0.2.11", Address: "192.0.2.11:9999", Role: model.RoleLeader, Ready: true, Revision: 48211, Wrote: 48209, Since: since(51 * time.Hour), Writes: 9120, Requests: 1204331, Watchers: 9},
		{Name: "192.0.2.12", Address: "192.0.2.12:9999", Role: model.RoleFollower, Ready: true, Revision: 48211, Since: since(51 * time.Hour), Requests: 88120},
		{Name: "192.0.2.13", Address: "192.0.2.13:9999", Role: model.RoleFollower, Ready: true, Revision: 48210, Since: since(4 * time.Hour), Requests: 51007},
	}
	for i := range 6 {
		s.Nodes = append(s.Nodes, model.Node{Name: fmt.Sprintf("node-%02d", i+1), Role: model.RoleAgent, Ready: true, Revision: 48211, VTEP: fmt.Sprintf("198.51.100.%d", i+1),
			Since: since(time.Duration(20+7*i) * time.Hour), FlowMods: uint64(9000 + 411*i), Flows: 1480 + 37*i, Uplinks: []model.Uplink{{Name: "bond0", Link: true, Active: true, LACP: "current"}}})
	}
	lacks, silent := &s.Nodes[5], &s.Nodes[7]
	lacks.Missing, lacks.Lag, lacks.Revision = 2, 3, 48208
	lacks.Uplinks = []model.Uplink{{Name: "eth1", Link: true, Active: true}, {Name: "eth2"}}
	*silent = model.Node{Name: silent.Name, Role: model.RoleAgent, Reason: "did not answer: dial tcp 192.0.2.105:9000: i/o timeout"}
	count := func(n int) *int { return &n }
	s.Nodes[5].Docker = &model.DockerStatus{Here: true, Since: since(20 * time.Hour), Version: "29.1.0", Containers: count(8), Networks: count(4)}
	s.Objects, s.Pools, s.Endpoints = map[string][]model.Object{}, map[string]feed.Pool{}, nil
	configure(s, now)
	ofKubernetes(s, now)
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Role == model.RoleAgent {
			for _, e := range s.Endpoints {
				if e.HomingHost == n.Name {
					n.Ports++
				}
			}
		}
	}
	s.Events = []feed.Event{
		{At: now.Add(-26 * time.Hour), Type: "update", By: "ann", Kind: "network", Key: "shop:front", Revision: 41022},
		{At: now.Add(-3 * time.Hour), Type: "update", By: "ann", Kind: "rule", Key: "bank:ledger-in:pg", Revision: 47881},
		{At: now.Add(-90 * time.Second), Type: feed.Warned, Kind: feed.NodeKind, Key: silent.Name, Text: "is not ready: " + silent.Reason},
		{At: now.Add(-14 * time.Second), Type: model.EventDelete, Kind: "endpoint", Key: "shop:front:cart-99", Revision: 48207},
		{At: now.Add(-13 * time.Second), Type: "create", By: "agent/node-01", Kind: "endpoint", Key: "shop:front:cart-1", Revision: 48208},
		{At: now.Add(-4 * time.Second), Type: "update", By: "ann", Change: "policies: [] -> [web-in]", Kind: "endpointGroup", Key: "shop:cart", Revision: 48210},
		{At: now.Add(-time.Second), Type: feed.NodeEvents, Kind: feed.NodeKind, Key: "node-01", Text: "is ready again", Revision: 48211},
	}
	s.Rates = feed.Rates{Endpoints: []float64{0, 2, 5, 1, 0, 0, 3, 1}, FlowMods: []float64{0, 80, 412, 60, 4, 0, 120, 31}, Requests: []float64{61, 66, 90, 71, 62, 60, 64, 63}}
	s.Answers = realAnswers(s, now, silent.Name)
	return s, now
}

// ofKubernetes adds what Kubernetes owns, which the leader reads.
func ofKubernetes(s *feed.Snapshot, now time.Time) {
	read := now.Add(-51 * time.Hour)
	s.Nodes[0].Kubernetes = &model.KubernetesStatus{Wanted: true, Leads: true, Since: &read}
	for _, o := range []model.Object{
		&model.KubeNamespace{Namespace: "default"}, &model.KubeNamespace{Namespace: "shop", Tenant: "shop", Network: "front", Labels: []string{"team=a"}},
		&model.NetworkPolicy{Namespace: "shop", Name: "default-deny", Subject: "all pods", Directions: []string{"ingress", "egress"}, Ingress: []string{"nothing is allowed"}, Egress: []string{"nothing is allowed"}},
		&model.NetworkPolicy{Namespace: "shop", Name: "web", Subject: "pods app=web", Directions: []string{"ingress"}, Ingress: []string{"1: allow tcp 80 from pods app=cart of its namespace"},
			Unread: []string{"ingress: spec.ingress[1].from[0]: it is of a newer version"}},
		&model.KubeService{Namespace: "default", Name: "kubernetes", Type: "ClusterIP", Tenant: "all", Addresses: []string{"10.96.0.1"}, Ports: []string{"tcp 443 (https)"}, Ready: 3},
		&model.KubeService{Namespace: "shop", Name: "web", Type: "NodePort", Tenant: "shop", Addresses: []string{"10.96.0.9"}, Ports: []string{"tcp 80 (http), node port 30080"}, Ready: 15, Draining: 1},
	} {
		s.Objects[o.Kind().Name] = append(s.Objects[o.Kind().Name], o)
	}
}

// configure adds tenants with what is in them.
func configure(s *feed.Snapshot, now time.Time) {
	add := func(o model.Object) { s.Objects[o.Kind().Name] = append(s.Objects[o.Kind().Name], o) }
	for _, t := range []struct {
		tenant, network, encap string
		tag, third             int
		groups                 []string // NAME/COUNT[/POLICY]
	}{
		{"bank", "core", "vxlan", 0, 4, []string{"ledger/6/ledger-in", "teller/9"}},
		{"default", "mgmt", "vlan", 12, 2, []string{"/3"}},
		{"shop", "data", "vxlan", 0, 7, []string{"db/3/db-in", "cache/4/db-in"}},
		{"shop", "front", "vxlan", 0, 6, []string{"cart/8", "web/16/web-in", "/2"}},
	} {
		if len(s.Objects["tenant"]) == 0 || s.Objects["tenant"][len(s.Objects["tenant"])-1].ObjectKey() != t.tenant {
			add(&model.Tenant{TenantName: t.tenant})
		}
		n := &model.Network{TenantName: t.tenant, NetworkName: t.network, Encap: t.encap, PktTag: t.tag, Subnet: fmt.Sprintf("10.%d.0.0/24", t.third), Gateway: fmt.Sprintf("10.%d.0.254", t.third), NwType: "data"}
		if t.network == "front" {
			n.Ipv6Subnet = "2001:db8:6::/64"
		}
		add(n)
		host, address := 0, 0
		for _, group := range t.groups {
			part := append(strings.Split(group, "/"), "")
			name, count := part[0], 0
			_, _ = fmt.Sscan(part[1], &count)
			var policies []string
			if part[2] != "" {
				policies = []string{part[2]}
			}
			if name != "" {
				add(&model.EndpointGroup{TenantName: t.tenant, GroupName: name, NetworkName: t.network, Policies: policies})
			}
			for i := range count {
				address++
				id := fmt.Sprintf("%s-%d", cmp.Or(name, "tool"), i+1)
				e := &feed.Endpoint{Key: t.tenant + ":" + t.network + ":" + id, EndpointID: id, Network: t.network + "." + t.tenant, HomingHost: fmt.Sprintf("node-%02d", host%6+1),
					IpAddress: [2]string{fmt.Sprintf("10.%d.0.%d", t.third, address), ""}, MacAddress: fmt.Sprintf("02:02:0a:%02x:00:%02x", t.third, address)}
				if host++; name != "" {
					e.EndpointGroupKey = name + ":" + t.tenant
				}
				if n.Ipv6Subnet != "" {
					e.IpAddress[1] = fmt.Sprintf("2001:db8:6::%x", address)
				}
				s.Endpoints = append(s.Endpoints, e)
			}
		}
		last := fmt.Sprintf("10.%d.0.", t.third)
		s.Pools[n.ObjectKey()] = feed.Pool{Count: address + 3, Free: 250 - address, At: now.Add(-2 * time.Second), Allocated: fmt.Sprintf("%s1-%s%d, %s254", last, last, address+3, last),
			Available: fmt.Sprintf("%s%d-%s253", last, address+4, last), Held: fmt.Sprintf("%s%d", last, address+1), Quarantined: fmt.Sprintf("%s%d", last, address+2)}
	}
	full := s.Pools["default:mgmt"]
	full.Count, full.Free, full.Available = 221, 32, "10.2.0.222-10.2.0.253"
	s.Pools["default:mgmt"] = full
	slices.SortFunc(s.Endpoints, feed.CompareEndpoints)
	for _, p := range []struct{ tenant, name, rules string }{
		{"bank", "ledger-in", "base deny 1 /pg allow 10 tcp 5432 teller"}, {"shop", "db-in", "base deny 1 /pg allow 10 tcp 5432 cart/redis allow 11 tcp 6379 web"},
		{"shop", "web-in", "base deny 1 /http allow 10 tcp 80 /https allow 10 tcp 443 "}} {
		add(&model.Policy{TenantName: p.tenant, PolicyName: p.name})
		for text := range strings.SplitSeq(p.rules, "/") {
			r := &model.Rule{TenantName: p.tenant, PolicyName: p.name, Direction: "in"}
			_, _ = fmt.Sscan(text, &r.RuleId, &r.Action, &r.Priority, &r.Protocol, &r.Port, &r.FromEndpointGroup)
			add(r)
		}
	}
	add(&model.ServiceLB{TenantName: "bank", ServiceName: "ledger", NetworkName: "core", Ports: []string{"5432:5432:TCP"}, Selectors: []string{"app=ledger"}})
	add(&model.ServiceLB{TenantName: "shop", ServiceName: "site", NetworkName: "front", Ports: []string{"80:8080:TCP", "443:8443:TCP"}, Selectors: []string{"tier=web"}})
	add(&model.Netprofile{TenantName: "shop", ProfileName: "bulk", Bandwidth: "100 mbps", DSCP: 8})
	add(&model.AppProfile{TenantName: "shop", AppProfileName: "store", EndpointGroups: []string{"cart", "web"}})
	add(&model.ExtContractsGroup{TenantName: "bank", ContractsGroupName: "out", ContractsType: "provided", Contracts: []string{"uni/tn-common/brc-payments"}})
	add(&model.Bgp{Hostname: "node-01", Routerip: "203.0.113.2/24", As: "65001", NeighborAs: "65000", Neighbor: "203.0.113.1"})
	add(&model.Bgp{Hostname: "node-02", Routerip: "203.0.113.3/24", As: "65001", NeighborAs: "65000", Neighbor: "203.0.113.1"})
	add(&model.Global{Name: "global", NetworkInfraType: "default", Vlans: "1-4094", Vxlans: "1-10000", FwdMode: "routing", ArpMode: "proxy"})
	add(&model.AciGw{Name: "aciGw", EnforcePolicies: "yes", IncludeCommonTenant: "no", PhysicalDomain: "contivPhys"})
}

// realAnswers is what the cluster says when it is asked.
func realAnswers(s *feed.Snapshot, now time.Time, silent string) map[feed.Question]feed.Answer {
	said := func(v any) feed.Answer { return feed.Answer{Value: v, At: now} }
	hour, day := now.Add(-time.Hour), now.Add(-30*time.Hour)
	rate := func(p float64) *model.FlowRate { return &model.FlowRate{Packets: p, Bytes: 740 * p} }
	out := map[feed.Question]feed.Answer{}
	for _, n := range s.Nodes[3:] {
		flows, rules := feed.Question{Topic: feed.Flows, Host: n.Name}, feed.Question{Topic: feed.Rules, Host: n.Name}
		if n.Name == silent {
			out[flows], out[rules] = feed.Answer{Err: "the agent of " + silent + " did not answer"}, feed.Answer{Err: "the agent of " + silent + " did not answer"}
			continue
		}
		out[flows] = said([]model.Flow{
			{Table: "classify", TableID: "0", Priority: 100, Match: "from port of web-1", Does: "on to source", Owner: "endpoint/shop:front:web-1", Flow: "in_port=4", Packets: 190412, Bytes: 88e6, Age: 90061, Rate: rate(212)},
			{Table: "source", TableID: "4", Priority: 20, Match: "from web-1, 10.6.0.9", Does: "on to neighbor", Owner: "endpoint/shop:front:web-1", Flow: "ip,nw_src=10.6.0.9", Packets: 190400, Bytes: 88e6, Age: 90061, Rate: rate(212)},
			{Table: "source", TableID: "4", Priority: 0, Match: "any packet", Does: "drop", Flow: "actions=drop", Drop: true, Packets: 12, Bytes: 900, Age: 90061, Rate: rate(0.2)},
			{Table: "policy_in", TableID: "44", Priority: 110, Match: "to group db, tcp 5432, from group cart", Does: "admit", Owner: "rule/shop:db-in:pg", Flow: "tcp,tp_dst=5432", Packets: 81204, Bytes: 7e6, Age: 7200, Rate: rate(31)},
			{Table: "policy_in", TableID: "44", Priority: 11, Match: "to group db", Does: "drop", Owner: "rule/shop:db-in:base", Flow: "reg4=2", Drop: true, Packets: 341, Bytes: 25222, Age: 7200, Rate: rate(1.3)},
			{Table: "policy_in", TableID: "44", Priority: 10, Match: "to group db, udp 53", Does: "admit", Owner: "rule/shop:db-in:old", Flow: "udp,tp_dst=53", Shadow: "priority=11,reg4=2", Age: 2678400, Rate: rate(0)},
			{Table: "deliver", TableID: "50", Priority: 5, Match: "to web-1", Does: "output to its port", Owner: "endpoint/shop:front:web-1", Flow: "reg5=4", Packets: 90113, Bytes: 41e6, Age: 90061, Rate: rate(98)},
		})
		var status, before []model.RuleStatus
		for i, o := range s.Objects["rule"] {
			x := model.RuleStatus{Rule: o.ObjectKey(), Record: o.ObjectKey(), Phase: "done", Packets: uint64(1000 * (i + 1))}
			if n.Missing > 0 && i == 2 {
				x.Phase = "pending"
			}
			before = append(before, x)
			x.Packets += uint64(4 * i)
			status = append(status, x)
		}
		out[rules] = feed.Answer{Value: status, At: now, Before: before, BeforeAt: now.Add(-2 * time.Second)}
	}
	out[feed.Question{Topic: feed.Drift, Host: "node-03"}] = said(model.Drift{Host: "node-03", Now: []model.Difference{{At: hour.Format(time.RFC3339), Kind: "port", Owner: "endpoint/shop:front:web-3",
		What: "removed: the container's interface is no port", Remedy: "have the runtime make the container or pod again"}},
		Found: []model.Difference{{At: day.Format(time.RFC3339), Kind: "flow", Table: "source", What: "removed: any packet"}}})
	member := func(name string, n int, leader bool) model.StoreMember {
		return model.StoreMember{Name: name, Address: fmt.Sprintf("https://192.0.2.%d:2379", n), Leader: leader, Version: "3.7.3", Bytes: 41 << 20, Millis: 0.9}
	}
	led := model.Leadership{Key: "/contiv.io/lock/netmaster/leader", Holder: "192.0.2.11:9999", Term: 412,
		Terms:  []model.LeaderTerm{{Number: 409, Leader: "192.0.2.13:9999", Since: day.Add(-70 * time.Hour), Until: &day}, {Number: 412, Leader: "192.0.2.11:9999", Since: day, Why: "the leader's process is dead"}},
		Leases: []model.KeyLease{{Key: "/contiv.io/lock/netmaster/leader", Seconds: 5, Left: 4.1}, {Key: "/contiv.io/service/netplugin/node-01", Seconds: 10, Left: 7.7}, {Key: "/contiv.io/service/netplugin/node-03", Seconds: 10, Left: 2}},
		Store:  model.StoreState{Name: "etcd https://192.0.2.11:2379", ReadMillis: 1.3, Members: []model.StoreMember{member("a", 11, true), member("b", 12, false), {Name: "c", Address: "https://192.0.2.13:2379", Error: "did not answer in 1s"}}}}
	brief := led
	brief.Terms, brief.Leases = nil, led.Leases[:1]
	id := strings.Repeat("3f", 32)
	for _, namespace := range []string{"default", "shop"} {
		out[feed.Question{Topic: feed.PodMatrix, Key: namespace}] = said(podMatrix(namespace))
	}
	out[feed.Question{Topic: feed.DockerNetworks}] = said([]model.DockerNetwork{
		{ID: id, Tenant: "shop", Network: "front", Group: "web", Host: "node-03", Pools: []string{"10.6.0.0/24"}, Managed: true, Endpoints: 5},
		{ID: "4" + id[1:], Tenant: "shop", Network: "data", Pools: []string{"10.7.0.0/24"}, Endpoints: 2},
		{ID: "5" + id[1:], Tenant: "bank", Network: "5" + id[1:], Host: "node-01", Pools: []string{"10.9.0.0/24"}, Made: true},
	})
	ahead := 0.3
	pair := func(from, to string) model.MasterRow {
		return model.MasterRow{From: from + ":9999", Peers: []model.MasterPeer{{To: to + ":9999", State: model.PairReached, Seconds: 108000, RoundTripMillis: 0.4, AheadMillis: &ahead}}}
	}
	cut := pair("192.0.2.13", "192.0.2.11")
	cut.Peers[0] = model.MasterPeer{To: "192.0.2.11:9999", State: model.PairSilent, Seconds: 42, Arrives: true, Reason: "i/o timeout"}
	out[feed.Question{Topic: feed.MasterPairs}] = said(model.MasterPairs{Rows: []model.MasterRow{pair("192.0.2.11", "192.0.2.12"), cut}})
	out[feed.Question{Topic: feed.Leadership}], out[feed.Question{Topic: feed.Leader}] = said(led), said(brief)
	var states []model.AddressState
	for _, e := range s.Endpoints {
		for _, a := range e.IpAddress {
			if e.Network == "front.shop" && a != "" {
				states = append(states, model.AddressState{Network: e.Network, Address: a, State: model.OwnerEndpoint, Owner: &model.AddressOwner{Kind: model.OwnerEndpoint, ID: e.Key, Host: e.HomingHost},
					Since: []*time.Time{&hour, &day, nil}[len(states)%3], By: &model.Actor{Claimed: e.HomingHost, Program: "netplugin/1"}})
			}
		}
	}
	gone := model.AddressOwner{Kind: model.OwnerQuarantine, Reason: "answers twice"}
	out[feed.Question{Topic: feed.Addresses, Key: "shop:front"}] = said(append(states, model.AddressState{Network: "front.shop", Address: "10.6.0.28", State: model.OwnerQuarantine, Owner: &gone, Since: &hour, By: &model.Actor{Claimed: "ann"}}))
	out[feed.Question{Topic: feed.AddressHistory, Key: "shop:front", Detail: "10.6.0.28"}] = said([]model.AddressEntry{{Revision: 47001, Time: hour, By: model.Actor{Claimed: "ann", Program: "netctl/1"},
		AddressChange: model.AddressChange{Verb: "quarantine", Address: "10.6.0.28", Now: &gone}}})
	out[feed.Question{Topic: feed.History, Kind: "network", Key: "shop:front"}] = said([]model.HistoryEntry{
		{Revision: 41022, Time: day, By: model.Actor{Claimed: "ann", Program: "netctl/1"}, Verb: "create", Changes: []model.Change{{Field: "subnet", New: "10.6.0.0/24"}, {Field: "encap", New: "vxlan"}}},
		{Revision: 47100, Time: hour, By: model.Actor{Claimed: "ben", Program: "console/1"}, Verb: "update", Changes: []model.Change{{Field: "gateway", Old: "10.6.0.1", New: "10.6.0.254"}}}})
	for q, d := range map[feed.Question]describe.Document{
		{Topic: feed.Described, Kind: "network", Key: "shop:front"}:        describedNetwork(),
		{Topic: feed.Described, Kind: "endpoint", Key: "shop:front:web-1"}: describedEndpoint(now),
		{Topic: feed.Described, Key: "node-03"}:                            describedNode(),
	} {
		out[q] = said(renamed(d, "acme", "shop", "blue", "front", "h1", "node-01", "h2", "node-03"))
	}
	out[feed.Question{Topic: feed.Why, Why: model.WhyRequest{From: "endpoint/shop:front:cart-1", To: "endpoint/shop:data:db-2", Protocol: "tcp", Port: 5432}}] = said(model.Why{
		From: model.WhyEnd{Kind: "endpoint", Object: "shop:front:cart-1", Address: "10.6.0.1", Group: "cart:shop", Host: "node-01"},
		To:   model.WhyEnd{Kind: "endpoint", Object: "shop:data:db-2", Address: "10.7.0.2", Group: "db:shop", Host: "node-02"}, Protocol: "tcp", Port: 5432,
		Verdict: model.VerdictDisagree, Text: "the objects say that it passes, and the switch of node-02 drops it",
		Intent: model.WhyIntent{Verdict: model.VerdictAllowed, Text: "rule shop:db-in:pg allows it", In: "shop:db-in:pg"},
		Forward: model.WhyPath{Verdict: model.VerdictDenied, Hops: []model.WhyHop{
			{Host: "node-01", Verdict: model.VerdictAllowed, Text: "sends it to node-02"}, {Host: "node-02", Verdict: model.VerdictDenied, Text: "the packet ends: no flow of policy_in admits it"}}},
		Reverse: model.WhyPath{Hops: []model.WhyHop{{Host: "node-02", Verdict: model.VerdictUnknown, Text: "there is no answer to follow"}}},
		Changed: &model.WhyChange{Kind: "rule", Key: "shop:db-in:pg", Verb: "create", By: model.Actor{Proved: "ann", Proof: "session", Address: "192.0.2.7", Program: "netctl/1"}, At: hour}, Next: "netctl drift node-02"})
	for i, providers := range []int{6, 16} {
		o := s.Objects["serviceLB"][i].(*model.ServiceLB)
		oper := &model.ServiceLBOper{ServiceVip: fmt.Sprintf("10.%d.0.%d", 4+2*i, 18+11*i), NumProviders: providers, NumReady: 6 - i}
		for n := range min(providers, 6) {
			oper.Providers = append(oper.Providers, model.EndpointOper{IpAddress: []string{fmt.Sprintf("10.%d.0.%d", 4+2*i, 1+8*i+n)}})
		}
		out[feed.Question{Topic: feed.State, Kind: "serviceLB", Key: o.ObjectKey()}] = said(&model.ServiceLBInspect{Config: o, Oper: oper})
	}
	found := func(severity model.Severity, code model.FindingCode, host, object, evidence, remedy string) model.Finding {
		return model.Finding{Code: code, Severity: severity, Host: host, Object: object, Evidence: evidence, Remedy: remedy, Next: "netctl node ls", Since: hour.UTC().Format(time.RFC3339)}
	}
	out[page.HealthQuestion()] = said(model.Health{Findings: []model.Finding{
		found(model.SeverityError, model.FindingAgentSilent, "", "host/node-05", "did not answer: dial tcp 192.0.2.105:9000: i/o timeout", "start netplugin on the host, or look why it reaches no netmaster"),
		found(model.SeverityError, model.FindingTunnelLoss, "node-01", "host/node-02", "7 of 126 probes (5.6 %) on the tunnel to host node-02 were lost within 58s", "look at the network between"),
		found(model.SeverityWarning, model.FindingPoolLow, "", "network/shop:front", "229 of its 250 addresses are in use, 21 are free", "make a network with a larger subnet"),
		found(model.SeverityWarning, model.FindingAgentLag, "", "host/node-03", "3 changes are on the way to its switch", "wait; when it stays so, look at the agent's log"),
		found(model.SeverityWarning, model.FindingInterfacesMissing, "", "host/node-03", "2 endpoints have no interface there: not yet, or not any more", "wait for containers that start; recreate those that are named"),
		found(model.SeverityWarning, model.FindingUplinkDown, "node-03", "uplink/node-03:eth2", "uplink eth2 of host node-03: no link", "look at its cable and at the switch beyond"),
		found(model.SeverityUnknown, model.FindingContainerUnknown, "node-02", "endpoint/shop:data:db-2", "its network namespace cannot be read", "look at the agent's log")}})
	seen := func(ago time.Duration, host string, verdict model.ObservedVerdict, from, to *model.ObservedEnd, port int, why string, rules ...string) model.Observed {
		return model.Observed{Time: now.Add(-ago), Host: host, Verdict: verdict, Tenant: "shop", From: from, To: to, Proto: "tcp", SrcPort: 40000 + int(ago/time.Millisecond), Port: port, Reason: why, Rules: rules}
	}
	cart := &model.ObservedEnd{Address: "10.6.0.12", Endpoint: "shop:front:cart-1", Name: "cart-1", Network: "shop:front", Group: "shop:cart", Host: "node-01"}
	db := &model.ObservedEnd{Address: "10.7.0.4", Endpoint: "shop:data:db-2", Name: "db-2", Network: "shop:data", Group: "shop:db", Host: "node-02"}
	stranger := &model.ObservedEnd{Address: "203.0.113.9"}
	closed := seen(800*time.Millisecond, "node-02", model.ObservedClosed, cart, db, 5432, "", "rule/shop:db-in:pg")
	closed.Sent, closed.Got = &model.FlowCount{Packets: 9, Bytes: 900}, &model.FlowCount{Packets: 12, Bytes: 61000}
	out[feed.Question{Topic: feed.Observed}] = said([]model.Observed{
		seen(70*time.Second, "node-02", model.ObservedOpened, cart, db, 5432, "", "rule/shop:db-in:pg"),
		seen(40*time.Second, "node-02", model.ObservedRefused, cart, db, 22, "", "rule/shop:db-in:base"),
		seen(4*time.Second, "node-01", model.ObservedDropped, stranger, cart, 8443, "no flow takes it"),
		seen(2*time.Second, "node-02", model.ObservedOpened, cart, db, 5432, "", "rule/shop:db-in:pg"), closed,
		{Verdict: model.ObservedUnknown, Host: "node-05", Reason: "host node-05 did not answer: unknown what passes there"}})
	busy := rates.Line{Name: "shop:front:cart-1", On: "node-01", Sent: rates.Flow{Packets: 4100, Bytes: 3.1e6}, Received: rates.Flow{Packets: 2050, Bytes: 160e3}, Past: []float64{0, 1e6, 2.2e6, 3.26e6}}
	idle := rates.Line{Name: "shop:data:db-2", Container: "shop/db-2", On: "node-02", Past: []float64{0, 0}}
	out[feed.Question{Topic: feed.Load}] = said(feed.Trends{Known: true, Silent: map[string]string{"node-05": "no agent runs there"}, Span: 290 * time.Second,
		Hits:  map[string]uint64{"shop:db-in:base": 412, "shop:db-in:pg": 9000},
		Lines: map[rates.Level][]rates.Line{rates.Endpoints: {busy, {Name: "shop:front:web-1", Sent: rates.Flow{Bytes: 400e3}, Past: []float64{0, 300e3, 900e3, 400e3}}, idle}}})
	out[feed.Question{Topic: feed.TrendsNow}] = said(feed.Trends{Known: true, Silent: map[string]string{"node-05": "no agent runs there"}, Lines: map[rates.Level][]rates.Line{
		rates.Endpoints: {busy, idle}, rates.Rules: {{Name: "shop:db-in:pg", Sent: rates.Flow{Packets: 12.5, Bytes: 900}, Past: []float64{3, 12.5}}}}})
	for i, session := range []string{"established", "active"} {
		out[feed.Question{Topic: feed.State, Kind: "Bgp", Key: fmt.Sprintf("node-%02d", i+1)}] = said(&model.BgpInspect{Oper: &model.BgpOper{NeighborStatus: session, NumRoutes: 14 * (1 - i)}})
	}
	return out
}

// realScreens are all pages, and those within them.
func realScreens(t testing.TB) []screen {
	var out []screen
	for _, e := range page.Entries() {
		out = append(out, screen{e.Name, e.Make})
	}
	for _, x := range [][2]string{{"address-map", "addresses/shop/front/10.6.0.28"}, {"address-ages", "addresses/shop/front:ages"}, {"address-blocks", "addresses/shop/front:blocks"}, {"address-ipv6", "addresses/shop/front:ipv6"},
		{"address-history", "addresses/shop/front/10.6.0.28:history"}, {"describe", "network/shop/front"}, {"describe-endpoint", "endpoint/shop:front:web-1"}, {"describe-node", "nodes/node-03"}, {"yaml", "network/shop/front:yaml"}, {"history", "network/shop/front:history"},
		{"flow-tables", "flows/node-01"}, {"flow-tables-silent", "flows/node-05"}, {"flow-list", "flows/node-01/policy_in"}, {"flow-endpoint", "endpoint/shop:front:web-1:flows"},
		{"topology-group", "topology/group/shop/cart"}, {"topology-endpoint", "topology/endpoint/shop:front:web-1"}, {"matrix-shop", "matrix/shop"},
		{"why-disagree", "why/endpoint/shop:front:cart-1/endpoint/shop:data:db-2/tcp/5432"}, {"why-choose", "why/endpoint/shop:front:cart-1"}, {"host", "nodes/node-03:drift"}, {"docknet", "docknets/" + strings.Repeat("3f", 32)}, {"observe-denied", "observe/denied"}, {"talkers", "observe/talkers"}, {"top-rules", "top/rules"}} {
		out = append(out, screen{x[0], func() *page.Page { return opened(t, x[1]) }})
	}
	network := page.Objects{Kind: model.KindNetwork(), Keys: []string{"shop:front"}}
	return append(out, screen{"handover", page.Handover}, screen{"confirm", func() *page.Page { return page.Confirm(page.Change{Objects: network}) }},
		screen{"unread", func() *page.Page {
			return page.Unread(network, []byte("{"), fmt.Errorf("the file is not a valid network: line 1"))
		}})
}

// realModel is a console that shows the real cluster.
func realModel(t testing.TB, th *theme.Theme, first *page.Page, width, height int) *Model {
	s, now := realistic()
	m := New(t.Context(), &cluster{}, th, first, now)
	m.Update(s)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m
}

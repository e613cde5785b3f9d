// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
)

// shop is a tenant with two groups, a policy and a service.
func shop(f *facts) *facts {
	f.groups = answered([]model.Object{&model.EndpointGroup{TenantName: "shop", GroupName: "db", NetworkName: "front", Policies: []string{"in"}},
		&model.EndpointGroup{TenantName: "shop", GroupName: "web", NetworkName: "front"}})
	f.networks = answered([]model.Object{&model.Network{TenantName: "shop", NetworkName: "front", Subnet: "10.7.0.0/24"}})
	f.rules = answered([]model.Object{&model.Rule{TenantName: "shop", PolicyName: "in", RuleId: "1", Direction: "in", Action: "deny", Priority: 1},
		&model.Rule{TenantName: "shop", PolicyName: "in", RuleId: "2", Direction: "in", Protocol: "tcp", Port: 5432, FromEndpointGroup: "web", Action: "allow", Priority: 2}})
	f.services = answered([]model.Object{&model.ServiceLB{TenantName: "shop", ServiceName: "pg", IpAddress: "10.7.0.5", Ports: []string{"5432:5432:TCP"}, Selectors: []string{"app=db"}}})
	f.all = answered([]model.Node{{Name: "h1", Role: model.RoleAgent, Since: "2030-01-02T15:04:05Z"}, {Name: "h2", Role: model.RoleAgent}})
	f.observed, f.rates, f.health, f.history, f.timeline = answered([]model.Observed{}), answered(Rates{Known: true}), answered(model.Health{}), answered([]model.HistoryEntry{}), answered([]model.TimelineEvent{})
	return f
}

func answered[T any](v T) known[T] { return known[T]{value: v, asked: true} }

// endpoint is db1 on a host.
func endpoint(on string) *model.EndpointOper {
	return &model.EndpointOper{Key: "shop:front:db1", EndpointID: "db1", Network: "front.shop", EndpointGroupKey: "db:shop", HomingHost: on, IpAddress: []string{"10.7.0.3", ""},
		Labels: "map[app:db]", Counted: "since 2030-01-02T15:04:05Z", PacketsSent: 1, BytesSent: 60}
}

func db1(on string) *facts {
	return shop(&facts{kind: model.KindEndpoint(), key: "shop:front:db1", endpoint: endpoint(on)})
}

// of makes the facts of an object of a kind, with a provider or endpoint on h1.
func of(o model.Object) *facts {
	text, _ := json.Marshal([]*model.EndpointOper{endpoint("h1")})
	field := "endpoints"
	if o.Kind() == model.KindServiceLB() {
		field = "providers"
	}
	return shop(&facts{kind: o.Kind(), key: o.ObjectKey(), config: o, oper: map[string]json.RawMessage{field: text, "numReady": json.RawMessage("1")}})
}

// text is a section's lines: "name|text".
func text(t *testing.T, d *Document, title string) string {
	t.Helper()
	for i := range d.Sections {
		if d.Sections[i].Title == title {
			var lines []string
			for _, r := range d.Sections[i].Lines() {
				lines = append(lines, r.Name+"|"+r.String())
			}
			return strings.Join(lines, "\n")
		}
	}
	return "no section"
}

// inPod is db1 as an endpoint of a pod.
func inPod(pod string) *facts {
	f := db1("h1")
	f.endpoint.Pod = pod
	return f
}

func TestSections(t *testing.T) {
	at := time.Date(2030, 1, 2, 15, 4, 5, 0, time.UTC)
	seen := func(v model.ObservedVerdict, from, to, service string, rules ...string) model.Observed {
		end := func(key string) *model.ObservedEnd {
			return &model.ObservedEnd{Endpoint: key, Group: "shop:web", Host: "h1", Address: "10.7.0.9"}
		}
		return model.Observed{Time: at, Verdict: v, From: end(from), To: end(to), Service: service, Proto: "tcp", Port: 5432, Rules: rules}
	}
	busy := db1("h1")
	busy.observed = answered([]model.Observed{seen("opened", "shop:front:web1", "shop:front:db1", ""), seen("opened", "shop:front:db1", "shop:front:web1", "shop:cart"),
		seen("opened", "shop:front:db1", "shop:front:web1", "shop:cart"), seen("refused", "shop:front:old", "shop:front:db1", "", "rule/shop:in:1")})
	busy.rates = answered(Rates{Known: true, Lines: map[rates.Level][]rates.Line{rates.Endpoints: {{Name: "shop:front:db1", Sent: rates.Flow{Packets: 10, Bytes: 6500}}}}})
	busy.endpoint.PacketsRefused = 2
	lost := db1("h1")
	lost.observed = answered([]model.Observed{{Verdict: model.ObservedUnknown, Host: "h1", Reason: "12 events were lost"}})
	restarted := db1("h1")
	for _, host := range []string{"h7", "h6", "h5", "h4", "h3", "h2", "h1"} {
		restarted.observed.value = append(restarted.observed.value, model.Observed{Verdict: model.ObservedUnknown, Host: host, Reason: "events of the restart are unknown"})
	}
	restarted.observed = answered(append(restarted.observed.value, model.Observed{Verdict: model.ObservedUnknown, Host: "h2", Reason: "2 events were lost"}))
	changed := db1("h1")
	changed.history = answered([]model.HistoryEntry{{Time: at, Verb: "create", By: model.Actor{Proved: "agent/h1"}}})
	changed.timeline = answered([]model.TimelineEvent{{Time: at.Add(time.Minute), Code: "peer-mute", Object: "endpoint/shop:front:db1"}})
	clients := of(&model.ServiceLB{TenantName: "shop", ServiceName: "pg", Ports: []string{"80:5432:TCP"}})
	other := seen("opened", "shop:front:old", "shop:front:db1", "")
	other.Port = 22
	clients.observed = answered([]model.Observed{seen("opened", "shop:front:web1", "shop:front:db1", ""), other})
	free := db1("h1")
	free.endpoint.EndpointGroupKey = ""
	for _, row := range []struct {
		name  string
		facts *facts
		title string
		want  string
	}{
		{"the rules of the group decide", db1("h1"), "May be reached by", "tcp 5432|web (rules in:1, in:2)\nnone|everyone else (2) (rule in:1)"},
		{"a rule for the own group", db1("h1"), "May reach", "all|web, outside\nnone|everyone else (1) (rule in:1)"},
		{"without a group", free, "May be reached by", "all|db, web\n|it has no group, so only the policies of others limit its connections"},
		{"without a group, towards others", free, "May reach", "all|web\nnone|everyone else (1) (rule in:1)\n|it has no group, so only the policies of others limit its connections"},
		{"only the port of the provider counts", of(&model.ServiceLB{TenantName: "shop", ServiceName: "pg", Ports: []string{"80:5432:TCP"}}), "May be reached by", "all|web (rule in:2)\nnone|everyone else (2) (rule in:1)"},
		{"another port", of(&model.ServiceLB{TenantName: "shop", ServiceName: "pg", Ports: []string{"5432:80:TCP"}}), "May be reached by", "none|everyone (3) (rule in:1)"},
		{"a service that selects it", db1("h1"), "Provides", "|shop:pg  10.7.0.5 5432:5432:TCP"},
		{"a provider whose agent answers", of(&model.ServiceLB{TenantName: "shop", ServiceName: "pg"}), "Providers", "ready|1/1\n|db1  10.7.0.3 on h1  ready"},
		{"neighbours, the busiest first", busy, "Neighbours", "|web1 (web)  opened 2 (0.4 /min), received 1 (0.2 /min)\n|old (web)  refused 1 (0.2 /min)"},
		{"services in use", busy, "Uses", "|shop:cart  opened 2 (0.4 /min)"},
		{"clients of a service", clients, "Clients", "|web1 (web)  received 1 (0.2 /min)"},
		{"drops by rule", busy, "Drops", "|refused tcp/5432 by rule/shop:in:1  1 (0.2 /min)\n|2 packets with addresses that are not its own, dropped at its port"},
		{"rates and counters", busy, "Traffic", "sends|52 kbit/s, 10 packets/s\nreceives|0 bit/s, 0 packets/s\ncounted|sent 1 packet, 60 bytes; received 0 packets, 0 bytes; since 2030-01-02T15:04:05Z"},
		{"quiet", db1("h1"), "Neighbours", "|no connection in the last 5 minutes"},
		{"an agent that does not answer", db1("h2"), "Neighbours", "|unknown: host h2: its agent does not answer"},
		{"no agent", db1("h3"), "Drops", "|unknown: host h3: no agent is registered"},
		{"lost events", lost, "Neighbours", "|unknown: host h1: 12 events were lost"},
		{"the same on many hosts", restarted, "Neighbours", "|unknown: hosts h1, h2, h3, h4, h5 and 2 more: events of the restart are unknown\n|unknown: host h2: 2 events were lost"},
		{"a pod", inPod("shop/web-1"), "Commands", "why|netctl why endpoint/shop:front:db1 TO tcp PORT\nconnections|netctl observe -f --from endpoint/shop:front:db1\npackets|netctl capture endpoint/shop:front:db1\n" +
			"flows|netctl flows h1 --owner endpoint/shop:front:db1\nlog|netctl logs h1\nchecks|netctl doctor shop:front:db1\nshell|kubectl exec -it -n shop web-1 -- sh\n" +
			"history|netctl history endpoint/shop:front:db1\nvalues|netctl get endpoint/shop:front:db1 -o yaml"},
		{"events, the newest first", changed, "Events", "|found endpoint/shop:front:db1 peer-mute\n|create by agent/h1"},
		{"the rules of a policy", of(&model.Policy{TenantName: "shop", PolicyName: "in"}), "Rules", "|2  in  priority 2  allow tcp 5432 from group web\n|1  in  priority 1  deny any protocol from any"},
		{"the groups of a rule", of(&model.Rule{TenantName: "shop", PolicyName: "in", RuleId: "1"}), "Applies to", "|db"},
		{"a rule's traffic on a silent host", of(&model.Rule{TenantName: "shop", PolicyName: "in", RuleId: "1"}), "Packets", "|unknown: host h2: its agent does not answer"},
		{"the endpoints of a network", of(&model.Network{TenantName: "shop", NetworkName: "front"}), "Endpoints", "|db1  10.7.0.3  group shop:db  on h1"},
		{"fields as links", of(&model.EndpointGroup{TenantName: "shop", GroupName: "db", NetworkName: "front", Policies: []string{"in"}}), "About", "tenant|shop\ngroup|db\nnetwork|front\npolicies|in"},
	} {
		if got := text(t, row.facts.document(), row.title); got != row.want {
			t.Errorf("%s: want %s\n%s\ngot\n%s", row.name, row.title, row.want, got)
		}
	}
}

// A source that does not answer is named in each section that shows it, and such a section never reads as an empty one.
func TestNoAnswerIsUnknown(t *testing.T) {
	own := []string{"About", "Commands"} // of the object itself
	late := fmt.Errorf("GET /: %w", context.DeadlineExceeded)
	for _, f := range []*facts{db1("h1"), of(&model.EndpointGroup{TenantName: "shop", GroupName: "db"}), of(&model.ServiceLB{TenantName: "shop", ServiceName: "pg"}), of(&model.Policy{TenantName: "shop", PolicyName: "in"}),
		of(&model.Rule{TenantName: "shop", PolicyName: "in", RuleId: "1"}), of(&model.Network{TenantName: "shop", NetworkName: "front"}), of(&model.Tenant{TenantName: "shop"}),
		shop(&facts{key: "h1", nodes: []model.Node{{Name: "h1", Role: model.RoleAgent, Since: "2030-01-02T15:04:05Z"}}})} {
		f.all.err, f.groups.err, f.networks.err, f.rules.err, f.services.err, f.health.err, f.history.err, f.timeline.err, f.observed.err, f.rates.err = late, late, late, late, late, late, late, late, late, late
		f.all.value, f.groups.value, f.networks.value, f.rules.value, f.services.value, f.observed.value = nil, nil, nil, nil, nil, nil
		f.addresses, f.endpoints = known[[]model.AddressState]{err: late, asked: true}, known[[]*model.EndpointOper]{err: late, asked: f.kind == nil}
		f.oper, f.operErr = nil, late
		for _, s := range f.document().Sections {
			if !slices.Contains(own, s.Title) && !slices.ContainsFunc(s.Unknown, func(why string) bool { return strings.HasSuffix(why, "no answer within 4s") }) {
				t.Errorf("%s, %s: want it unknown, got %+v", f.name(), s.Title, s)
			}
		}
	}
}

func TestProblems(t *testing.T) {
	group := of(&model.EndpointGroup{TenantName: "shop", GroupName: "db", NetworkName: "front", Policies: []string{"in"}})
	tenant := of(&model.Tenant{TenantName: "shop"})
	node := shop(&facts{key: "h1", nodes: []model.Node{{Name: "h1", Role: model.RoleAgent}}})
	master := shop(&facts{key: "192.0.2.1", nodes: []model.Node{{Name: "192.0.2.1", Role: model.RoleLeader}}})
	for _, row := range []struct {
		finding model.Finding
		want    string // the pages that show it
	}{
		{model.Finding{Object: "endpoint/shop:front:db1", Host: "h1"}, "endpoint group tenant node"},
		{model.Finding{Object: "endpoint/shop:front:web1", Host: "h2"}, "tenant"},
		{model.Finding{Object: "endpoint/shopping:front:db1"}, ""},
		{model.Finding{Object: "host/h1"}, "endpoint group node"},
		{model.Finding{Object: "host/h2", Host: "h1", Peers: []string{"h2"}}, "endpoint group node"},
		{model.Finding{Object: "host/h2"}, ""},
		{model.Finding{Object: "uplink/h1:eth1"}, "endpoint group node"},
		{model.Finding{Object: "network/shop:front"}, "endpoint group tenant"},
		{model.Finding{Object: "rule/shop:in:1", Host: "h1"}, "endpoint group tenant node"},
		{model.Finding{Object: "rule/shop:inner:1"}, "tenant"},
		{model.Finding{Object: "service/shop:pg"}, "endpoint tenant"},
		{model.Finding{Object: "master/192.0.2.1"}, "master"},
		{model.Finding{Object: "cluster/leader"}, "master"},
	} {
		var got []string
		for _, p := range []struct {
			name  string
			facts *facts
		}{{"endpoint", db1("h1")}, {"group", group}, {"tenant", tenant}, {"node", node}, {"master", master}} {
			p.facts.health = answered(model.Health{Findings: []model.Finding{row.finding}})
			if text(t, p.facts.document(), "Problems") != "|none known" {
				got = append(got, p.name)
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s on %q: want it on the pages of %s, got %s", row.finding.Object, row.finding.Host, row.want, got)
		}
	}
}

// A finding has its remedy and its age, or why neither is needed.
func TestProblemLines(t *testing.T) {
	f := db1("h1")
	f.now = time.Date(2030, 1, 2, 15, 6, 5, 0, time.UTC)
	for want, change := range map[string]func(*model.Finding){
		"error|agent-silent host/h1: it is silent (for 2 minutes)\n|remedy: start it":                func(*model.Finding) {},
		"error|agent-silent host/h1: it is silent (for 2 minutes)\n|because of agent-silent host/h2": func(x *model.Finding) { x.CausedBy = &model.FindingRef{Code: x.Code, Object: "host/h2"} },
		"error|agent-silent host/h1 on h9: it is silent (for 2 minutes)\n|remedy: start it":          func(x *model.Finding) { x.Host = "h9"; x.Peers = []string{"h1"} },
	} {
		x := model.Finding{Code: model.FindingAgentSilent, Severity: model.SeverityError, Object: "host/h1", Evidence: "it is silent", Remedy: "start it", Since: "2030-01-02T15:04:05Z"}
		change(&x)
		f.health = answered(model.Health{Findings: []model.Finding{x}})
		if got := text(t, f.document(), "Problems"); got != want {
			t.Errorf("want\n%s\ngot\n%s", want, got)
		}
	}
}

// Every mention on a page names a kind that commands take, and a key.
func TestLinksNameObjects(t *testing.T) {
	count := 0
	for _, f := range []*facts{db1("h1"), of(&model.EndpointGroup{TenantName: "shop", GroupName: "db", NetworkName: "front", Policies: []string{"in"}}), of(&model.ServiceLB{TenantName: "shop", ServiceName: "pg", NetworkName: "front"}),
		of(&model.Rule{TenantName: "shop", PolicyName: "in", RuleId: "1", FromEndpointGroup: "web", ToNetwork: "front"})} {
		for _, s := range f.document().Sections {
			for _, r := range s.Rows {
				for _, p := range r.Text {
					if p.Link == nil {
						continue
					}
					count++
					k, known := model.KindOf(p.Link.Kind)
					if p.Link.Key == "" || !known && p.Link.Kind != NodeKind && p.Link.Kind != AddressKind {
						t.Errorf("%s, %s: %q leads to %+v", f.name(), s.Title, p.Text, *p.Link)
					}
					if known && k.TenantScoped() && !strings.HasPrefix(p.Link.Key, "shop:") {
						t.Errorf("%s, %s: %q leads to %+v, want an object of the tenant", f.name(), s.Title, p.Text, *p.Link)
					}
				}
			}
		}
	}
	if count < 20 {
		t.Errorf("want links, got %d", count)
	}
}

func TestReason(t *testing.T) {
	for want, err := range map[string]error{
		"no answer within 4s":          fmt.Errorf("get: %w", context.DeadlineExceeded),
		"refused":                      errors.New("refused"),
		strings.Repeat("x", 297) + "…": errors.New(strings.Repeat("x", 301)),
	} {
		if got := reason(err); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// Names from the cluster cannot control a terminal, and are bounded; links keep the name as it is.
func TestHostileNames(t *testing.T) {
	f := db1("h1")
	f.endpoint.ContainerName, f.endpoint.Labels = "a\x1b[31mb", "map[k:"+strings.Repeat("x", 5000)+"]"
	f.endpoint.EndpointGroupKey = "d\x07b:shop"
	f.observed = known[[]model.Observed]{err: errors.New("no\x1b[2J"), asked: true}
	text, err := json.Marshal(f.document())
	if err != nil || strings.Contains(string(text), "u001b") || strings.Contains(string(text), strings.Repeat("x", 700)) || !strings.Contains(string(text), `"key":"shop:d\u0007b"`) {
		t.Errorf("got %v of %s", err, text)
	}
}

func TestQuantity(t *testing.T) {
	for want, v := range map[string]float64{"0 B": 0, "0.4 B": 0.44, "999.4 B": 999.4, "1 kB": 999.6, "52 kB": 52000, "1.5 MB": 1.5e6, "2 TB": 2e12} {
		if got := quantity(v, "B"); got != want {
			t.Errorf("%v: want %q, got %q", v, want, got)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{"networkName": "network", "ipAddress": "IP address", "numEndpoints": "endpoints", "numNetworks": "number of networks", "externalPktTag": "external packet tag",
		"serviceVip": "service address", "ruleId": "rule id", "name": "name", "fwdMode": "forwarding mode"} {
		if got := words(name); got != want {
			t.Errorf("%s: want %q, got %q", name, want, got)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/agent/dns"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/packetin"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// agent is what is shown.
type agent struct {
	flows     []bridge.LiveFlow
	err       error
	reclaimed string
	repaired  bool
	waited    int
	waiting   []string
}

func (a *agent) Summary() bridge.Summary {
	return bridge.Summary{Connected: true, Revision: 7, Flows: 2}
}
func (a *agent) Counters() bridge.Counters                        { return bridge.Counters{FlowMods: 41} }
func (a *agent) Flows(context.Context) ([]bridge.LiveFlow, error) { return a.flows, a.err }
func (a *agent) View(fn func(*ofnet.State))                       { fn(policed()) }

// policed has a rule of group t:g, one that cannot be read, and one of a group that is not here.
func policed() *ofnet.State {
	s := ofnet.NewState("h1")
	rule := func(name string, priority uint8, deny bool) *ofnet.Rule {
		return &ofnet.Rule{ID: identity.Rule{Policy: identity.Policy{Tenant: "t", Name: name[:1]}, Rule: name}, Direction: ofnet.In, Priority: priority, Deny: deny}
	}
	for _, r := range []*ofnet.Rule{rule("p1", 5, false), rule("p11", ofnet.PriorityClosed, true), rule("o2", 5, false)} {
		s.Rules.Set(r.ID, r)
	}
	s.Attach(identity.Attachment{Group: identity.Group{Tenant: "t", Name: "g"}, Policy: "p"})
	s.Attach(identity.Attachment{Group: identity.Group{Tenant: "t", Name: "far"}, Policy: "o"})
	return s
}

func (a *agent) Status() []bridge.OwnerStatus {
	return []bridge.OwnerStatus{{Owner: ofnet.Key{Kind: "endpoint", Name: "t:n:c1"}, Phase: bridge.Failed, Err: "no", Flows: 2}}
}

func (a *agent) services() []*ofnet.Service {
	at := netip.MustParseAddr
	behind := func(target uint16) []ofnet.Backend {
		return []ofnet.Backend{{Addr: at("10.0.0.1"), Target: target}, {Addr: at("10.0.0.2"), Target: target}}
	}
	return []*ofnet.Service{{Name: "t:empty", Tenant: "t", External: []netip.Addr{at("10.0.0.8")}, Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolUDP, Port: 53}}},
		{Name: "t:shop", Tenant: "t", External: []netip.Addr{at("10.0.0.9")},
			Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolTCP, Port: 80, Backends: behind(8080)}, {Protocol: ofnet.ProtocolTCP, Port: 81, Backends: behind(8081)}}}}
}

func (a *agent) Hits(context.Context, uint8) (map[uint64]bridge.Hits, error) {
	shop := a.services()[1]
	backend := func(of ofnet.Load) uint64 {
		return flow.Owner(shop.LoadKey(&shop.Ports[0], shop.Ports[0].Backends[1], of))
	}
	return map[uint64]bridge.Hits{backend(ofnet.LoadOpened): {Packets: 2, Bytes: 1}, backend(ofnet.LoadTo): {Packets: 10, Bytes: 1000},
		backend(ofnet.LoadFrom): {Packets: 11, Bytes: 1100},
		flow.Owner(ofnet.Key{Kind: ofnet.KindRule, Name: "t:g:p:p1"}): {Packets: 3, Bytes: 200}}, a.err
}

func (a *agent) HitsOf(context.Context, flow.Cookie) (bridge.Hits, error) {
	return bridge.Hits{}, a.err
}

// Owner knows only the tiers of group t:g.
func (a *agent) Owner(k ofnet.Key) (bridge.OwnerStatus, bool) {
	return bridge.OwnerStatus{Owner: k, Phase: bridge.Done}, strings.HasPrefix(k.Name, "t:g/")
}

func (a *agent) Wanted(flow.Key) (flow.Flow, bool)   { return flow.Flow{}, false }
func (a *agent) Owners(numbers []uint64) []ofnet.Key { return make([]ofnet.Key, len(numbers)) }

func (a *agent) Check(context.Context) ([]bridge.Difference, error) {
	gone := flow.New(4, 7, flow.Match{}, flow.Actions{})
	return []bridge.Difference{{Kind: bridge.KindFlow, Want: &bridge.Entry{Flow: &gone}, Owner: ofnet.Key{Kind: "endpoint", Name: "t:n:c1"}}}, a.err
}

func (a *agent) Repair(context.Context) error {
	a.repaired = true
	return a.err
}

func (a *agent) Drifted() []bridge.Difference {
	return []bridge.Difference{{Kind: bridge.KindGroup, Was: &bridge.Entry{Group: &flow.Group{ID: 77}}}}
}

// drift is what the agent knows of ports and addresses.
type drift struct{ *agent }

func (d drift) Check() ([]model.Difference, error) {
	return []model.Difference{{Kind: "address", Owner: "host/h1", What: "changed: interface contivh0"}}, nil
}
func (d drift) Repair(context.Context) error { return nil }
func (d drift) Found() []model.Difference {
	return []model.Difference{{At: "2026-01-01T00:00:00Z", Kind: "port", Owner: "endpoint/t:n:c2", What: "removed: port vvy"}}
}
func (d drift) Stuck() []model.Difference {
	return []model.Difference{{Owner: "endpoint/t:n:c3", What: "removed: interface vvz", Remedy: "recreate it"}}
}
func (d drift) Counts() map[string]uint64 { return map[string]uint64{"port": 4, "address": 1} }

func (a *agent) DriftByKind() map[bridge.Kind]uint64 {
	return map[bridge.Kind]uint64{bridge.KindFlow: 5}
}

// Wait counts who asks for revisions; the switch gets no further than its Summary says.
func (a *agent) Wait(ctx context.Context, rev uint64) error {
	if rev <= a.Summary().Revision {
		return nil
	}
	a.waited++
	<-ctx.Done()
	return ctx.Err()
}

func (a *agent) List() []attach.Attachment {
	return []attach.Attachment{{ContainerID: "c1", IfName: "eth0", StateID: "t:n:c1", Port: ovsdb.Port{Name: "vvx", OFPort: 5}}}
}

// Published has a port of the host lead to the only endpoint.
func (a *agent) Published(id string) ([]model.PublishedPort, error) {
	if id != "t:n:c1" {
		return nil, fmt.Errorf("endpoint %s is not attached here", id)
	}
	return []model.PublishedPort{{Protocol: "tcp", Host: netip.MustParseAddrPort("0.0.0.0:8080"), Container: 80}}, nil
}

func (a *agent) Reclaim(_ context.Context, id string) error {
	a.reclaimed = id
	return a.err
}

func (a *agent) handler() http.Handler { return Handler(a.options()) }

func (a *agent) options() Options {
	return Options{Forward: a, Attach: a, Pipeline: pipeline.Default(), Now: time.Now, Bounds: NewBounds(recorded),
		Status: func() model.AgentStatus {
			return model.AgentStatus{Host: "h1", Flows: 2, Uplinks: []model.Uplink{{Name: "eth1", Link: true, Active: true}, {Name: "eth2"}}}
		},
		Waiting: func() []string { return a.waiting }, Malformed: func() []string { return nil },
		Drift: drift{a}, Services: a.services, Ports: a,
		Router: func() (bgp.Status, error) {
			return bgp.Status{Dsts: []string{"20.1.1.0/24"}, Peers: []bgp.PeerStatus{}}, a.err
		},
		Names: &Names{List: func() map[string]dns.Listing { return map[string]dns.Listing{"t": {}} },
			Counts: func() dns.Counts { return dns.Counts{Questions: 7} }, PacketIns: func() packetin.Counts { return packetin.Counts{Dropped: 3} }},
		Called: func(string) string { return "" },
		Driver: func() Driver {
			return Driver{LocalIP: "192.0.2.1", Bridge: "contiv0", Endpoints: []record.Endpoint{{ID: inNetwork("c1")}},
				VTEPs: []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:4789"), netip.MustParseAddrPort("192.0.2.2:4789")}}
		},
		Version: model.Version{Version: "v1"}}
}

func TestRoutes(t *testing.T) {
	owner := ofnet.Key{Kind: "endpoint", Name: "t:n:c1"}
	live := []bridge.LiveFlow{{Flow: flow.Flow{Key: flow.Key{Table: 0, Priority: 100}}, Owner: owner}, {Flow: flow.Flow{Key: flow.Key{Table: 4}}}}
	rows := []struct {
		name, method, path string
		status             int
		want, not          string
		agent              agent
	}{
		{name: "status", path: "/status", status: 200, want: `"host":"h1"`},
		{name: "health", path: "/healthz", status: 200, want: "ok"},
		{name: "ready", path: "/readyz", status: 200, want: "ok"},
		{name: "not ready", path: "/readyz", status: 503, want: "waiting for a netmaster", agent: agent{waiting: []string{"a netmaster"}}},
		{name: "version", path: "/version", status: 200, want: `"Version":"v1"`},
		{name: "metrics", path: "/metrics", status: 200, want: "contiv_agent_flow_mods_total 41"},
		{name: "flows", path: "/inspect/flows", status: 200, want: `"table":"source"`, agent: agent{flows: live}},
		{name: "flows of an owner", path: "/inspect/flows?owner=endpoint/t:n:c1", status: 200, want: `"owner":"endpoint/t:n:c1"`, not: `"table":"source"`, agent: agent{flows: live}},
		{name: "flows of a table", path: "/inspect/flows?table=source", status: 200, want: "source", not: "t:n:c1", agent: agent{flows: live}},
		{name: "flows of a table by number", path: "/inspect/flows?table=4", status: 200, want: "source", not: "t:n:c1", agent: agent{flows: live}},
		{name: "flows of a container", path: "/inspect/flows?owner=endpoint/c1", status: 200, want: `"owner":"endpoint/t:n:c1"`, not: `"table":"source"`, agent: agent{flows: live}},
		{name: "flows of an unknown owner", path: "/inspect/flows?owner=tenant/x", status: 200, want: "[]", agent: agent{flows: live}},
		{name: "flows of no object", path: "/inspect/flows?owner=x", status: 400, want: "KIND/NAME", agent: agent{flows: live}},
		{name: "flows of no table", path: "/inspect/flows?table=x", status: 400, want: "want one of classify", agent: agent{flows: live}},
		{name: "flows without a switch", path: "/inspect/flows", status: 503, want: "gone", agent: agent{err: errors.New("gone")}},
		{name: "ports", path: "/inspect/ports", status: 200, want: `"container":"c1"`},
		{name: "owners", path: "/inspect/owners", status: 200, want: `"phase":"error"`},
		{name: "rules", path: "/inspect/rules", status: 200, want: `"rule":"t:p:p1","record":"t:g:p:p1","group":"t:g","direction":"in","action":"allow","phase":"done","packets":3,"bytes":200`, not: "far"},
		{name: "a rule", path: "/inspect/rules?of=t:p:p11", status: 200, want: `"phase":"closed","error":"the record`, not: "p1\""},
		{name: "rules of a policy", path: "/inspect/rules?of=t:p", status: 200, want: "p11"},
		{name: "rules of another policy", path: "/inspect/rules?of=t:q", status: 200, want: "[]"},
		{name: "rules without a switch", path: "/inspect/rules", status: 503, want: "gone", agent: agent{err: errors.New("gone")}},
		{name: "metrics of uplinks", path: "/metrics", status: 200, want: "contiv_agent_uplinks 2\n"},
		{name: "metrics of uplinks in trouble", path: "/metrics", status: 200, want: "contiv_agent_uplinks_in_trouble 1\n"},
		{name: "metrics of rules", path: "/metrics", status: 200, want: `contiv_agent_rule_packets_total{action="allow",direction="in",group="t:g",rule="t:p:p1"} 3`},
		{name: "metrics without a switch", path: "/metrics", status: 200, want: "contiv_agent_flows 2", not: "rule_packets", agent: agent{err: errors.New("gone")}},
		{name: "router", path: "/inspect/bgp", status: 200, want: `{"peers":[],"dsts":["20.1.1.0/24"]}`},
		{name: "no router", path: "/inspect/bgp", status: 500, want: "no router here", agent: agent{err: errors.New("no router here")}},
		{name: "metrics of the router", path: "/metrics", status: 200, want: "contiv_agent_bgp_routes 1"},
		{name: "names", path: "/inspect/nameserver", status: 200, want: `"dnsRecords":{"t":`},
		{name: "metrics of names", path: "/metrics", status: 200, want: "contiv_agent_dns_questions_total 7"},
		{name: "a service", path: "/inspect/services?of=t:shop", status: 200, not: "empty",
			want: `"service":"t:shop","address":"10.0.0.9","port":"tcp/80","target":8080,"backend":"10.0.0.2","phase":"done","connections":2,"packetsIn":10,"bytesIn":1000,"packetsOut":11,"bytesOut":1100}`},
		{name: "a service without backends", path: "/inspect/services?of=t:empty", status: 200, want: `"port":"udp/53","target":0,"phase"`},
		{name: "another service", path: "/inspect/services?of=t:sho", status: 200, want: "[]"},
		{name: "services without a switch", path: "/inspect/services", status: 503, want: "gone", agent: agent{err: errors.New("gone")}},
		{name: "traffic of no one", path: "/inspect/traffic?of=n.t-c9", status: 404, want: `endpoint "n.t-c9" has no flows here`},
		{name: "counters", path: "/inspect/counters?of=t", status: 200, want: `"rules":[{"rule":"t:p:p1","group":"t:g","hits":{"packets":3,"bytes":200}}`},
		{name: "counters of another tenant", path: "/inspect/counters?of=red", status: 200, want: `{"host":"","took":"`},
		{name: "published ports", path: "/inspect/published?of=t:n:c1", status: 200, want: `[{"protocol":"tcp","host":"0.0.0.0:8080","container":80}]`},
		{name: "published ports of no one", path: "/inspect/published?of=t:n:c9", status: 404, want: "endpoint t:n:c9 is not attached here"},
		{name: "metrics of services", path: "/metrics", status: 200, want: `contiv_agent_service_packets_total{backend="10.0.0.2",direction="out",port="tcp/80",service="t:shop"} 11`},
		{name: "service counters as the original had them", path: "/svcstats", status: 200,
			want: `"10.0.0.9:80:TCP":{"ServiceIP":"10.0.0.9","ServiceVRF":"t","Protocol":"TCP","SvcPort":"80","ProvPort":"8080","SvcStats":{"PacketsIn":10,"BytesIn":1000,"PacketsOut":11,"BytesOut":1100},"ProvStats":{"10.0.0.1":`},
		{name: "that of one provider", path: "/svcstats", status: 200,
			want: `"10.0.0.2":{"ProviderIP":"10.0.0.2","ServiceIP":"10.0.0.9","ServiceVrf":"t","PacketsIn":10,"BytesIn":1000,"PacketsOut":11,"BytesOut":1100}`},
		{name: "that of the tenant", path: "/svcstats", status: 200, want: `{"t":{"EndpointIP":"192.0.2.1","VrfName":"t","PortStats":{"PacketsIn":10,`},
		{name: "the original's counters without a switch", path: "/svcstats", status: 503, want: "gone", agent: agent{err: errors.New("gone")}},
		{name: "malformed", path: "/inspect/malformed", status: 200, want: "[]"},
		{name: "drift", path: "/inspect/drift", status: 200, want: `"kind":"flow","owner":"endpoint/t:n:c1","table":"source","what":"removed: any packet","was":"","want":"cookie=0x0,table=source,priority=7 actions=drop"},{`},
		{name: "drift of ports", path: "/inspect/drift", status: 200, want: `"kind":"port","owner":"endpoint/t:n:c1","what":"changed: its flows are of another number","was":"port vvx, number 5","want":"port vvx, number 0"`},
		{name: "drift found before", path: "/inspect/drift", status: 200, want: `"kind":"group","owner":"","what":"added: group 77","was":"group_id=77`},
		{name: "drift of addresses", path: "/inspect/drift", status: 200, want: `"kind":"address","owner":"host/h1","what":"changed: interface contivh0"`},
		{name: "drift of ports found before", path: "/inspect/drift", status: 200, want: `"kind":"port","owner":"endpoint/t:n:c2","what":"removed: port vvy"`},
		{name: "metrics of drifting ports", path: "/metrics", status: 200, want: `contiv_agent_differences_total{kind="port"} 4`},
		{name: "metrics of what cannot be repaired", path: "/metrics", status: 200, want: "contiv_agent_beyond_repair 1\n"},
		{name: "drift without a switch", path: "/inspect/drift", status: 503, want: "gone", agent: agent{err: errors.New("gone")}},
		{name: "repair", method: http.MethodPost, path: "/inspect/drift", status: 200, want: `"host":"h1"`},
		{name: "repair without a switch", method: http.MethodPost, path: "/inspect/drift", status: 503, want: "repair the switch: gone", agent: agent{err: errors.New("gone")}},
		{name: "metrics of drift", path: "/metrics", status: 200, want: `contiv_agent_differences_total{kind="flow"} 5`},
		{name: "driver", path: "/inspect/driver", status: 200, want: `"VtepTable":{"192.0.2.2":1000}`},
		{name: "reclaim", method: http.MethodDelete, path: "/debug/reclaimEndpoint/t:n:c1", status: 200},
		{name: "reclaim that fails", method: http.MethodDelete, path: "/debug/reclaimEndpoint/t:n:c1", status: 500, want: "no", agent: agent{err: errors.New("no")}},
		{name: "unknown", path: "/nothing", status: 404},
		{name: "wrong method", method: http.MethodPost, path: "/status", status: 405},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if r.method == "" {
				r.method = http.MethodGet
			}
			w := httptest.NewRecorder()
			r.agent.handler().ServeHTTP(w, httptest.NewRequest(r.method, r.path, nil))
			body := w.Body.String()
			if w.Code != r.status || !strings.Contains(body, r.want) || (r.not != "" && strings.Contains(body, r.not)) {
				t.Errorf("%s %s: want %d with %q without %q, got %d %s", r.method, r.path, r.status, r.want, r.not, w.Code, body)
			}
			if wanted := r.method == http.MethodPost && r.path == "/inspect/drift"; r.agent.repaired != wanted {
				t.Errorf("repaired: want %t, got %t", wanted, r.agent.repaired)
			}
			if r.method == http.MethodDelete && r.agent.reclaimed != "t:n:c1" {
				t.Errorf("reclaimed: want t:n:c1, got %q", r.agent.reclaimed)
			}
		})
	}
}

func TestServerEndsAndRefusesATakenAddress(t *testing.T) {
	l := httptest.NewServer(http.NotFoundHandler())
	defer l.Close()
	taken := netip.MustParseAddrPort(strings.TrimPrefix(l.URL, "http://"))
	if err := NewServer([]netip.AddrPort{taken}, http.NotFoundHandler(), nil, NewBounds(Limits{}), quiet()).Run(t.Context()); err == nil {
		t.Error("address in use: want an error, got none")
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := NewServer([]netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:0")}, http.NotFoundHandler(), nil, NewBounds(Limits{}), quiet())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-s.Ready()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run after cancel: want nil, got %v", err)
	}
}

// recorded are limits for requests of httptest, whose host is always this one.
var recorded = Limits{Hosts: []string{"example.com"}}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Ports that are gone, no one's, or broken are distinguished.
func TestPortDifferences(t *testing.T) {
	at := func(id string, number uint32, problem string) attach.Attachment {
		return attach.Attachment{StateID: inNetwork(id).String(), Port: ovsdb.Port{Name: "vv" + id, OFPort: number, Error: problem}}
	}
	o := Options{Forward: &agent{}, Now: time.Now, Bounds: NewBounds(recorded), Attach: attached{at("none", 3, ""), at("bad", 0, "no device"), at("good", 0, "")},
		Called: func(string) string { return "" },
		Driver: func() Driver {
			return Driver{Endpoints: []record.Endpoint{{ID: inNetwork("gone")}, {ID: inNetwork("bad")}, {ID: inNetwork("good")}}}
		}}
	var got []string
	for _, d := range o.portDifferences() {
		word, _, _ := strings.Cut(d.What, ":")
		got = append(got, d.Owner+" "+word)
	}
	if want := "endpoint/t:n:none added, endpoint/t:n:bad changed, endpoint/t:n:gone removed"; strings.Join(got, ", ") != want {
		t.Errorf("want %s, got %q", want, got)
	}
}

// inNetwork is an endpoint of network n of tenant t.
func inNetwork(name string) identity.Endpoint {
	return identity.Endpoint{Network: identity.Network{Tenant: "t", Name: "n"}, Endpoint: name}
}

// attached is a list of attachments.
type attached []attach.Attachment

func (a attached) List() []attach.Attachment             { return a }
func (a attached) Reclaim(context.Context, string) error { return nil }

// The status of a revision comes when the switch has it, or when the one who asks has waited long enough.
func TestStatusOfRevision(t *testing.T) {
	a := &agent{}
	for _, test := range []struct {
		query        string
		code, waited int
	}{{"", 200, 0}, {"?revision=7", 200, 0}, {"?revision=8", 200, 1}, {"?revision=x", 400, 0}, {"?revision=-1", 400, 0}} {
		ctx, cancel := context.WithCancel(context.Background())
		if test.waited > 0 {
			cancel()
		}
		a.waited = 0
		w := httptest.NewRecorder()
		a.handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/status"+test.query, nil))
		cancel()
		if w.Code != test.code || a.waited != test.waited || w.Code == 200 && !strings.Contains(w.Body.String(), `"h1"`) {
			t.Errorf("%q: want %d after %d waits, got %d after %d: %s", test.query, test.code, test.waited, w.Code, a.waited, w.Body)
		}
	}
}

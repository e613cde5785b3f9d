package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// switches are agents that trace packets as they are told to, by host.
func switches(t *testing.T, m *mastertest.Master, traces map[string]func(model.TraceRequest) model.Trace) {
	t.Helper()
	for host, trace := range traces {
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			var ask model.TraceRequest
			if err := json.Unmarshal([]byte(q.URL.Query().Get("of")), &ask); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			out := trace(ask)
			out.Host, out.After = host, ask.Packet
			_ = json.NewEncoder(w).Encode(out)
		}))
		t.Cleanup(agent.Close)
		register(t, m, host, agent.Listener.Addr().String())
	}
}

// endpoints makes containers "tenant/network/name@host".
func endpoints(t *testing.T, m *mastertest.Master, list ...string) {
	t.Helper()
	for _, text := range list {
		text, host, _ := strings.Cut(text, "@")
		f := strings.Split(text, "/")
		if _, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: f[0], NetworkName: f[1], EndpointID: f[2], ContainerID: f[2],
			ConfigEP: model.EndpointConfigRequest{Container: f[2], Host: host}}); err != nil {
			t.Fatal(err)
		}
	}
}

// What the switch hands to its host is allowed when the host has a way for it, and no further: denied, with the remedy, when it has
// none, unknown when nobody says.
func TestWhyBehindTheSwitch(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mustPut(t, m.Networks(), &model.Network{TenantName: "default", NetworkName: "blue", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254", Encap: "vxlan"})
	endpoints(t, m, "default/blue/c1@h1", "default/blue/c2@h2")
	var exit model.TraceExit
	var steps []model.TraceStep
	switches(t, m, map[string]func(model.TraceRequest) model.Trace{
		"h1": func(model.TraceRequest) model.Trace {
			if exit == (model.TraceExit{}) {
				return model.Trace{Steps: steps}
			}
			return model.Trace{Steps: steps, Exits: []model.TraceExit{exit}}
		},
		"h2": func(q model.TraceRequest) model.Trace {
			switch q.From {
			case "router":
				return model.Trace{Exits: to("endpoint/blue.default-c2", "")}
			case "endpoint/blue.default-c2":
				return model.Trace{Exits: []model.TraceExit{{To: "router/50.1.1.200", Verdict: "unknown", Text: "which is kept"}}}
			}
			return model.Trace{}
		},
	})
	drop := func(table string, priority uint16, owner string) []model.TraceStep {
		return []model.TraceStep{{Table: "classify", Does: "go on"}, {Table: table, Priority: priority, Owner: owner, Match: "such", Does: "drop"}}
	}
	for _, r := range []struct {
		name    string
		to      string
		exit    model.TraceExit
		steps   []model.TraceStep
		verdict model.Verdict
		text    []string
	}{
		{"a route", "8.8.8.8", model.TraceExit{To: "host", Verdict: "allowed", Text: "which routes it on by eth0"}, nil, "allowed", []string{"the switches agree"}},
		{"no route", "8.8.8.8", model.TraceExit{To: "host", Verdict: "denied", Text: "which has no route", Try: "give it one"}, nil, "denied",
			[]string{"hands it to the host, which has no route. On host h1: give it one."}},
		{"not asked", "8.8.8.8", model.TraceExit{To: "host", Verdict: "unknown", Text: "which does not say"}, nil, "unknown", []string{"which does not say"}},
		{"an old agent", "8.8.8.8", model.TraceExit{To: "host"}, nil, "unknown", []string{"of an older version"}},
		{"a router outside", "8.8.8.8", model.TraceExit{To: "router/50.1.1.200", Verdict: "allowed", Text: "with which a session is established"}, nil, "allowed", nil},
		{"its session has ended", "8.8.8.8", model.TraceExit{To: "router/50.1.1.200", Verdict: "unknown", Text: "which is kept"}, nil, "unknown",
			[]string{"sends it to router 50.1.1.200 outside, which is kept"}},
		{"across hosts by a router, whose other session has ended", "c2", model.TraceExit{To: "router/50.1.1.200", Verdict: "allowed", Text: "with a session"}, nil, "unknown",
			[]string{"of the answer, h2 takes it from endpoint/blue.default-c2, sends it to router 50.1.1.200 outside, which is kept"}},
		{"a table's miss", "8.8.8.8", model.TraceExit{}, drop("route", 0, "switch/h1"), "disagree", []string{"there is no way out (table route)"}},
		{"a flow of every switch", "8.8.8.8", model.TraceExit{}, drop("route", 33000, "switch/h1"), "disagree", []string{"no switch lets such packets pass: such (table route)"}},
		{"a flow of an object", "8.8.8.8", model.TraceExit{}, drop("route", 33000, "network/blue.default"), "disagree", []string{"network/blue.default does not let it pass: such (table route)"}},
		{"a flow that is gone meanwhile", "8.8.8.8", model.TraceExit{}, drop("route", 33000, ""), "disagree", []string{"no object caused does not let it pass: such"}},
		{"a foreign flow drops it", "8.8.8.8", model.TraceExit{}, []model.TraceStep{{Table: "route", Priority: 7, Does: "drop", Foreign: true, Flow: "priority=7 actions=drop"}}, "disagree",
			[]string{"somebody else has made or changed does not let it pass: priority=7 actions=drop", "netctl drift h1 --repair"}},
		{"a foreign flow lets it pass", "8.8.8.8", model.TraceExit{To: "host", Verdict: "allowed", Text: "which routes it"},
			[]model.TraceStep{{Table: "route", Does: "out", Foreign: true, Flow: "priority=7 actions=output:1"}}, "allowed",
			[]string{"On h1 it meets a flow that somebody else has made or changed: priority=7 actions=output:1.", "netctl drift h1 --repair"}},
		{"the hosts' own addresses", "172.19.255.254", model.TraceExit{}, drop("route", 33000, "switch/h1"), "denied", []string{"addresses by which hosts know their containers"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			exit, steps = r.exit, r.steps
			got, err := m.Why(t.Context(), model.WhyRequest{From: "c1", To: r.to})
			if err != nil || got.Verdict != r.verdict {
				t.Fatalf("want %s, got %+v, %v", r.verdict, got, err)
			}
			for _, want := range r.text {
				if !strings.Contains(got.Text, want) {
					t.Errorf("want %q, got %q", want, got.Text)
				}
			}
		})
	}
}

// Tenants may have the same addresses and names: what one end leaves open is meant as of the other end's tenant.
func TestWhyOfOneTenant(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mustPut(t, m.Tenants(), &model.Tenant{TenantName: "acme"})
	for tenant, network := range map[string]string{"default": "blue", "acme": "red"} {
		mustPut(t, m.Networks(), &model.Network{TenantName: tenant, NetworkName: network, Subnet: "10.1.1.0/24", Gateway: "10.1.1.254", Encap: "vxlan"})
		mustPut(t, m.ServiceLBs(), &model.ServiceLB{TenantName: tenant, ServiceName: "shop", NetworkName: network, Selectors: []string{"app=x"}, Ports: []string{"80:80:TCP"}, IpAddress: "10.1.1.99"})
	}
	endpoints(t, m, "default/blue/c1@h1", "default/blue/db@h1", "acme/red/a1@h1", "acme/red/db@h1", "acme/red/a3@h1")
	for _, r := range []struct{ name, from, to, fromIs, toIs, fails string }{
		{"an address of both", "c1", "10.1.1.2", "blue.default-c1", "blue.default-db", ""},
		{"asked by the other", "a1", "10.1.1.2", "red.acme-a1", "red.acme-db", ""},
		{"an address of the other alone", "c1", "10.1.1.3", "blue.default-c1", "10.1.1.3", ""},
		{"from it", "10.1.1.3", "c1", "10.1.1.3", "blue.default-c1", ""},
		{"a name of both", "c1", "db", "blue.default-c1", "blue.default-db", ""},
		{"from a name of both", "db", "a1", "red.acme-db", "red.acme-a1", ""},
		{"a service of both", "a1", "shop", "red.acme-a1", "shop:acme", ""},
		{"by its address", "a1", "10.1.1.99", "red.acme-a1", "shop:acme", ""},
		{"said with its kind", "c1", "endpoint/10.1.1.3", "blue.default-c1", "red.acme-a3", ""},
		{"a name of the other alone", "c1", "a3", "blue.default-c1", "red.acme-a3", ""},
		{"nothing tells which", "db", "shop", "", "", "may be"},
	} {
		got, err := m.Why(t.Context(), model.WhyRequest{From: r.from, To: r.to, Protocol: "tcp", Port: 80})
		if r.fails != "" {
			if err == nil || !strings.Contains(err.Error(), r.fails) {
				t.Errorf("%s: want an error with %q, got %+v, %v", r.name, r.fails, got, err)
			}
			continue
		}
		if err != nil || got.From.Object != r.fromIs || got.To.Object != r.toIs {
			t.Errorf("%s: want %s and %s, got %s and %s, %v", r.name, r.fromIs, r.toIs, got.From.Object, got.To.Object, err)
		}
	}
}

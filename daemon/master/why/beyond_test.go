// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/why"
)

// A packet that leaves the switch for its host is allowed if the host has a route for it, denied with a remedy if it has none, and unknown
// if the host's routes are unknown.
func TestWhyBehindTheSwitch(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "attach blue c1 host=h1", "attach blue c2 host=h2")
	var exit model.TraceExit
	var steps []model.TraceStep
	asker := why.New(w.Catalog, switches(map[string]func(model.TraceRequest) model.Trace{
		"h1": func(model.TraceRequest) model.Trace {
			if exit == (model.TraceExit{}) {
				return model.Trace{Steps: steps}
			}
			return model.Trace{Steps: steps, Outputs: []model.TraceExit{exit}}
		},
		"h2": func(q model.TraceRequest) model.Trace {
			switch q.From {
			case "router":
				return model.Trace{Outputs: to("endpoint/default:blue:c2", "")}
			case "endpoint/default:blue:c2":
				return model.Trace{Outputs: []model.TraceExit{{To: "router/50.1.1.200", Verdict: "unknown", Text: "which is kept"}}}
			}
			return model.Trace{}
		},
	}), nil, history.Keep{})
	drop := func(table string, priority uint16, owner string) []model.TraceStep {
		return []model.TraceStep{{Table: "classify", Does: "continue"}, {Table: table, Priority: priority, Owner: owner, Match: "such", Does: "drop"}}
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
		{"an old agent", "8.8.8.8", model.TraceExit{To: "host"}, nil, "unknown", []string{"its agent has an older version"}},
		{"a router outside", "8.8.8.8", model.TraceExit{To: "router/50.1.1.200", Verdict: "allowed", Text: "with which a session is established"}, nil, "allowed", nil},
		{"its session has ended", "8.8.8.8", model.TraceExit{To: "router/50.1.1.200", Verdict: "unknown", Text: "which is kept"}, nil, "unknown",
			[]string{"sends it to router 50.1.1.200 outside, which is kept"}},
		{"across hosts by a router, whose other session has ended", "c2", model.TraceExit{To: "router/50.1.1.200", Verdict: "allowed", Text: "with a session"}, nil, "unknown",
			[]string{"of the answer, h2 takes it from endpoint/default:blue:c2, sends it to router 50.1.1.200 outside, which is kept"}},
		{"a table's miss", "8.8.8.8", model.TraceExit{}, []model.TraceStep{{Table: "nowhere", Owner: "switch/h1", Does: "drop", Means: "no endpoint has that address"}}, "disagree", []string{"no endpoint has that address (table nowhere)"}},
		{"what is closed to containers", "8.8.8.8", model.TraceExit{}, []model.TraceStep{{Table: "shut", Owner: "switch/h1", Does: "drop", Means: "it is closed to containers"}}, "denied",
			[]string{"but what is closed to containers is opened by no object: h1", "it is closed to containers (table shut)", "opens it to all containers"}},
		{"a flow of every switch", "8.8.8.8", model.TraceExit{}, drop("route", 33000, "switch/h1"), "disagree", []string{"no switch lets such packets pass: such (table route)"}},
		{"a flow of an object", "8.8.8.8", model.TraceExit{}, drop("route", 33000, "network/default:blue"), "disagree", []string{"network/default:blue does not let it pass: such (table route)"}},
		{"a flow that is gone meanwhile", "8.8.8.8", model.TraceExit{}, drop("route", 33000, ""), "disagree", []string{"no object caused does not let it pass: such"}},
		{"a foreign flow drops it", "8.8.8.8", model.TraceExit{}, []model.TraceStep{{Table: "route", Priority: 7, Does: "drop", Foreign: true, Flow: "priority=7 actions=drop"}}, "disagree",
			[]string{"added or changed outside Contiv does not let it pass: priority=7 actions=drop", "netctl drift h1 --repair"}},
		{"a foreign flow lets it pass", "8.8.8.8", model.TraceExit{To: "host", Verdict: "allowed", Text: "which routes it"},
			[]model.TraceStep{{Table: "route", Does: "out", Foreign: true, Flow: "priority=7 actions=output:1"}}, "allowed",
			[]string{"On h1 it meets a flow added or changed outside Contiv: priority=7 actions=output:1.", "netctl drift h1 --repair"}},
		{"the hosts' own addresses", "172.19.255.254", model.TraceExit{}, drop("route", 33000, "switch/h1"), "denied", []string{"addresses by which hosts know their containers"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			exit, steps = r.exit, r.steps
			got, err := asker.Ask(t.Context(), model.WhyRequest{From: "c1", To: r.to})
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

// Tenants may have the same addresses and names: an end without a tenant is one of the other end's tenant.
func TestWhyOfOneTenant(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "tenant acme")
	for tenant, network := range map[string]string{"default": "blue", "acme": "red"} {
		w.Must(t, "network "+network+" encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254 tenantName="+tenant,
			"service shop networkName="+network+" selectors=app=x ports=80:80:TCP ipAddress=10.1.1.99 tenantName="+tenant)
	}
	w.Must(t, "attach blue c1", "attach blue db", "attach red a1 tenantName=acme", "attach red db tenantName=acme", "attach red a3 tenantName=acme")
	asker := why.New(w.Catalog, switches(nil), nil, history.Keep{})
	for _, r := range []struct{ name, from, to, fromIs, toIs, fails string }{
		{"an address of both", "c1", "10.1.1.2", "default:blue:c1", "default:blue:db", ""},
		{"asked by the other", "a1", "10.1.1.2", "acme:red:a1", "acme:red:db", ""},
		{"an address that only the other has", "c1", "10.1.1.3", "default:blue:c1", "10.1.1.3", ""},
		{"from it", "10.1.1.3", "c1", "10.1.1.3", "default:blue:c1", ""},
		{"a name of both", "c1", "db", "default:blue:c1", "default:blue:db", ""},
		{"from a name of both", "db", "a1", "acme:red:db", "acme:red:a1", ""},
		{"a service of both", "a1", "shop", "acme:red:a1", "acme:shop", ""},
		{"by its address", "a1", "10.1.1.99", "acme:red:a1", "acme:shop", ""},
		{"said with its kind", "c1", "endpoint/10.1.1.3", "default:blue:c1", "acme:red:a3", ""},
		{"a name that only the other has", "c1", "a3", "default:blue:c1", "acme:red:a3", ""},
		{"ambiguous", "db", "shop", "", "", "may be"},
	} {
		got, err := asker.Ask(t.Context(), model.WhyRequest{From: r.from, To: r.to, Protocol: "tcp", Port: 80})
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

// If hosts access containers directly, the switch is the gateway of networks without one, in each family: their containers answer.
func TestWhyWithoutGateway(t *testing.T) {
	for _, r := range []struct {
		name, access, lone string
		verdict            model.Verdict
		text               string
	}{
		{"private", "private", "encap=vlan subnet=10.9.1.0/24", "denied", "network default:lone has no gateway"},
		{"direct", "direct", "encap=vlan subnet=10.9.1.0/24", "allowed", "the switches agree"},
		{"direct, with a router outside", "direct", "encap=vlan subnet=10.9.1.0/24 gateway=10.9.1.254", "unknown", "a router outside of Contiv"},
		{"direct, with one of the other family", "direct", "encap=vlan subnet=10.9.1.0/24 ipv6Subnet=fd09::/64 ipv6Gateway=fd09::fe", "allowed", "the switches agree"},
	} {
		t.Run(r.name, func(t *testing.T) {
			w := enginetest.Start(t, enginetest.Options{})
			w.Must(t, "global global hostAccess="+r.access, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "network lone "+r.lone,
				"attach blue c1 host=h1", "attach lone c2 host=h1")
			asker := why.New(w.Catalog, exits(map[string]func(model.TraceRequest) []model.TraceExit{
				"h1": func(q model.TraceRequest) []model.TraceExit {
					if q.From == "endpoint/default:blue:c1" {
						return to("endpoint/default:lone:c2", "")
					}
					return to("endpoint/default:blue:c1", "")
				},
			}), nil, history.Keep{})
			got, err := asker.Ask(t.Context(), model.WhyRequest{From: "c1", To: "c2", Protocol: "tcp", Port: 80})
			if err != nil || got.Verdict != r.verdict || !strings.Contains(got.Text, r.text) {
				t.Errorf("want %s and %q, got %s: %s, %v", r.verdict, r.text, got.Verdict, got.Text, err)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/why"
)

// switches returns a Tracer that answers with the traces of each host; a host whose trace is nil does not answer.
func switches(traces map[string]func(model.TraceRequest) model.Trace) why.Tracer {
	return func(_ context.Context, host string, ask model.TraceRequest) (model.Trace, error) {
		trace := traces[host]
		if trace == nil {
			return model.Trace{}, model.Errorf(model.CodeNotReady, "host", "the agent of %s: no switch", host)
		}
		out := trace(ask)
		out.Host, out.After = host, ask.Packet
		return out, nil
	}
}

// exits returns a Tracer whose packets leave at the given exits, or are dropped if there are none.
func exits(hosts map[string]func(model.TraceRequest) []model.TraceExit) why.Tracer {
	traces := map[string]func(model.TraceRequest) model.Trace{}
	for host, exit := range hosts {
		if exit == nil {
			continue
		}
		traces[host] = func(ask model.TraceRequest) model.Trace {
			out := model.Trace{Outputs: exit(ask), Steps: []model.TraceStep{{Table: "bridge", Owner: "switch/" + host, Does: "drop", Means: "no endpoint on the network has the destination's Ethernet address"}}}
			if out.Outputs == nil && ask.Packet.DstPort == 22 {
				out.Steps = []model.TraceStep{{Table: "policy_in", Owner: "rule/default:p:ssh"}, {Table: "refuse", Does: "drop"}}
			}
			return out
		}
	}
	return switches(traces)
}

func to(exit, network string) []model.TraceExit {
	return []model.TraceExit{{To: exit, Network: network}}
}

// An answer has the verdicts of the objects and of the switches, their agreement, and the names of both ends.
func TestWhy(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "network lone encap=vxlan subnet=10.9.1.0/24",
		"policy p", "rule p:ssh direction=in protocol=tcp port=22 action=deny", "group web networkName=blue policies=p",
		"attach blue web-1 group=web host=h1", "attach blue db-1 host=h2", "attach blue db-2 host=h3", "attach lone lonely host=h1")
	fromTunnel := func(q model.TraceRequest) bool { return strings.HasPrefix(q.From, "host/") }
	asker := why.New(w.Catalog, exits(map[string]func(model.TraceRequest) []model.TraceExit{
		"h1": func(q model.TraceRequest) []model.TraceExit {
			switch {
			case q.Packet.DstPort == 22 || q.Packet.DstPort == 99:
				return nil // 22 as the rule says, 99 for no reason
			case fromTunnel(q) && q.Packet.Dst == "10.9.1.1":
				return to("endpoint/default:lone:lonely", "")
			case fromTunnel(q):
				return to("endpoint/default:blue:web-1", "")
			}
			return to("host/h2", "default:blue")
		},
		"h2": func(q model.TraceRequest) []model.TraceExit {
			switch {
			case fromTunnel(q):
				return to("endpoint/default:blue:db-1", "")
			case q.Packet.Dst == "8.8.8.8":
				return []model.TraceExit{{To: "host", Verdict: model.VerdictAllowed, Text: "which routes it on by eth0"}}
			}
			return to("host/h1", "default:blue")
		},
		"h3": nil,
	}), nil, history.Keep{})
	rows := []struct {
		name, from, to string
		protocol       string
		port           int
		verdict        model.Verdict
		intent         model.Verdict
		text           string // part of it, or of the error
		there, back    int
	}{
		{name: "allowed", from: "db-1", to: "web-1", verdict: "allowed", intent: "allowed", text: "no rule speaks of a ping, so it passes; the switches agree", there: 2, back: 2},
		{name: "denied by a rule", from: "db-1", to: "group/web", port: 22, verdict: "denied", intent: "denied", text: "rule default:p:ssh denies tcp 22; the switches agree", there: 2},
		{name: "denied by a rule, the group by its key", from: "db-1", to: "group/default:web", port: 22, verdict: "denied", intent: "denied", text: "rule default:p:ssh denies tcp 22; the switches agree", there: 2},
		{name: "the switches deny", from: "db-1", to: "10.1.1.1", protocol: "udp", port: 99, verdict: "disagree", intent: "allowed", text: "But the switches: h1 takes it from the tunnel of host h2, drops it: no endpoint on the network", there: 2},
		{name: "an agent is silent", from: "db-2", to: "web-1", verdict: "unknown", intent: "allowed", text: "h3 was not asked: the agent of h3: no switch", there: 1},
		{name: "outside", from: "db-1", to: "8.8.8.8", verdict: "allowed", intent: "allowed", text: "the switches agree", there: 1},
		{name: "from outside", from: "8.8.8.8", to: "web-1", verdict: "unknown", intent: "allowed", text: "No switch can be asked"},
		{name: "no gateway", from: "lonely", to: "8.8.8.8", verdict: "denied", intent: "denied", text: "network default:lone has no gateway, and 8.8.8.8 is not on it: it cannot be sent"},
		{name: "no gateway to answer by", from: "db-1", to: "lonely", verdict: "denied", intent: "allowed",
			text: "and the switches let it go; but of the answer, h1 has no way to 10.1.1.2 for endpoint default:lone:lonely: network default:lone has no gateway. On host h1: make a network with a gateway", there: 2, back: 1},
		{name: "ambiguous", from: "db", to: "web-1", text: `"db" may be endpoint/default:blue:db-1, endpoint/default:blue:db-2 (say one`},
		{name: "unknown", from: "db-1", to: "absent", text: `nothing is called "absent"`},
		{name: "icmp has no port", from: "db-1", to: "web-1", protocol: "icmp", port: 7, text: "icmp has no ports"},
		{name: "tcp without a port", from: "db-1", to: "web-1", protocol: "tcp", text: "tcp needs the port"},
		{name: "unknown protocol", from: "db-1", to: "web-1", protocol: "gre", text: "cannot be followed"},
		{name: "nothing to ask", to: "web-1", text: "the sender is missing"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, err := asker.Ask(t.Context(), model.WhyRequest{From: r.from, To: r.to, Protocol: r.protocol, Port: r.port})
			if r.verdict == "" {
				if err == nil || !strings.Contains(err.Error(), r.text) {
					t.Errorf("want an error with %q, got %v", r.text, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != r.verdict || got.Intent.Verdict != r.intent || !strings.Contains(got.Text, r.text) ||
				len(got.Forward.Hops) != r.there || len(got.Reverse.Hops) != r.back {
				t.Errorf("want %s (%s) with %q in %d and %d hops, got %+v", r.verdict, r.intent, r.text, r.there, r.back, got)
			}
		})
	}
}

// A host is an end with its address in the hosts' own network; without one, the answer explains how the host gets it. The addresses of
// both ends are of one family.
func TestWhyOfHosts(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254 ipv6Subnet=fd01::/64 ipv6Gateway=fd01::fe",
		"service shop networkName=blue selectors=app=shop ports=80:8080:TCP ipAddress=10.1.1.99", "attach blue web-1 host=h1", "start blue web-1 labels=app:shop")
	w.Registered(t, "h1", "192.0.2.1:9999")
	asked := ""
	asker := why.New(w.Catalog, exits(map[string]func(model.TraceRequest) []model.TraceExit{"h1": func(q model.TraceRequest) []model.TraceExit {
		asked = q.From + " " + q.Packet.Src + " to " + q.Packet.Dst
		return to("endpoint/default:blue:web-1", "")
	}}), nil, history.Keep{})
	why := func(from, to string, port int, verdict model.Verdict, text string) {
		t.Helper()
		q := model.WhyRequest{From: from, To: to, Port: port}
		if got, err := asker.Ask(t.Context(), q); err != nil || got.Verdict != verdict || !strings.Contains(got.Text, text) {
			t.Errorf("%s to %s: want %s with %q, got %+v, %v", from, to, verdict, text, got, err)
		}
	}
	why("host/h1", "shop", 80, model.VerdictDenied, "it cannot be sent. Make a network for the hosts: netctl network create contivh1 -t default --nw-type infra")
	why("host/h1", "web-1", 80, model.VerdictUnknown, "No switch can be asked")
	w.Must(t, "network contivh1 encap=vxlan subnet=10.9.1.0/24 nwType=infra")
	why("host/h1", "shop", 80, model.VerdictDenied, "h1 has no interface in network default:contivh1: it cannot be sent. Its netplugin")
	w.Must(t, "attach contivh1 h1 host=h1")
	if why("host/h1", "shop", 80, model.VerdictAllowed, ""); asked != "endpoint/default:contivh1:h1 10.9.1.1 to 10.1.1.99" {
		t.Errorf("the switch was asked about %q", asked)
	}
	if why("web-1", "2001:db8::77", 80, model.VerdictAllowed, "the switches agree"); asked != "endpoint/default:blue:web-1 fd01::1 to 2001:db8::77" {
		t.Errorf("the switch was asked about %q", asked)
	}
	why("web-1", "fd01::77", 80, model.VerdictDisagree, "no container has fd01::77, an address of network default:blue. But the switches")
	why("web-1", "fd01::fe", 80, model.VerdictDisagree, "fd01::fe is the gateway of network default:blue, which answers only pings and DNS queries. But the switches")
	why("host/h1", "fd01::1", 80, model.VerdictUnknown, "No switch can be asked")
	w.Must(t, "attach contivh1 four host=h1")
	why("endpoint/default:contivh1:four", "fd01::1", 80, model.VerdictDenied, "four has no address of that family")
}

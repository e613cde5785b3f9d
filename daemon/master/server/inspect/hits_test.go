// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Inspecting a rule or a policy asks all agents for the counters, adds them up, and names who did not answer.
func TestRuleHits(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Policys(), &model.Policy{TenantName: "default", PolicyName: "p"})
	mastertest.Put(t, m.Rules(), &model.Rule{TenantName: "default", PolicyName: "p", RuleId: "r1", Direction: "in", Priority: 1, Action: "deny"})
	for host, packets := range map[string]uint64{"h1": 3, "h2": 4, "h3": 0} {
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if host == "h3" || q.URL.Path != "/inspect/rules" || !strings.HasPrefix("default:p:r1", q.URL.Query().Get("of")) {
				http.Error(w, "no", http.StatusServiceUnavailable)
				return
			}
			_ = json.NewEncoder(w).Encode([]model.RuleStatus{{Rule: "default:p:r1", Group: "web:default", Phase: "done", Packets: packets, Bytes: 100 * packets}})
		}))
		defer agent.Close()
		m.Registered(t, host, agent.Listener.Addr().String())
	}
	rule, err := m.Rules().Inspect(t.Context(), "default", "p", "r1")
	if err != nil {
		t.Fatal(err)
	}
	if rule.Oper.Packets != 7 || rule.Oper.Bytes != 700 {
		t.Errorf("counters: want 7 and 700, got %+v", rule.Oper)
	}
	want := []string{"h1 web:default done: 3 packets, 300 bytes", "h2 web:default done: 4 packets, 400 bytes"}
	if got := rule.Oper.Hosts; len(got) != 3 || !slices.Equal(got[:2], want) || !strings.HasPrefix(got[2], "h3 ") || !strings.Contains(got[2], "503") {
		t.Errorf("hosts: want %q and that h3 did not answer, got %q", want, got)
	}
	policy, err := m.Policys().Inspect(t.Context(), "default", "p")
	if err != nil {
		t.Fatal(err)
	}
	if got := policy.Oper.Hits; len(got) != 3 || got[1] != "r1 "+want[0] || got[2] != "r1 "+want[1] {
		t.Errorf("policy: want the lines of its rule and that h3 did not answer, got %q", got)
	}
}

// TestServiceLoad: inspecting a service adds up what its providers got from the clients of all hosts.
func TestServiceLoad(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network yellow encap=vlan subnet=10.1.1.0/24", "service shop networkName=yellow selectors=tier=web ports=80:8080:TCP")
	line := func(port, backend string, n uint64) model.ServiceStatus {
		return model.ServiceStatus{Service: "default:shop", Port: port, Backend: backend, Phase: "done", Connections: n, PacketsIn: 10 * n, BytesIn: 100 * n,
			PacketsOut: 20 * n, BytesOut: 200 * n}
	}
	for host, list := range map[string][]model.ServiceStatus{
		"h1": {line("tcp/80", "10.1.1.1", 1), line("tcp/80", "10.1.1.2", 2)},
		"h2": {line("tcp/80", "10.1.1.2", 3), line("udp/53", "10.1.1.1", 4)},
		"h3": {{Service: "default:shop", Port: "tcp/80", Phase: "error", Error: "no room"}},
		"h4": nil,
		"h5": {},
	} {
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if list == nil || q.URL.Path != "/inspect/services" || q.URL.Query().Get("of") != "default:shop" {
				http.Error(w, "no", http.StatusServiceUnavailable)
				return
			}
			_ = json.NewEncoder(w).Encode(list)
		}))
		defer agent.Close()
		m.Registered(t, host, agent.Listener.Addr().String())
	}
	got, err := m.ServiceLBs().Inspect(t.Context(), "default", "shop")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tcp/80 10.1.1.1: 1 connections, in 10 packets, 100 bytes, out 20 packets, 200 bytes",
		"tcp/80 10.1.1.2: 5 connections, in 50 packets, 500 bytes, out 100 packets, 1000 bytes",
		"udp/53 10.1.1.1: 4 connections, in 40 packets, 400 bytes, out 80 packets, 800 bytes"}
	if o := got.Oper; o.Connections != 10 || !slices.Equal(o.Load, want) {
		t.Errorf("load: want 10 connections and %q, got %d and %q", want, o.Connections, o.Load)
	}
	if h := got.Oper.Hosts; len(h) != 4 || h[0] != "h1 done" || h[2] != "h3 error: no room" || !strings.HasPrefix(h[3], "h4 ") || !strings.Contains(h[3], "503") {
		t.Errorf("hosts: want h1 and h2 done, h3 with its error, and that h4 did not answer, got %q", h)
	}
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// switchAt registers the agent of a host, which counts the packets of a rule; -1: it does not answer.
func switchAt(t *testing.T, m *mastertest.Master, host string, packets int) {
	t.Helper()
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/inspect/counters" || packets < 0 {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(model.HostCounters{Host: host, ReadAt: time.Unix(1, 0), Rules: []model.RuleCounter{
			{Rule: "default:p:1", Group: "default:web", Hits: model.FlowCount{Packets: uint64(packets)}}, {Rule: "default:p:1", Group: "default:db", Hits: model.FlowCount{Packets: 1}}}})
	}))
	t.Cleanup(agent.Close)
	m.Registered(t, host, agent.Listener.Addr().String())
}

// Wide tables have the packets of rules: the sum over hosts and groups, and what is unknown of silent hosts.
func TestPacketsOfRules(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "policy p", "rule p:1 direction=in action=deny", "rule p:2 direction=out action=deny")
	switchAt(t, m, "h1", 2)
	last := func(line string) (cells string) {
		t.Helper()
		got := netctl(t, t.Context(), m.URL, strings.Fields(line)...)
		if got.code != 0 {
			t.Fatalf("netctl %s: %+v", line, got)
		}
		for row := range strings.Lines(got.out) {
			if words := strings.Fields(row); len(words) > 3 && words[0] != "Rule" && words[0] != "Tenant" && !strings.HasPrefix(row, "-") {
				cells += words[len(words)-1] + " "
			}
		}
		return cells
	}
	lines := []string{"policy rule-ls p -o wide", "get rules -o wide", "get rule p:1 p:2 -o wide"}
	for _, line := range lines {
		if got := last(line); got != "3 - " {
			t.Errorf("netctl %s: want 3 and none, got %q", line, got)
		}
	}
	switchAt(t, m, "h2", -1)
	for _, line := range lines {
		if got := last(line); got != "3+ ? " {
			t.Errorf("netctl %s: want at least 3, and unknown, got %q", line, got)
		}
	}
	if got := last("policy rule-ls p"); got != "deny deny " {
		t.Errorf("other tables do not ask the agents, got %q", got)
	}
}

// The list of services has the providers on hosts whose agents run, and all.
func TestReadyProviders(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network n encap=vxlan subnet=10.1.1.0/24", "service s networkName=n selectors=app=db ports=80:80:TCP")
	m.Endpoint(t, "default", "n", "", "c1", "")
	providers := func() string {
		t.Helper()
		got := netctl(t, t.Context(), m.URL, "service", "ls", "--no-headers")
		words := strings.Fields(got.out)
		if got.code != 0 || len(words) == 0 {
			t.Fatalf("%+v", got)
		}
		return words[len(words)-1]
	}
	if got := providers(); got != "0/0" {
		t.Errorf("without providers: got %s", got)
	}
	if err := m.UpdateEndpoint(t.Context(), model.UpdateEndpointRequest{Tenant: "default", Network: "n", Event: "start", ContainerID: "c1", EndpointID: "c1", Labels: map[string]string{"app": "db"}}); err != nil {
		t.Fatal(err)
	}
	if got := providers(); got != "0/1" {
		t.Errorf("on a host without an agent: got %s", got)
	}
	switchAt(t, m, "h1", 0)
	if got := providers(); got != "1/1" {
		t.Errorf("with an agent: got %s", got)
	}
}

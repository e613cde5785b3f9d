// SPDX-License-Identifier: Apache-2.0

package nodes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The node of a host whose agent has fewer interfaces than the host has endpoints says so, and names the command that lists them.
func TestNodesReportMissingInterfaces(t *testing.T) {
	status := model.AgentStatus{Host: "h1", Ready: true, Since: "2030-01-02T15:04:05Z", Endpoints: 1, Differs: 3}
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", "192.0.2.1:9090")
	report := m.Reporting(t, "h1")
	if _, err := m.Put(context.Background(), &model.Network{TenantName: "default", NetworkName: "n", Encap: "vxlan", Subnet: "10.1.1.0/24"}); err != nil {
		t.Fatal(err)
	}
	for _, container := range []string{"c1", "c2", "c3"} {
		m.Endpoint(t, "default", "n", "", container, "")
	}
	for _, row := range []struct {
		attached, differs, missing int
		errors                     []model.OwnerStatus
		docker                     *model.DockerStatus
		want                       string
	}{
		{1, 3, 2, nil, nil, "2 of 3 endpoints have no interface there; netctl drift h1 names them"},
		{3, 1, 0, nil, nil, "1 things are not as they should be there; netctl drift h1 names them"},
		{1, 0, 2, []model.OwnerStatus{{Owner: "endpoint/n.default-c1", Error: "refused"}}, nil, "endpoint/n.default-c1: refused"},
		{1, 0, 2, []model.OwnerStatus{{Owner: "endpoint/n.default-c3", Error: "removed"}, {Owner: "endpoint/n.default-c1", Error: "refused"}}, nil, "endpoint/n.default-c1: refused"},
		{1, 0, 2, []model.OwnerStatus{{Owner: "endpoint/n.default-c3", Error: "removed"}}, nil, "endpoint/n.default-c3: removed"},
		{4, 0, 0, nil, nil, ""}, // one is being detached
		{3, 0, 0, nil, &model.DockerStatus{Here: true}, ""},
		{3, 0, 0, nil, &model.DockerStatus{Reason: "connection refused"}, "the Docker engine is away: connection refused"},
		{3, 0, 0, nil, &model.DockerStatus{Here: true, Problems: []model.DockerProblem{{Network: "n", Problem: "not made"}}}, "network n of Docker: not made"},
	} {
		status.Findings = []model.Finding{{Code: model.FindingContainerInterface, Severity: model.SeverityError, Object: "endpoint/n.default-c3", Host: "h1"}}
		status.Endpoints, status.Differs, status.Errors, status.Docker = row.attached, row.differs, row.errors, row.docker
		report(status, m.Relay.Wanted("h1"))
		nodes, err := m.Nodes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		n := nodes[len(nodes)-1]
		named := 0
		for _, e := range row.errors {
			if e.Owner == "endpoint/n.default-c3" {
				named++
			}
		}
		if n.Errors != len(row.errors) || n.Named != named {
			t.Errorf("%+v: want %d of %d errors named by a finding, got %d of %d", row.errors, named, len(row.errors), n.Named, n.Errors)
		}
		if n.Name != "h1" || n.Missing != row.missing || n.Differs != row.differs || n.Reason != row.want {
			t.Errorf("%d attached: want %d missing because of %q, got %+v", row.attached, row.missing, row.want, n)
		}
	}
}

// A new endpoint that an agent's report does not know yet is not missing: the agent reports which of the endpoints that it knows have no interface.
func TestNodesReportOneMoment(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", "192.0.2.1:9090")
	report := m.Reporting(t, "h1")
	if _, err := m.Put(context.Background(), &model.Network{TenantName: "default", NetworkName: "n", Encap: "vxlan", Subnet: "10.1.1.0/24"}); err != nil {
		t.Fatal(err)
	}
	m.Endpoint(t, "default", "n", "", "c1", "")
	for portless, want := range []string{"", "1 of 1 endpoints have no interface there; netctl drift h1 names them", "2 of 2 endpoints have no interface there; netctl drift h1 names them"} {
		report(model.AgentStatus{Host: "h1", Ready: true, Since: "2030-01-02T15:04:05Z", Portless: &portless}, m.Relay.Wanted("h1"))
		nodes, err := m.Nodes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if n := nodes[len(nodes)-1]; n.Missing != portless || n.Reason != want {
			t.Errorf("%d without an interface: want %q, got %+v", portless, want, n)
		}
	}
}

// The node of an agent whose state is unknown has the reason.
func TestUnknownNodes(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", "192.0.2.1:9090")
	says := func(when, want string) {
		t.Helper()
		nodes, err := m.Nodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := nodes[len(nodes)-1]; n.Name != "h1" || n.Ready || n.Answered() || !strings.Contains(n.Reason, want) || n.Address != "192.0.2.1:9090" {
			t.Errorf("%s: want %q, got %+v", when, want, n)
		}
	}
	says("before it has a stream", "not connected to any netmaster")
	report := m.Reporting(t, "h1")
	says("before it has reported", "has not reported its state yet")
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "attach blue c1 host=h1")
	m.Relay.Sync()
	wanted := m.Relay.Wanted("h1")
	report(model.AgentStatus{Ready: true, Since: "2030-01-02T15:04:05Z"}, wanted-1)
	if nodes, err := m.Nodes(t.Context()); err != nil || nodes[len(nodes)-1].Lag != 1 || !nodes[len(nodes)-1].Ready {
		t.Errorf("one revision behind: want a lag of 1, got %+v, %v", nodes, err)
	}
	if _, err := m.Registrar.Leave(t.Context(), "h1", ""); err != nil {
		t.Fatal(err)
	}
	if nodes, err := m.Nodes(t.Context()); err != nil || nodes[len(nodes)-1].Down {
		t.Errorf("stopped, with a stream still: want it not down, got %+v, %v", nodes, err)
	}
	report(model.AgentStatus{}, wanted)
	if _, err := m.Forget(t.Context(), model.ForgetRequest{Host: "h1"}); err != nil {
		t.Fatal(err)
	}
	nodes, err := m.Nodes(t.Context())
	if err != nil || !strings.Contains(nodes[len(nodes)-1].Reason, "not registered, but 1 endpoints are on it") {
		t.Errorf("forgotten: want its endpoint reported, got %+v, %v", nodes, err)
	}
}

// A netmaster that asks another for the sessions of its agents gets the statuses that are newer than it names, and with brief none.
func TestSessionsSince(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", "192.0.2.1:9090")
	report := m.Reporting(t, "h1")
	ask := func(query string) channel.Session {
		t.Helper()
		code, text, _ := mastertest.Fetch(t, m.URL+channel.SessionsPath+query)
		var out []channel.Session
		if err := json.Unmarshal([]byte(text), &out); code != http.StatusOK || err != nil || len(out) != 1 {
			t.Fatalf("want one session, got %d, %s, %v", code, text, err)
		}
		return out[0]
	}
	report(model.AgentStatus{Host: "h1", Flows: 1}, 1)
	first := ask("")
	if first.Changed == 0 || !strings.Contains(string(first.Status), `"flows":1`) {
		t.Errorf("want a numbered status, got %+v", first)
	}
	since := fmt.Sprintf("?since=%d", first.Changed)
	if got := ask(since); got.Changed != first.Changed || got.Status != nil {
		t.Errorf("want no status again, got %+v", got)
	}
	report(model.AgentStatus{Host: "h1", Flows: 2}, 2)
	if got := ask(since); got.Changed <= first.Changed || !strings.Contains(string(got.Status), `"flows":2`) {
		t.Errorf("want the newer status, got %+v", got)
	}
	if got := ask("?brief=true"); got.Status != nil {
		t.Errorf("want no status in brief, got %+v", got)
	}
}

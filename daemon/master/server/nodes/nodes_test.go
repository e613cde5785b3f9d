package nodes_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// A host whose agent has fewer interfaces than the host has endpoints says so, and names the command that tells which.
func TestNodesTellOfMissingInterfaces(t *testing.T) {
	status := model.AgentStatus{Host: "h1", Ready: true, Since: "2030-01-02T15:04:05Z", Endpoints: 1, Differs: 3}
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(status) }))
	defer agent.Close()
	m := mastertest.Start(t, mastertest.Options{})
	m.Register(t, "h1", agent.Listener.Addr().String())
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
		{4, 0, 0, nil, nil, ""}, // one is being detached
		{3, 0, 0, nil, &model.DockerStatus{Here: true}, ""},
		{3, 0, 0, nil, &model.DockerStatus{Reason: "connection refused"}, "the Docker engine is away: connection refused"},
		{3, 0, 0, nil, &model.DockerStatus{Here: true, Problems: []model.DockerProblem{{Network: "n", Problem: "not made"}}}, "network n of Docker: not made"},
	} {
		status.Endpoints, status.Differs, status.Errors, status.Docker = row.attached, row.differs, row.errors, row.docker
		nodes, err := m.Nodes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		n := nodes[len(nodes)-1]
		if n.Name != "h1" || n.Missing != row.missing || n.Differs != row.differs || n.Reason != row.want {
			t.Errorf("%d attached: want %d missing because of %q, got %+v", row.attached, row.missing, row.want, n)
		}
	}
}

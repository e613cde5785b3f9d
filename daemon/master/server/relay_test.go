package server_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// register tells the master of an agent.
func register(t testing.TB, m *mastertest.Master, host, address string) {
	t.Helper()
	ip, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	instance := record.Service{ServiceName: record.ServiceAgent, HostAddr: ip, Port: port, Hostname: host}
	value, err := json.Marshal(instance)
	if err != nil {
		t.Fatal(err)
	}
	tx := &store.Tx{}
	tx.Put(instance.Key(), value)
	rev, err := m.Store.Commit(context.Background(), tx)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Catalog.Wait(context.Background(), rev); err != nil {
		t.Fatal(err)
	}
}

// What an agent shows is had from any master, and who does not answer is named.
func TestInspectAgents(t *testing.T) {
	ctx := context.Background()
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/inspect/flows" && q.URL.Query().Get("owner") == "endpoint/n.t-c":
			_, _ = w.Write([]byte(`[{"table":"source","packets":7,"rate":{"packets":1.5,"bytes":90}}]`))
		case q.URL.Path == "/inspect/ports":
			http.Error(w, "the switch is gone", http.StatusServiceUnavailable)
		default:
			http.NotFound(w, q)
		}
	}))
	defer agent.Close()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.Close()
	m := mastertest.Start(t, mastertest.Options{})
	register(t, m, "h1", agent.Listener.Addr().String())
	register(t, m, "h2", dead.Addr().String())

	flows, err := m.Flows(ctx, "h1", "endpoint/n.t-c", "")
	if err != nil || len(flows) != 1 || flows[0].Packets != 7 || flows[0].Rate.Packets != 1.5 {
		t.Errorf("want the agent's flow, got %+v, %v", flows, err)
	}
	rows := []struct {
		name, host, what string
		code             model.Code
	}{
		{"an unknown host", "h9", "flows", model.CodeNotFound},
		{"an agent that is down", "h2", "flows", model.CodeNotReady},
		{"an agent in trouble", "h1", "ports", model.CodeNotReady},
		{"nothing of this name", "h1", "weather", model.CodeNotFound},
		{"no name at all", "h1", "..", model.CodeInvalid},
	}
	for _, r := range rows {
		var out any
		err := m.Client.Inspect(ctx, r.host, r.what, nil, &out)
		if !client.IsCode(err, r.code) {
			t.Errorf("%s: want %s, got %v", r.name, r.code, err)
		}
	}
}

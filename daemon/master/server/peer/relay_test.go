// SPDX-License-Identifier: Apache-2.0

package peer_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Any master relays what an agent shows, and names an agent that does not answer.
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
	m.Registered(t, "h1", agent.Listener.Addr().String())
	m.Registered(t, "h2", dead.Addr().String())

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

// Any master relays the metrics of an agent, and names an agent that does not answer.
func TestMetricsOfAgents(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/metrics" || q.Method != http.MethodGet {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = w.Write([]byte("contiv_agent_flows 7\n"))
	}))
	defer agent.Close()
	m := mastertest.Start(t, mastertest.Options{})
	m.Registered(t, "h1", agent.Listener.Addr().String())
	for _, row := range []struct {
		host, want string
		code       int
	}{{"h1", "contiv_agent_flows 7\n", http.StatusOK}, {"h9", "no agent of host", http.StatusInternalServerError}} { // as a client that does not ask for JSON gets errors
		answer, err := http.Get(m.URL + "/metrics/" + row.host)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != row.code || !strings.Contains(string(text), row.want) {
			t.Errorf("%s: want %d with %q, got %d %q", row.host, row.code, row.want, answer.StatusCode, text)
		}
	}
}

// A repair is passed on, and nothing else that an agent might do.
func TestDriftIsRelayed(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/inspect/drift" {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		_ = json.NewEncoder(w).Encode(model.Drift{Host: q.Method})
	}))
	defer agent.Close()
	m.Registered(t, "h1", agent.Listener.Addr().String())
	for _, row := range []struct {
		repair bool
		want   string
	}{{false, "GET"}, {true, "POST"}} {
		if got, err := m.Drift(t.Context(), "h1", row.repair); err != nil || got.Host != row.want {
			t.Errorf("repair %t: want the agent asked by %s, got %+v, %v", row.repair, row.want, got, err)
		}
	}
	if _, err := m.Drift(t.Context(), "h2", true); !client.IsCode(err, model.CodeNotFound) {
		t.Errorf("unknown host: want not found, got %v", err)
	}
}

// A question whether one end reaches another is taken to the switch of the sender's host.
func TestWhyAsksAgents(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "attach blue c1 host=h1", "attach blue c2 host=h1")
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var ask model.TraceRequest
		if err := json.Unmarshal([]byte(q.URL.Query().Get("of")), &ask); err != nil || q.URL.Path != "/inspect/trace" {
			http.NotFound(w, q)
			return
		}
		to := map[string]string{"10.1.1.1": "endpoint/default:blue:c1", "10.1.1.2": "endpoint/default:blue:c2"}[ask.Packet.Dst]
		_ = json.NewEncoder(w).Encode(model.Trace{Host: "h1", After: ask.Packet, Outputs: []model.TraceExit{{To: to}}})
	}))
	defer agent.Close()
	ask := model.WhyRequest{From: "c1", To: "c2"}
	if got, err := m.Why(t.Context(), ask); err != nil || got.Verdict != model.VerdictUnknown || !strings.Contains(got.Text, `no agent of host "h1" is registered`) {
		t.Errorf("without an agent: want unknown, got %+v, %v", got, err)
	}
	m.Registered(t, "h1", agent.Listener.Addr().String())
	if got, err := m.Why(t.Context(), ask); err != nil || got.Verdict != model.VerdictAllowed || len(got.Forward.Hops) != 1 || len(got.Reverse.Hops) != 1 {
		t.Errorf("want allowed there and back, got %+v, %v", got, err)
	}
	ask.Network = "red"
	if _, err := m.Why(t.Context(), ask); !client.IsCode(err, model.CodeNotFound) {
		t.Errorf("narrowed to a network that does not exist: want not found, got %v", err)
	}
}

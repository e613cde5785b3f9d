// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// An endpoint is found by its key; a name is one's own before it is a part of another's.
func TestInspectEndpointByName(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	for _, tenant := range []string{"acme", "zeta"} {
		for _, o := range []model.Object{&model.Tenant{TenantName: tenant}, &model.Network{TenantName: tenant, NetworkName: "n", Encap: "vxlan", Subnet: "10.1.1.0/24"}} {
			if _, err := m.Put(ctx, o); err != nil {
				t.Fatal(err)
			}
		}
		m.Endpoint(t, tenant, "n", "", "web-10", "")
		m.Endpoint(t, tenant, "n", "", "web-1", "")
	}
	m.Endpoint(t, "zeta", "n", "", "web", "")
	for text, want := range map[string]string{"n.zeta-web-1": "n.zeta web-1", "n.acme-web-10": "n.acme web-10", "web-1": "n.acme web-1", "web": "n.zeta web", "eb-1": "n.acme web-1"} {
		got, err := m.Endpoints().Inspect(ctx, text)
		if err != nil || got.Oper.Network+" "+got.Oper.EndpointID != want {
			t.Errorf("%s: want %s, got %+v, %v", text, want, got.Oper, err)
		}
	}
}

// The agent of an endpoint's host reports what the endpoint has sent and received. Without the agent that is unknown.
func TestInspectTraffic(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	m.Endpoint(t, "default", "blue", "", "web", "")
	unknown, err := m.Endpoints().Inspect(t.Context(), "web")
	if err != nil || unknown.Oper.Counted != "unknown: no agent of host h1 is registered" {
		t.Errorf("without an agent: want it unknown, got %+v, %v", unknown.Oper, err)
	}
	answers := make(chan string, 1)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/inspect/traffic" {
			http.NotFound(w, q)
			return
		}
		if text := <-answers; text != "" && q.URL.RequestURI() == "/inspect/traffic?of=default%3Ablue%3Aweb" {
			_, _ = w.Write([]byte(text))
			return
		}
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	defer agent.Close()
	m.Registered(t, "h1", agent.Listener.Addr().String())
	for _, test := range []struct{ name, answer, want string }{
		{"both ways", `{"since":"2026-01-02T03:04:05Z","sent":{"packets":7,"bytes":700},"refused":{"packets":2,"bytes":200},"received":{"packets":5,"bytes":500}}`,
			"since 2026-01-02T03:04:05Z 7 700 2 5 500"},
		{"limited", `{"since":"2026-01-02T03:04:05Z","sent":{"packets":7,"bytes":700},"received":{"packets":5,"bytes":500},"limited":true}`,
			"since 2026-01-02T03:04:05Z; refused packets unknown; what the limit for receiving drops is among the received 7 700 0 5 500"},
		{"without a switch", "", "unknown: host h1: "},
	} {
		answers <- test.answer
		got, err := m.Endpoints().Inspect(t.Context(), "web")
		if err != nil {
			t.Fatal(err)
		}
		o := got.Oper
		said := fmt.Sprint(o.Counted, " ", o.PacketsSent, " ", o.BytesSent, " ", o.PacketsRefused, " ", o.PacketsReceived, " ", o.BytesReceived)
		if !strings.HasPrefix(said, test.want) {
			t.Errorf("%s: want %s, got %s", test.name, test.want, said)
		}
	}
}

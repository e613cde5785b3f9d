// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// A tenant's user sees only events of the tenant, whatever agents send, and only names of the tenant.
func TestObserve(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	for _, tenant := range []string{"blue", "red"} {
		m.Must(t, "tenant "+tenant, "network net-"+tenant+" tenantName="+tenant+" encap=vxlan subnet=10.1.1.0/24")
	}
	if _, _, err := m.As(agentH1).CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "red", NetworkName: "net-red", EndpointID: "c-red", ConfigEP: model.EndpointConfigRequest{Container: "c-red", Host: "h1"}}); err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 8)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked <- q.URL.Path + "?" + q.URL.RawQuery
		for i, e := range []model.Observed{{Verdict: model.ObservedOpened, Tenant: "blue"}, {Verdict: model.ObservedRefused, Tenant: "red"}, {Verdict: model.ObservedDropped},
			{Verdict: model.ObservedUnknown, Tenant: "red", Reason: "red is not tracked"}, {Verdict: model.ObservedUnknown, Reason: "too much"}} {
			e.Time = time.Unix(int64(i+1), 0)
			_ = json.NewEncoder(w).Encode(e)
		}
	}))
	defer agent.Close()
	m.Registered(t, "h1", agent.Listener.Addr().String())
	ann := login(t, m, "ann", "tenant-viewer", "blue")
	for _, r := range []struct {
		name string
		who  channel.Master
		ask  model.Observe
		want string // verdicts, or a part of the error
		code model.Code
	}{
		{"the tenant's", ann, model.Observe{Tenant: "blue"}, "opened unknown", ""},
		{"all", ann, model.Observe{}, "all tenants", model.CodeDenied},
		{"another's", ann, model.Observe{Tenant: "red"}, "", model.CodeDenied},
		{"by a name of another's", ann, model.Observe{Tenant: "blue", From: "c-red"}, `nothing is called "c-red"`, model.CodeNotFound},
		{"an administrator's", m.As(admin), model.Observe{From: "c-red"}, "opened refused unknown unknown", ""},
		{"by no tenant's name", m.As(admin), model.Observe{Tenant: "green"}, "green", model.CodeNotFound},
	} {
		var got []string
		var err error
		for e, wrong := range r.who.Client.Observe(t.Context(), r.ask) {
			if err = wrong; err == nil {
				got = append(got, string(e.Verdict))
			}
		}
		slices.Sort(got)
		if r.code != "" {
			if !client.IsCode(err, r.code) || !strings.Contains(err.Error(), r.want) || strings.Contains(err.Error(), "did you mean") || len(got) > 0 {
				t.Errorf("%s: want %s %q, got %q, %v", r.name, r.code, r.want, got, err)
			}
			continue
		}
		if err != nil || strings.Join(got, " ") != r.want {
			t.Errorf("%s: want %s, got %q, %v", r.name, r.want, got, err)
		}
		want := "/inspect/observed?since=5m0s&tenant=blue"
		if r.ask.Tenant == "" {
			want = "/inspect/observed?from=endpoint%2Fred%3Anet-red%3Ac-red&since=5m0s"
		}
		select {
		case got := <-asked:
			if got != want {
				t.Errorf("%s: want the agent asked %s, got %s", r.name, want, got)
			}
		default:
			t.Errorf("%s: no agent was asked", r.name)
		}
	}
}

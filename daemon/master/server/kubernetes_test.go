// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// No route changes an object that Kubernetes owns.
func TestOwnedByKubernetes(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	p := &model.NetworkPolicy{Namespace: "shop", Name: "web"}
	_, err := m.Put(t.Context(), p)
	mastertest.Refused(t, err, model.CodeUnsupported, "Kubernetes owns it")
	_, err = m.Delete(t.Context(), p.Kind(), "shop:web")
	mastertest.Refused(t, err, model.CodeUnsupported, "Kubernetes owns it")
	_, _, err = m.Apply(t.Context(), model.ApplyRequest{Objects: []model.ApplyObject{{Kind: "networkPolicy", Fields: map[string]any{"namespace": "shop", "name": "web"}}}})
	mastertest.Refused(t, err, model.CodeUnsupported, "Kubernetes owns it")
	for _, route := range []string{"history/networkPolicy", "history/networkPolicy?at=1", "history/networkPolicy/shop:web", "history/networkPolicy/shop:web?at=1"} {
		err := m.Raw(t.Context(), "/api/v1/"+route, &struct{}{})
		mastertest.Refused(t, err, model.CodeUnsupported, "no history of a network policy is kept")
	}
	q, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, m.URL+"/api/v1/kubeServices/a:b/", strings.NewReader("{}"))
	q.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("want 405, got %s", answer.Status)
	}
}

// A watch reports objects that Kubernetes owns, and a service also when its slices or its namespace change.
func TestWatchKubernetes(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	web := identity.KubernetesService{Namespace: "shop", Name: "web"}
	m.Kubernetes(t, &record.Namespace{Name: "shop"}, &record.KubernetesService{ID: web, Type: record.ServiceClusterIP})
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	seen := make(chan model.KubeService, 16)
	go func() {
		defer close(seen)
		for e, err := range m.Watch(ctx, []*model.Kind{model.KindKubeService()}) {
			if err != nil {
				return
			}
			for _, raw := range append(e.Items, e.Object) {
				var s model.KubeService
				if json.Unmarshal(raw, &s) == nil && s.Name != "" {
					seen <- s
				}
			}
			if e.Type == model.EventDelete {
				seen <- model.KubeService{Namespace: "gone"}
			}
		}
	}()
	until := func(what string, is func(s model.KubeService) bool) {
		t.Helper()
		for s := range seen {
			if is(s) {
				return
			}
		}
		t.Fatalf("%s: got no event", what)
	}
	until("the service", func(s model.KubeService) bool { return s.Tenant == "default" && s.Ready == 0 })
	m.Kubernetes(t, &record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "web-1"}, Service: "web",
		Endpoints: []record.SliceEndpoint{{Address: netip.MustParseAddr("10.1.1.1")}}})
	until("a backend", func(s model.KubeService) bool { return s.Ready == 1 })
	m.Kubernetes(t, &record.Namespace{Name: "shop", Place: record.Place{Tenant: "acme"}})
	until("another tenant", func(s model.KubeService) bool { return s.Tenant == "acme" })
	if _, err := m.Commit.Do(ctx, func(tx *commit.Tx) error { tx.Delete(record.KubernetesServices + web.String()); return nil }); err != nil {
		t.Fatal(err)
	}
	until("its end", func(s model.KubeService) bool { return s.Namespace == "gone" })
}

// Every netmaster reports the leader's status, or why it is unknown.
func TestKubernetesStatus(t *testing.T) {
	status := model.KubernetesStatus{Wanted: true, Leads: true, Missing: "refused"}
	m := mastertest.Start(t, mastertest.Options{Kubernetes: func() *model.KubernetesStatus { return &status }})
	if got, err := m.Client.Kubernetes(t.Context()); err != nil || got.Missing != "refused" {
		t.Errorf("got %+v, %v", got, err)
	}
	var self model.Node
	if err := m.Raw(t.Context(), "/api/v1/nodes/self", &self); err != nil || !self.Ready || !strings.Contains(self.Reason, "Kubernetes is not read: refused") {
		t.Errorf("an outage of Kubernetes leaves netmaster ready, and is its reason: got %+v, %v", self, err)
	}
	without := mastertest.Start(t, mastertest.Options{})
	if got, err := without.Client.Kubernetes(t.Context()); err != nil || got.Wanted {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A record that cannot be read is shown as such.
func TestUnreadableRecord(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	_, err := m.Commit.Do(t.Context(), func(tx *commit.Tx) error {
		for _, key := range []string{record.NetworkPolicies + "shop:web", record.ClusterNetworkPolicies + "all", record.KubernetesServices + "shop:web", record.Namespaces + "shop"} {
			if err := tx.Put(key, json.RawMessage(`[]`)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := m.NetworkPolicies().Inspect(t.Context(), "shop:web")
	if err != nil || len(policy.Config.Unread) != 1 || !strings.Contains(policy.Config.Unread[0], "all pods of the namespace are isolated") {
		t.Errorf("got %+v, %v", policy, err)
	}
	for _, k := range []*model.Kind{model.KindClusterNetworkPolicy(), model.KindKubeService(), model.KindKubeNamespace()} {
		list, err := m.List(t.Context(), k)
		if err != nil || len(list) != 1 || len(list[0].Field("unread").([]string)) != 1 {
			t.Errorf("%s: got %+v, %v", k.Name, list, err)
		}
	}
}

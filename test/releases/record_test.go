// SPDX-License-Identifier: Apache-2.0

package releases

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

var recorded = flag.String("record", "", "record this build as the release of this version")

// A recording contains each kind of object, endpoints, and what Kubernetes has. The test makes one, which is kept only with -record.
func TestRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "this")
	if *recorded != "" {
		dir = filepath.Join("testdata", *recorded)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("a recording is never changed: %v", err)
	}
	m := cluster(t)
	items, _, err := m.Store.List(t.Context(), record.Root)
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, it := range items {
		line, err := json.Marshal(entry{it.Key, string(it.Value)})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	if err := os.WriteFile(filepath.Join(dir, storeFile), lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	objects := objectsOf(t, m)
	write(t, objects, dir, objectsFile)
	for _, kind := range []string{"tenants", "networks", "endpointGroups", "policys", "rules", "netprofiles", "serviceLBs", "appProfiles", "extContractsGroups", "Bgps", "networkPolicies", "kubeServices", "kubeNamespaces", "endpoints"} {
		if len(objects[kind]) == 0 {
			t.Errorf("%s: none is recorded, of %q", kind, slices.Sorted(maps.Keys(objects)))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, streamFile), stream(t, m), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, switchOf(t, dir), dir, switchFile)
	checkStore(t, dir)
	checkStream(t, dir)
}

// cluster is a netmaster with the objects of testdata/intent.yaml, endpoints, and objects of Kubernetes.
func cluster(t *testing.T) *mastertest.Master {
	m := mastertest.Start(t, mastertest.Options{Store: memory.New(), FwdMode: "routing"})
	text, err := os.ReadFile("testdata/intent.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var request model.ApplyRequest
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var fields map[string]any
		if err := documents.Decode(&fields); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kind, _ := fields["kind"].(string)
		delete(fields, "kind")
		request.Objects = append(request.Objects, model.ApplyObject{Kind: kind, Fields: fields})
	}
	if _, _, err := m.Client.Apply(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	m.Endpoint(t, "shop", "front", "web", "c1", "")
	m.Endpoint(t, "shop", "front", "web", "c2", "10.8.0.40")
	m.Endpoint(t, "shop", "back.db", "db", "c3", "")
	m.Kubernetes(t, &record.Namespace{Name: "store", Place: record.Place{Tenant: "shop"}},
		&record.KubernetesService{ID: identity.KubernetesService{Namespace: "store", Name: "cart"}, Type: record.ServiceClusterIP, Selector: true,
			ClusterIPs: []netip.Addr{netip.MustParseAddr("10.96.0.9")}, Ports: []record.ServicePort{{Name: "http", Protocol: 6, Port: 80}}},
		&record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "store", Name: "cart-1"}, Service: "cart", Ports: []record.SlicePort{{Name: "http", Protocol: 6, Port: 8080}},
			Endpoints: []record.SliceEndpoint{{Address: netip.MustParseAddr("10.8.0.40"), Node: host}}},
		&netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "store", Name: "closed"}})
	return m
}

// objectsOf returns the objects of each kind, by the kind's name in routes.
func objectsOf(t *testing.T, m *mastertest.Master) map[string][]map[string]any {
	t.Helper()
	out := map[string][]map[string]any{}
	for _, k := range model.Kinds() {
		var list []map[string]any
		if err := m.Client.Raw(t.Context(), "/api/v1/"+k.Plural+"/", &list); err != nil {
			t.Fatalf("%s: %v", k.Plural, err)
		}
		out[k.Plural] = list
	}
	return out
}

// stream returns what a netmaster first sends to the agent of the host.
func stream(t *testing.T, m *mastertest.Master) []byte {
	t.Helper()
	hello, err := json.Marshal(channel.Hello{Host: host})
	if err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.URL+channel.Path, bytes.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := m.Client.HTTP.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var out bytes.Buffer
	if _, err := channel.NewReader(io.TeeReader(answer.Body, &out)).Read(); err != nil {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	return out.Bytes()
}

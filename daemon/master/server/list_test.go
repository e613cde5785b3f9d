// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// keysOf are the keys of objects of a type.
func keysOf[T any](key func(*T) string, list []*T) (out []string) {
	for _, o := range list {
		out = append(out, key(o))
	}
	return out
}

func endpointKey(e *model.EndpointOper) string { return e.Key }

// endpointOn creates an endpoint with labels on a host, in network n of tenant default.
func endpointOn(t *testing.T, m *mastertest.Master, name, host string, labels map[string]string) {
	t.Helper()
	if _, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: name, Labels: labels,
		ConfigEP: model.EndpointConfigRequest{Container: name, Host: host}}); err != nil {
		t.Fatal(err)
	}
}

// Pages together are the list: what is there all the while comes exactly once and in order, whatever comes and goes between the pages.
func TestPagesUnderChanges(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("n", "10.1.0.0/16"))
	random := rand.New(rand.NewPCG(7, 7))
	there := map[string]bool{} // with whether it was there all the while
	create := func(name string) {
		endpointOn(t, m, name, "h1", nil)
		there["default:n:"+name] = false
	}
	for i := range 60 {
		create(fmt.Sprintf("e%03d", 10*i))
	}
	for round := range 30 {
		for key := range there {
			there[key] = true
		}
		var got []string
		gone := map[string]bool{}
		for page, err := range m.Endpoints().Pages(t.Context(), client.Limit(1+random.IntN(9))) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, keysOf(endpointKey, page)...)
			keys := slices.Sorted(func(yield func(string) bool) {
				for key := range there {
					if !yield(key) {
						return
					}
				}
			})
			victim := keys[random.IntN(len(keys))]
			if err := m.DeleteEndpoint(t.Context(), model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: strings.TrimPrefix(victim, "default:n:")}); err != nil {
				t.Fatal(err)
			}
			delete(there, victim)
			gone[victim] = true
			create(fmt.Sprintf("e%03d-%d", random.IntN(600), random.IntN(1000)))
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("round %d: want keys in order, each once, got %v", round, got)
		}
		for key, always := range there {
			if always && !slices.Contains(got, key) {
				t.Errorf("round %d: %s was there all the while and was not listed", round, key)
			}
		}
		for _, key := range got {
			if _, is := there[key]; !is && !gone[key] {
				t.Errorf("round %d: %s was listed and never there", round, key)
			}
		}
	}
}

// Pages of any size are the list, of every kind that there are objects of, and selectors are as those of the whole list.
func TestPagesAreTheList(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for i := range 7 {
		mastertest.Put(t, m.Networks(), network(fmt.Sprintf("n%d", i), fmt.Sprintf("10.1.%d.0/24", i)))
	}
	mastertest.Put(t, m.Tenants(), &model.Tenant{TenantName: "blue"})
	for _, options := range [][]client.Option{nil, {client.Fields("networkName!=n3")}, {client.Fields("subnet=10.1.2.0/24")}, {client.Fields("tenantName=blue")}} {
		for _, k := range []*model.Kind{model.KindNetwork(), model.KindTenant()} {
			whole, err := m.Client.List(t.Context(), k, options...)
			if k == model.KindTenant() && options != nil && err != nil {
				continue // it has other fields
			}
			if err != nil {
				t.Fatal(err)
			}
			for size := 1; size < 9; size++ {
				var got []string
				for page, err := range m.Client.Pages(t.Context(), k, append(slices.Clone(options), client.Limit(size))...) {
					if err != nil || len(page) > size {
						t.Fatalf("pages of %d: got %d, %v", size, len(page), err)
					}
					for _, o := range page {
						got = append(got, o.ObjectKey())
					}
				}
				var want []string
				for _, o := range whole {
					want = append(want, o.ObjectKey())
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s in pages of %d: want %v, got %v", k.Plural, size, want, got)
				}
			}
		}
	}
}

func TestSelectedEndpoints(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("n", "10.1.1.0/24"))
	endpointOn(t, m, "a", "h1", map[string]string{"app": "web", "tier": "front"})
	endpointOn(t, m, "b", "h1", map[string]string{"app": "db"})
	endpointOn(t, m, "c", "h2", nil)
	for _, row := range []struct{ fields, labels, want string }{
		{"", "", "default:n:a default:n:b default:n:c"},
		{"homingHost=h1", "", "default:n:a default:n:b"},
		{"homingHost!=h1", "", "default:n:c"},
		{"network=n.default,ipAddress=10.1.1.2", "", "default:n:b"},
		{"", "app", "default:n:a default:n:b"},
		{"", "app notin (db)", "default:n:a default:n:c"},
		{"homingHost=h1", "tier=front", "default:n:a"},
		{"homingHost=h3", "", ""},
	} {
		list, err := m.Endpoints().List(t.Context(), client.Fields(row.fields), client.Labels(row.labels))
		if got := strings.Join(keysOf(endpointKey, list), " "); err != nil || got != row.want {
			t.Errorf("fields %q, labels %q: want %s, got %s, %v", row.fields, row.labels, row.want, got, err)
		}
	}
}

// The refusal of a list names the parameter and the remedy, and a token is valid only for its own list.
func TestListRefusals(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), network("n1", "10.1.1.0/24"))
	mastertest.Put(t, m.Networks(), network("n2", "10.1.2.0/24"))
	answer, err := http.Get(m.URL + "/api/v1/networks/?limit=1")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	token := answer.Header.Get(model.ContinueHeader)
	for _, row := range []struct{ path, field, want string }{
		{"networks/?limit=1&continue=" + token, "", ""},
		{"networks/?limit=-1", "limit", "want a number of objects"},
		{"networks/?limit=many", "limit", "want a number of objects"},
		{"networks/?continue=%21", "continue", "not a token of a list"},
		{"networks/?continue=e30", "continue", "not a token of a list"}, // {}
		{"tenants/?continue=" + token, "continue", "the token of another list"},
		{"networks/?fieldSelector=subnet%3Dx&continue=" + token, "continue", "with the same selectors"},
		{"networks/?fieldSelector=colour%3Dred", "fieldSelector", "networks have no field"},
		{"kubeServices/?labelSelector=a%3Db", "labelSelector", "Kubernetes services have no labels"},
		{"endpoints/?continue=eyJraW5kIjoiZW5kcG9pbnQiLCJhZnRlciI6IngifQ", "continue", "not a token of a list"}, // after a key that is none
		{"watch?kinds=network&limit=x", "limit", "want a number of objects"},
		{"watch?kinds=endpoint,tenant&fieldSelector=homingHost%3Dh1", "fieldSelector", "tenants have no field"},
	} {
		var list []any
		err := m.Raw(t.Context(), "/api/v1/"+row.path, &list)
		if row.want == "" {
			if err != nil || len(list) != 1 {
				t.Errorf("%s: want one object, got %d, %v", row.path, len(list), err)
			}
			continue
		}
		mastertest.Refused(t, err, model.CodeInvalid, "")
		if e := model.AsError(err); e.Field != row.field || !strings.Contains(e.Error(), row.want) {
			t.Errorf("%s: want %q of %s, got %q of %s", row.path, row.want, row.field, e, e.Field)
		}
	}
}

// Clients of the original get what they got: no header that they do not know.
func TestListAsTheOriginal(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	answer, err := http.Get(m.URL + "/api/v1/tenants/?" + url.Values{"other": {"x"}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.Header.Get(model.RevisionHeader) != "" || answer.Header.Get(model.ContinueHeader) != "" {
		t.Errorf("want no header of pages, got %v", answer.Header)
	}
}

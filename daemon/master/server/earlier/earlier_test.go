// SPDX-License-Identifier: Apache-2.0

package earlier_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
)

// cluster is a netmaster of which a policy, two containers and a pod are gone; then is the revision at which they were there.
func cluster(t *testing.T) (m *mastertest.Master, then uint64) {
	t.Helper()
	m = mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "policy p", "rule p:1 direction=in protocol=tcp port=5432 action=deny priority=1",
		"group db networkName=blue policies=p", "group web networkName=blue", "attach blue web1 group=web", "attach blue db1 group=db", "user ann")
	m.Kubernetes(t, &record.Namespace{Name: "shop"})
	m.Pod(t, "blue", "shop", "pod-1", nil)
	then = uint64(m.Catalog.Revision())
	m.Must(t, "rm rule p:1", "detach blue web1", "detach blue db1", "rm group db", "rm user ann", "tenant later", "claim h9 vtep=192.0.2.9")
	if err := m.DeleteEndpoint(t.Context(), model.DeleteEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "shop-pod-1"}); err != nil {
		t.Fatal(err)
	}
	return m, then
}

// get is the answer to a request, with what its header says of the moment.
func get(t *testing.T, url string) (status int, text, at string) {
	t.Helper()
	status, text, header := mastertest.Fetch(t, url)
	return status, text, header.Get(model.AtHeader)
}

// Reads about a moment have what there was then, and refuse what is not recorded.
func TestEarlier(t *testing.T) {
	m, then := cluster(t)
	for _, row := range []struct {
		name, path string
		status     int
		want       []string // are in the answer; "!" in front: are not
	}{
		{"endpoints", "/endpoints/", 200, []string{"default:blue:web1", "default:blue:db1", "10.1.1.1", "pod-1"}},
		{"without what agents count now", "/inspect/rules/default:p:1/", 200, []string{`"port":5432`, "!packets", "!h9"}},
		{"one by its name", "/inspect/endpoints/web1/", 200, []string{`"endpointID":"web1"`, `"homingHost":"h1"`}},
		{"rules, with their groups", "/rules/?summary=true", 200, []string{`"default:p:1"`, `"groups":["db"]`}},
		{"networks, with their addresses", "/networks/?summary=true", 200, []string{`"used":3`, `"endpoints":3`}},
		{"no object of later", "/tenants/", 200, []string{`"default"`, "!later"}},
		{"one object of later", "/tenants/later/", 404, []string{"!refused"}},
		{"the verdict of then", "/why?from=web1&to=db1&protocol=tcp&port=5432", 200, []string{`"verdict":"denied"`, `"in":"default:p:1"`, `"intentOnly":true`, "rule default:p:1 denies tcp 5432", `"next":"netctl history rule default:p:1"`}},
		{"of a group", "/why?from=web&to=group/db&port=80", 200, []string{`"verdict":"allowed"`, "no rule speaks of tcp 80"}},
		{"of a pod", "/why?from=web1&to=shop/pod-1&port=80", 200, []string{`"verdict":"unknown"`, "policies of Kubernetes for shop/pod-1 are not recorded"}},
		{"of a host", "/why?from=h9&to=db1&port=80", 404, []string{"hosts and services of Kubernetes of an earlier moment are not recorded", "netctl get endpoints --at"}},
		{"no packet", "/why?from=web1&to=db1&probe=true", 400, []string{`"field":"probe"`}},
		{"a search", "/find?q=db1", 200, []string{"default:blue:db1"}},
		{"findings", "/health", 200, []string{`"findings":[]`, `"endpoints":3`}},
		{"owners of addresses, as ever", "/addresses?tenant=default&network=blue&address=10.1.1.1", 200, []string{"default:blue:web1"}},
		{"nodes", "/nodes", 405, []string{`"field":"at"`, "is not recorded", "leave out at"}},
		{"flows", "/agents/h1/flows", 405, []string{"is not recorded"}},
		{"policies of Kubernetes", "/networkPolicies/", 405, []string{"no history of a network policy is kept"}},
		{"users", "/users/", 200, []string{`"username":"ann"`}},
		{"pods", "/matrix/shop", 405, []string{"is not recorded"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			sign := "?"
			if strings.Contains(row.path, "?") {
				sign = "&"
			}
			moment := fmt.Sprint(then)
			status, text, at := get(t, m.URL+"/api/v1"+row.path+sign+"at="+moment)
			if status != row.status || at != moment {
				t.Fatalf("want %d of moment %s, got %d of %q: %s", row.status, moment, status, at, text)
			}
			for _, want := range row.want {
				want, missing := strings.CutPrefix(want, "!")
				if strings.Contains(text, want) == missing {
					t.Errorf("want %q in it: %v, got %s", want, !missing, text)
				}
			}
		})
	}
}

// A wrong moment is refused with its remedy, and none is the present.
func TestMoments(t *testing.T) {
	m, _ := cluster(t)
	for _, row := range []struct {
		at     string
		status int
		want   string
	}{
		{"yesterday", 400, "it is a revision, such as 1234, or a time"},
		{"2001-01-01T00:00:00Z", 200, "[]"}, // before everything, of which nothing was forgotten
		{"", 200, `"later"`},
		{"2100-01-01T00:00:00Z", 200, `"later"`},
	} {
		if status, text, _ := get(t, m.URL+"/api/v1/tenants/?at="+row.at); status != row.status || !strings.Contains(text, row.want) {
			t.Errorf("%q: want %d %s, got %d %s", row.at, row.status, row.want, status, text)
		}
	}
}

// The client of a moment reads it by all that it does, changes nothing, and takes no answer about the present for one about the past.
func TestClient(t *testing.T) {
	m, then := cluster(t)
	past := m.Client.AsOf(fmt.Sprint(then))
	list, err := past.Endpoints().List(t.Context())
	if err != nil || len(list) != 3 {
		t.Errorf("want 3 endpoints, got %d, %v", len(list), err)
	}
	changes, err := past.History(t.Context(), client.HistoryQuery{})
	if err != nil || len(changes) == 0 || slices.ContainsFunc(changes, func(e model.HistoryEntry) bool { return e.Revision > then }) {
		t.Errorf("want the changes up to %d, got %d, %v", then, len(changes), err)
	}
	owners, err := past.Ledger(t.Context(), client.AddressQuery{Address: "10.1.1.1"})
	if err != nil || len(owners) != 1 || owners[0].Now.ID != "default:blue:web1" {
		t.Errorf("want what the address became then, got %+v, %v", owners, err)
	}
	if _, err := past.Timeline(t.Context(), client.TimelineQuery{}); err != nil {
		t.Error(err)
	}
	kinds := map[string]int{}
	for e, err := range past.Watch(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if kinds[e.Kind] += len(e.Items); e.Type == model.EventSync {
			break
		}
	}
	if kinds["rule"] != 1 || kinds["endpoint"] != 3 {
		t.Errorf("want the objects of then, got %v", kinds)
	}
	for _, err := range past.Observe(t.Context(), model.Observe{}) {
		mastertest.Refused(t, err, model.CodeUnsupported, "is not recorded")
	}
	page, err := describe.Of(t.Context(), past, model.KindEndpoint(), "web1", describe.Options{Now: time.Now()})
	if text := fmt.Sprintf("%+v", page); err != nil || !strings.Contains(text, "default:web") || !strings.Contains(text, "is not recorded") {
		t.Errorf("want the page of a container that is gone, with what is not known, got %s, %v", text, err)
	}
	_, err = past.Delete(t.Context(), model.KindTenant(), "later")
	mastertest.Refused(t, err, model.CodeUnsupported, "the past cannot be changed")
	present := mastertest.Start(t, mastertest.Options{}).Client.AsOf("5")
	present.HTTP = &http.Client{Transport: forgetful{}}
	_, err = present.Tenants().List(t.Context())
	mastertest.Refused(t, err, model.CodeUnsupported, "does not know earlier moments")
}

// forgetful is the transport to a netmaster of an earlier version, which passes over the query at.
type forgetful struct{}

// RoundTrip sends the request without the query.
func (forgetful) RoundTrip(q *http.Request) (*http.Response, error) {
	plain := q.Clone(q.Context())
	plain.URL.RawQuery = ""
	answer, err := http.DefaultTransport.RoundTrip(plain)
	if err != nil {
		return nil, errors.Join(errors.New("ask"), err)
	}
	answer.Request = q
	return answer, nil
}

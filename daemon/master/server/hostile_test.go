// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// flood is a body of n bytes that no one holds in memory.
type flood struct {
	head string
	left int64
	unit byte
	read int64
}

func (f *flood) Read(p []byte) (int, error) {
	n := 0
	if f.head != "" {
		n = copy(p, f.head)
		f.head = f.head[n:]
	} else {
		if f.left == 0 {
			return 0, io.EOF
		}
		n = int(min(int64(len(p)), f.left))
		for i := range p[:n] {
			p[i] = f.unit
		}
		f.left -= int64(n)
	}
	f.read += int64(n)
	return n, nil
}

// Bodies of 100 MiB are refused on every route that takes one, before they are read whole and with bounded memory.
func TestHugeBodies(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	const size = 100 << 20
	for _, path := range []string{"/api/v1/networks/default:n/", "/api/v1/policys/default:p/", "/api/v1/apply", "/api/v1/labels", "/plugin/createEndpoint"} {
		for _, body := range []*flood{{head: `{"networkName":"`, unit: 'a'}, {head: `{"x":`, unit: '['}, {head: `{"endpointGroups":[`, unit: '1'}} {
			body.left = size
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			q, err := http.NewRequest(http.MethodPost, m.URL+path, body)
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Content-Type", "application/json")
			q.Header.Set("Accept", "application/json")
			answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(q)
			runtime.ReadMemStats(&after)
			if err == nil {
				if answer.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("%s: want 413, got %s", path, answer.Status)
				}
				_ = answer.Body.Close()
			} // else the server closed the connection while we were sending
			most := uint64(32 * rest.MaxBody)
			if path == "/api/v1/apply" { // whose dry run takes in one request what is applied in many
				most *= 2
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > most {
				t.Errorf("%s: a body of %d MiB made the master allocate %d MiB", path, size>>20, got>>20)
			}
		}
	}
	if _, err := m.Tenants().Get(context.Background(), "default"); err != nil {
		t.Errorf("the master must continue: %v", err)
	}
}

// A body that is no object of the kind is refused with the reason, and never causes an internal error.
func TestHostileBodies(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%d",`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	tests := []struct {
		name, path, body string
		status           int
	}{
		{"a million names", "endpointGroups/default:g", `{"tenantName":"default","groupName":"g","networkName":"n","policies":[` + names(1_000_000) + `]}`, 413},
		{"many names", "appProfiles/default:a", `{"tenantName":"default","appProfileName":"a","endpointGroups":[` + names(100_000) + `]}`, 404},
		{"deep nesting", "tenants/t", `{"tenantName":` + strings.Repeat(`{"a":`, 200_000) + `1` + strings.Repeat("}", 200_000) + `}`, 413},
		{"nesting", "tenants/t", `{"tenantName":"t","x":` + strings.Repeat("[", 15_000) + strings.Repeat("]", 15_000) + `}`, 400},
		{"the key twice, the last counts", "tenants/t", `{"tenantName":"u","tenantName":"t","tenantName":"u"}`, 400},
		{"a number for a name", "tenants/t", `{"tenantName":7}`, 400},
		{"an object for a name", "tenants/t", `{"tenantName":{"a":1}}`, 400},
		{"a name for a list", "appProfiles/default:a", `{"tenantName":"default","appProfileName":"a","endpointGroups":"g"}`, 400},
		{"a fraction", "networks/default:n", `{"tenantName":"default","networkName":"n","encap":"vlan","subnet":"10.1.1.0/24","pktTag":1.5}`, 400},
		{"NaN", "netprofiles/default:p", `{"tenantName":"default","profileName":"p","DSCP":NaN}`, 400},
		{"infinite", "netprofiles/default:p", `{"tenantName":"default","profileName":"p","DSCP":1e999}`, 400},
		{"invalid UTF-8", "tenants/t", "{\"tenantName\":\"t\xff\"}", 400},
		{"invalid UTF-8 where anything goes", "Bgps/h1", "{\"hostname\":\"h1\",\"routerip\":\"10.1.1.1/24\",\"as\":\"\xff\xfe\"}", 200},
		{"zero bytes", "tenants/t", "{\"tenantName\":\"t\x00\"}", 400},
		{"nothing", "tenants/t", "", 400},
		{"null", "tenants/t", "null", 400},
		{"two values", "tenants/t", `{"tenantName":"t"}{"tenantName":"t"}`, 400},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q, err := http.NewRequest(http.MethodPost, m.URL+"/api/v1/"+test.path+"/", strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Accept", "application/json")
			answer, err := http.DefaultTransport.RoundTrip(q)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			text, _ := io.ReadAll(answer.Body)
			if answer.StatusCode != test.status || !json.Valid(text) {
				t.Errorf("want %d and JSON, got %s %.300s", test.status, answer.Status, text)
			}
		})
	}
}

// Any object of any kind is let in or refused: no rule of any kind panics, loops, or lets in what cannot be taken out
// again or read back.
func FuzzAdmission(f *testing.F) {
	for _, seed := range []string{
		`{"tenantName":"default","networkName":"net1","encap":"vlan","subnet":"10.1.1.0/24","pktTag":4095}`,
		`{"tenantName":"default","networkName":"net2","encap":"vxlan","subnet":"10.1.1.5-10.1.1.9/31","gateway":"10.1.1.7","ipv6Subnet":"::/1","ipv6Gateway":"::"}`,
		`{"tenantName":"default","groupName":"g","networkName":"n","ipPool":"10.9.0.9-10.9.0.1","policies":["p","p"],"netProfile":"x"}`,
		`{"tenantName":"default","policyName":"p","ruleId":"1","direction":"out","action":"deny","toNetwork":"n","port":-1,"protocol":"255"}`,
		`{"tenantName":"default","policyName":"p","ruleId":"2","direction":"in","action":"allow","fromIpAddress":"1.2.3.4-5/31","toIpAddress":"10.9.0.1"}`,
		`{"tenantName":"default","serviceName":"s","networkName":"n","ports":["1:2","65536:0:tcp"],"selectors":["=","a=b=c"],"ipAddress":"10.9.0.255"}`,
		`{"name":"global","vlans":"1-1","vxlans":"16-16000","pvtSubnet":"0.0.0.0/16","fwdMode":"routing","networkInfraType":"aci"}`,
		`{"name":"aciGw","enforcePolicies":"yes","includeCommonTenant":"no","physicalDomain":"d","nodeBindings":","}`,
		`{"hostname":"h","routerip":"1.2.3.4-5/24","as":"-1","neighbor":"0.0.0.0"}`,
		`{"tenantName":"default","contractsGroupName":"c","contractsType":"provided","contracts":["",""]}`,
		`{"tenantName":"default","appProfileName":"a","endpointGroups":["g","g",""]}`,
		`{"tenantName":"default","profileName":"","bandwidth":"10 {","burst":1}`,
		`{"tenantName":"t"}`,
	} {
		f.Add([]byte(seed), []byte(strings.Replace(seed, "default", "blue", 1)))
	}
	f.Add([]byte(`{"tenantName":"c","networkName":"a.b","encap":"vlan","subnet":"10.1.1.0/24"}`),
		[]byte(`{"tenantName":"b.c","networkName":"a","encap":"vlan","subnet":"10.1.2.0/24"}`))
	f.Add([]byte(`{"hostname":"h/1?#%","routerip":"1.2.3.4/24","as":"1"}`), []byte(`{"hostname":"h","routerip":"1.2.3.5/24","as":"1"}`))
	m := mastertest.Start(f, mastertest.Options{})
	ctx := context.Background()
	for _, tenant := range []string{"default", "blue", "c", "b.c"} { // ids of a tenant's objects are joined of their names
		if tenant != "default" {
			if _, err := m.Tenants().Put(ctx, &model.Tenant{TenantName: tenant}); err != nil {
				f.Fatal(err)
			}
		}
		if _, err := m.Networks().Put(ctx, &model.Network{TenantName: tenant, NetworkName: "n", Encap: "vxlan", Subnet: "10.9.0.0/24"}); err != nil {
			f.Fatal(err)
		}
		if _, err := m.Policys().Put(ctx, &model.Policy{TenantName: tenant, PolicyName: "p"}); err != nil {
			f.Fatal(err)
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 4}
	f.Cleanup(transport.CloseIdleConnections)
	at := door{url: m.URL, transport: transport}
	f.Fuzz(func(t *testing.T, body, other []byte) {
		for _, k := range model.Kinds() {
			if !k.Writable() {
				continue
			}
			var in []admitted
			for _, b := range [][]byte{body, other} {
				object := k.New()
				if json.Unmarshal(b, object) != nil || object.ObjectKey() == "" || object.ObjectKey() == "default" || slices.ContainsFunc(in, func(a admitted) bool { return a.key == object.ObjectKey() }) {
					continue
				}
				a := admitted{kind: k, key: object.ObjectKey(), body: string(b)}
				if status, _ := at.do(t, a, http.MethodPost); status == http.StatusOK && k.Name != model.KindGlobal().Name {
					_, a.text = at.do(t, a, http.MethodGet)
					in = append(in, a)
				}
			}
			for _, a := range in {
				if status, text := at.do(t, a, http.MethodGet); status != http.StatusOK || text != a.text {
					t.Fatalf("%s %q was let in and cannot be read as it was: %d %s, was %s", k.Name, a.key, status, text, a.text)
				}
			}
			for _, a := range slices.Backward(in) {
				if status, text := at.do(t, a, http.MethodDelete); status != http.StatusOK {
					t.Fatalf("%s %q was let in and cannot be taken out: %d %s", k.Name, a.key, status, text)
				}
			}
		}
	})
}

// admitted is an object that a master was given.
type admitted struct {
	kind            *model.Kind
	key, body, text string
}

// door is where a master answers.
type door struct {
	url       string
	transport *http.Transport
}

// do makes a request about an object and returns the status and body of the answer, which is never an internal error. The answer to a GET has
// the operational state.
func (d door) do(t *testing.T, a admitted, method string) (int, string) {
	t.Helper()
	route := "/api/v1/" + a.kind.Plural + "/"
	if method == http.MethodGet && a.kind.Oper != nil {
		route = "/api/v1/inspect/" + a.kind.Plural + "/"
	}
	q, err := http.NewRequest(method, d.url+route+url.PathEscape(a.key)+"/", strings.NewReader(a.body))
	if err != nil {
		return 0, "" // no URL
	}
	q.Header.Set("Accept", "application/json")
	answer, err := d.transport.RoundTrip(q)
	if err != nil {
		t.Fatalf("%s %s: the master did not answer: %v", method, q.URL, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode == http.StatusInternalServerError {
		t.Fatalf("%s %s: %s %s %v", method, q.URL, answer.Status, text, err)
	}
	return answer.StatusCode, string(text)
}

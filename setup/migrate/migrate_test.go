// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/manifest"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/identity"
)

// old answers as a netmaster of the original: an object or a list, and 500 with a text for everything else.
func old(t *testing.T) *httptest.Server {
	t.Helper()
	answers := map[string]string{
		"/api/v1/tenants/": `[{"key":"blue","tenantName":"blue","link-sets":{"Networks":{"blue:net.7":{"type":"network","key":"blue:net.7"}}}}]`,
		"/api/v1/networks/": `[{"key":"blue:net.7","encap":"vlan","gateway":"10.9.0.254","networkName":"net.7","nwType":"data","subnet":"10.9.0.0/24","tenantName":"blue","link-sets":{},"links":{"Tenant":{"type":"tenant","key":"blue"}}},` +
			`{"key":"blue:wide","encap":"vxlan","networkName":"wide","subnet":"10.10.0.0/16","tenantName":"blue"}]`,
		"/api/v1/endpointGroups/": `[{"key":"blue:app","groupName":"app","networkName":"net.7","tenantName":"blue","policies":["p1"],"colour":"red"}]`,
		"/api/v1/policys/":        `[{"key":"blue:p1","policyName":"p1","tenantName":"blue"}]`,
		"/api/v1/rules/":          `[{"key":"blue:p1:1","action":"allow","direction":"in","policyName":"p1","port":80,"priority":10,"protocol":"tcp","ruleId":"1","tenantName":"blue"},` + `{"key":"blue:p1:2","action":"allow","direction":"in","policyName":"p1","port":-8,"priority":10,"protocol":"tcp","ruleId":"2","tenantName":"blue"}]`,
		"/api/v1/globals/":        `[{"key":"global","arpMode":"proxy","fwdMode":"routing","name":"global","networkInfraType":"default","pvtSubnet":"172.19.0.0/16","vlans":"1-4094","vxlans":"1-10000"}]`,
		"/api/v1/inspect/networks/blue:net.7/": `{"Config":{},"Oper":{"pktTag":7,"externalPktTag":0,"endpoints":[` +
			`{"containerName":"web1","containerID":"4f1c77","endpointID":"9a02","homingHost":"host-a","ipAddress":["10.9.0.1",""],"labels":"map[tier:web]"}]}}`,
		"/api/v1/inspect/networks/blue:wide/": `{"Config":{},"Oper":{"pktTag":1,"externalPktTag":1}}`,
	}
	for _, plural := range []string{"netprofiles", "extContractsGroups", "serviceLBs", "appProfiles", "Bgps", "aciGws"} {
		answers["/api/v1/"+plural+"/"] = "[]"
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodGet {
			t.Errorf("%s %s: an import changes nothing", q.Method, q.URL)
		}
		if text, ok := answers[q.URL.Path]; ok {
			fmt.Fprintln(w, text)
			return
		}
		http.Error(w, "page not found\nsome.Function [file.go 12]", http.StatusInternalServerError)
	}))
	t.Cleanup(s.Close)
	return s
}

func manifestOf(t *testing.T, in *Intent) string {
	t.Helper()
	var out strings.Builder
	for _, o := range in.Objects {
		if err := manifest.Write(&out, o); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func differences(in *Intent) (out []string) {
	for _, d := range in.Differences {
		out = append(out, fmt.Sprintf("%s %s: %s", d.Severity, d.Object, d.Text))
	}
	return out
}

func TestReadNetmaster(t *testing.T) {
	o, err := ReadNetmaster(t.Context(), old(t).URL+"/", http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	in := Translate(o)
	text := manifestOf(t, in)
	for _, want := range []string{"networkName: net.7\nencap: vlan\ngateway: 10.9.0.254\nnwType: data\npktTag: 7\n", "networkName: wide\nencap: vxlan\nnwType: data\nsubnet: 10.10.0.0/16\n", "policies:\n- p1\n", "port: 80\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	want := []string{
		"kept network blue:net.7: pktTag 7, which the original had chosen: physical switches may know it",
		"missing rule blue:p1:2: this build refuses it: port Value Out of bound",
		"changed endpointGroup blue:app: field colour is left out: this build does not have it",
	}
	got := differences(in)
	if len(got) != len(want) {
		t.Errorf("differences: got %q", got)
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(d string) bool { return strings.HasPrefix(d, w) }) {
			t.Errorf("want the difference %q, got %q", w, got)
		}
	}
	if len(in.Hosts) != 1 || in.Hosts[0].Host != "host-a" || !slices.Equal(in.Hosts[0].Containers, []string{"web1 10.9.0.1 in blue:net.7"}) {
		t.Errorf("hosts: got %+v", in.Hosts)
	}
}

// A netmaster of this build answers a client of the original as the original did, so its cluster can be read too, and a new cluster takes
// the objects.
func TestReadNetmaster_Ours(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	apply := func(to *mastertest.Master, text string) {
		t.Helper()
		objects, err := manifest.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := to.Client.Apply(t.Context(), applyRequest(objects)); err != nil {
			t.Fatal(err)
		}
	}
	apply(m, "{kind: tenant, tenantName: shop}\n---\n{kind: network, tenantName: shop, networkName: front, encap: vlan, subnet: 10.8.0.0/24}\n---\n{kind: endpointGroup, tenantName: shop, networkName: front, groupName: web}\n")
	m.Endpoint(t, "shop", "front", "web", "c1", "")
	o, err := ReadNetmaster(t.Context(), m.URL, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	in := Translate(o)
	if len(in.Hosts) != 1 || in.Hosts[0].Host != "h1" {
		t.Errorf("hosts: got %+v", in.Hosts)
	}
	fresh := mastertest.Start(t, mastertest.Options{})
	apply(fresh, manifestOf(t, in))
	front := identity.Network{Tenant: "shop", Name: "front"}
	n, err := fresh.Client.Networks().Get(t.Context(), "shop", "front")
	if err != nil || n.PktTag != o.Tags[front] || n.PktTag == 0 {
		t.Errorf("network: got %+v, %v, want VLAN id %d", n, err, o.Tags[front])
	}
}

func TestReadNetmaster_Refuses(t *testing.T) {
	for status, want := range map[int]string{http.StatusForbidden: "auth proxy", http.StatusInternalServerError: `"page not found"`, http.StatusOK: "this is not a netmaster"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, "page not found\nstack")
		}))
		if _, err := ReadNetmaster(t.Context(), s.URL, http.DefaultClient); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got %v, want %q", status, err, want)
		}
		s.Close()
	}
	for _, url := range []string{"", "192.0.2.1:9999", "ftp://192.0.2.1", "http://"} {
		if _, err := ReadNetmaster(t.Context(), url, http.DefaultClient); err == nil || !strings.Contains(err.Error(), "want a URL") {
			t.Errorf("%q: got %v", url, err)
		}
	}
}

func TestReadDump(t *testing.T) {
	in, err := os.Open("testdata/dump.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	o, err := ReadDump(in)
	if err != nil {
		t.Fatal(err)
	}
	got := Translate(o)
	if text := manifestOf(t, got); !strings.Contains(text, "networkName: net.7\nencap: vlan\nnwType: data\npktTag: 7\n") {
		t.Errorf("objects:\n%s", text)
	}
	if d := differences(got); !slices.ContainsFunc(d, func(s string) bool { return strings.HasPrefix(s, "missing cluster: keys of the auth proxy: 1") }) ||
		!slices.ContainsFunc(d, func(s string) bool { return strings.HasPrefix(s, "missing volume: objects of a kind") }) {
		t.Errorf("differences: got %q", d)
	}
	if len(got.Hosts) != 2 || got.Hosts[0].Host != "host-a" || !slices.Equal(got.Hosts[0].Containers, []string{"web1 10.9.0.1 in blue:net.7"}) || got.Hosts[1].Host != "host-b" || len(got.Hosts[1].Containers) != 0 {
		t.Errorf("hosts: got %+v", got.Hosts)
	}
	for text, want := range map[string]string{"": "not the answer", "[]": "not the answer", `{"node":{"key":"/","nodes":[]}}`: "no key below",
		`{"node":{"nodes":[{"key":"/contiv.io/obj/modeldb/tenant/a","value":"{"}]}}`: "is not an object"} {
		if _, err := ReadDump(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func FuzzReadDump(f *testing.F) {
	text, err := os.ReadFile("testdata/dump.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(_ *testing.T, text []byte) {
		if o, err := ReadDump(strings.NewReader(string(text))); err == nil {
			Translate(o)
		}
	})
}

func applyRequest(objects []model.ApplyObject) model.ApplyRequest {
	return model.ApplyRequest{Objects: objects}
}

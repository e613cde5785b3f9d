// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// deed is a request that a rogue sends, with a route's path if it is of several, and what is answered.
type deed struct {
	name, body string
	refused    bool // by a status from 400 on; else it is success that changes nothing of others
}

// rogueDeeds are what a host that was taken over sends at the routes of agents. The victim is host h2, whose machine id, addresses and endpoints every host
// knows.
func rogueDeeds() map[string][]deed {
	const victim = `"TenantName":"default","NetworkName":"blue","EndpointID":"db"`
	return map[string][]deed{
		"POST /plugin/allocAddress":   {{"by the victim", `{"NetworkID":"blue.default","PreferredIPv4Address":"10.1.1.77","By":"h2"}`, true}, {"its hold", `{"NetworkID":"blue.default","PreferredIPv4Address":"10.1.1.50"}`, true}},
		"POST /plugin/releaseAddress": {{"by the victim", `{"NetworkID":"blue.default","IPv4Address":"10.1.1.50","By":"h2"}`, true}, {"its hold", `{"NetworkID":"blue.default","IPv4Address":"10.1.1.50"}`, false}, {"its endpoint's", `{"NetworkID":"blue.default","IPv4Address":"10.1.1.1"}`, false}},
		"POST /plugin/createEndpoint": {
			{"as the victim", `{` + victim + `,"ConfigEP":{"Container":"db","Host":"h2"}}`, true},
			{"its endpoint", `{` + victim + `,"ConfigEP":{"Container":"db","Host":"evil"}}`, true},
			{"its endpoint, no host named", `{` + victim + `,"ConfigEP":{"Container":"db"}}`, true},
			{"its endpoint, with its machine id", `{` + victim + `,"Machine":"m2","ConfigEP":{"Container":"db","Host":"evil"}}`, true},
			{"its address", `{"TenantName":"default","NetworkName":"blue","EndpointID":"mine","ConfigEP":{"Container":"mine","Host":"evil","IPAddress":"10.1.1.1"}}`, true},
			{"the address that it holds", `{"TenantName":"default","NetworkName":"blue","EndpointID":"mine","ConfigEP":{"Container":"mine","Host":"evil","IPAddress":"10.1.1.50"}}`, true},
		},
		"POST /plugin/deleteEndpoint": {{"as the victim", `{` + victim + `,"Host":"h2"}`, true}, {"its endpoint", `{` + victim + `}`, false}, {"by its address", `{"TenantName":"default","NetworkName":"blue","IPv4Address":"10.1.1.1"}`, false}},
		"POST /plugin/updateEndpoint": {{"as the victim", `{"Event":"start","Tenant":"default","Network":"blue","EndpointID":"db","Host":"h2","Labels":{"x":"evil"}}`, true},
			{"its endpoint", `{"Event":"start","Tenant":"default","Network":"blue","EndpointID":"db","IPAddress":"10.1.1.1","Labels":{"x":"evil"},"EPCommonName":"evil"}`, false}, {"its end", `{"Event":"die","Tenant":"default","ContainerID":"db"}`, false}},
		"POST /plugin/requestDockerPool":   {{"the victim's subnet", `{"Pool":"10.1.1.0/24"}`, false}},
		"POST /plugin/createDockerNetwork": {{"as the victim", `{"ID":"d3","Host":"h2","Options":{"network":"blue"}}`, true}, {"its network", `{"ID":"d2","Host":"evil","Options":{"network":"blue"},"Pools":[{"Subnet":"10.1.1.0/24"}]}`, false}},
		"POST /plugin/deleteDockerNetwork": {{"as the victim", `{"ID":"d2","Host":"h2"}`, true}, {"its network", `{"ID":"d2","Host":"evil"}`, false}, {"no host named", `{"ID":"d2"}`, false},
			{"its agent's records, as the victim", `{"Host":"h2","Kept":["d2"]}`, true}, {"its agent's records", `{"Host":"evil","Kept":["d2"]}`, false}, {"its agent's records, no host named", `{"Kept":["d2"]}`, false}},
		"POST /plugin/nameDockerNetwork": {{"as the victim", `{"ID":"d2","Host":"h2","Name":"evil"}`, true}, {"its network", `{"ID":"d2","Host":"evil","Name":"evil"}`, true}, {"no host named", `{"ID":"d2","Name":"evil"}`, true}},
		"POST /plugin/register": {
			{"as the victim", `{"host":"h2","machine":"m2","vtep":"192.0.2.2","port":4789,"control":"192.0.2.2:9090"}`, true},
			{"with its machine and addresses", `{"host":"evil","machine":"m2","vtep":"192.0.2.2","port":4789,"control":"192.0.2.2:9090","seat":"s2"}`, true},
			{"with its tunnel address", `{"host":"evil","machine":"me","vtep":"192.0.2.2","port":4789}`, true},
			{"with its control address", `{"host":"evil","machine":"me","vtep":"192.0.2.66","port":4789,"control":"192.0.2.2:9090"}`, true},
			{"where a netmaster listens", `{"host":"evil","machine":"me","vtep":"192.0.2.66","port":4789,"control":"192.0.2.200:9999"}`, true},
			{"with the victim's addresses, its endpoint's, a network's and the world's among its own", `{"host":"evil","machine":"me","vtep":"192.0.2.66","port":4789,"own":["192.0.2.2/24","10.1.1.1/24","10.1.1.254/24","203.0.113.77/24"],"interfaces":["blue"]}`, false},
			{"with addresses without end", `{"host":"evil","machine":"me","vtep":"192.0.2.66","port":4789,"own":[` + strings.Repeat(`"192.0.2.66/24",`, record.MaxOwn) + `"192.0.2.66/24"]}`, true},
			{"with an interface whose name moves the cursor", `{"host":"evil","machine":"me","vtep":"192.0.2.66","port":4789,"interfaces":["\u001b[2J"]}`, true},
			{"at a loopback address", `{"host":"evil","machine":"me","vtep":"127.0.0.1","port":4789}`, true},
		},
		"POST /plugin/leave": {{"as the victim", `{"host":"h2","seat":"s2"}`, true}, {"with its seat", `{"host":"evil","seat":"s2"}`, false}},
		"POST /plugin/offer": {{"as the victim", `{"host":"h2","endpoints":[]}`, true},
			{"its endpoint", `{"host":"evil","endpoints":[{"id":"blue.default-db","netID":"blue.default","tenant":"default","endpointID":"db","ipAddress":"10.1.1.1","macAddress":"02:02:0a:01:01:01","homingHost":"h2"}]}`, true},
			{"its endpoint as its own", `{"host":"evil","endpoints":[{"id":"blue.default-db","netID":"blue.default","tenant":"default","endpointID":"db","ipAddress":"10.1.1.1","macAddress":"02:02:0a:01:01:01","homingHost":"evil"}]}`, false},
			{"its address", `{"host":"evil","endpoints":[{"id":"blue.default-mine","netID":"blue.default","tenant":"default","endpointID":"mine","ipAddress":"10.1.1.1","homingHost":"evil"}]}`, false},
			{"the address that it holds", `{"host":"evil","endpoints":[{"id":"blue.default-mine","netID":"blue.default","tenant":"default","endpointID":"mine","ipAddress":"10.1.1.50","homingHost":"evil"}]}`, false},
			{"networks of its own making", `{"host":"evil","endpoints":[],"tenants":[{"id":"evil","tenant":"evil","vrf":9}]}`, false}},
		"POST /plugin/channel":  {{"as the victim", `{"host":"h2"}`, true}},
		"GET /plugin/sessions":  {{"the sessions of all", "", true}},
		"GET /plugin/revoked":   {{"what is revoked", "", false}},
		"GET /plugin/authority": {{"which authorities are trusted", "", false}},
		// Beside the routes of agents.
		"GET /api/v1/auth/whoami": {{"", "", false}},
		"GET /api/v1/leave":       {{"the victim's endpoints", "host=h2", true}, {"its own", "host=evil", false}},
		"POST /api/v1/leave":      {{"the victim", `{"agent":"h2"}`, true}, {"with a netmaster", `{"agent":"evil","master":"m1"}`, true}, {"a netmaster", `{"master":"m1"}`, true}, {"no one", `{}`, true}},
		"POST /api/v1/drain":      {{"the victim", `{"host":"h2"}`, true}, {"its own", `{"host":"evil"}`, false}, {"no one", `{}`, true}},
		"POST /api/v1/readdress": {{"the victim", `{"host":"h2","address":"192.0.2.66"}`, true}, {"to the victim's address", `{"host":"evil","address":"192.0.2.2"}`, true},
			{"to an address that it does not ask from", `{"host":"evil","address":"203.0.113.7"}`, true}, {"its netmaster", `{"host":"evil","address":"192.0.2.66","peerURL":"https://192.0.2.66:2380"}`, true}, {"no one", `{}`, true}},
		"POST /api/v1/certificates/renew": {{"a request that is none", `{"request":"x"}`, true}},
	}
}

// A host that was taken over speaks only for itself at every route, of which none is left out: at those of agents and the few others that its certificate reaches; while the agent of the host that it is after runs,
// and while that one is away.
func TestRogueAgent(t *testing.T) {
	deeds := rogueDeeds()
	for _, away := range []bool{false, true} {
		m := mastertest.Start(t, mastertest.Options{Secure: true})
		victimised(t, m)
		if away {
			if _, err := m.Registrar.Leave(t.Context(), "h2", "s2"); err != nil {
				t.Fatal(err)
			}
		}
		before := of(m, "h2")
		if len(before) < 3 {
			t.Fatalf("the victim has %v", slices.Collect(maps.Keys(before)))
		}
		walked := map[string]bool{}
		for _, r := range m.Routes {
			name := r.Method + " " + r.Path
			path := strings.NewReplacer(":key", "x", ":kind", "network", ":id", "x", ":host", "h2", ":what", "flows", ":namespace", "x").Replace(r.Path)
			evil := m.As(trust.Identity{Role: trust.Agent, Name: "evil"})
			if r.Access.Open != nil {
				continue // TestStrangers
			}
			walked[name] = true
			if len(deeds[name]) == 0 {
				if got, text := status(t, evil, r.Method, path, "{}"); got != http.StatusForbidden {
					t.Errorf("%s reaches a host that was taken over: say in rogueDeeds what it sends there; got %d %s", name, got, text)
				}
			}
			for _, d := range deeds[name] {
				at, body := path, d.body
				if r.Method == http.MethodGet && body != "" {
					at, body = path+"?"+body, ""
				}
				got, text := status(t, evil, r.Method, at, body)
				if (got >= http.StatusBadRequest) != d.refused && !(got >= http.StatusBadRequest && got < http.StatusInternalServerError) {
					t.Errorf("%s, %s (away %t): got %d %s", name, d.name, away, got, text)
				}
				if after := of(m, "h2"); !maps.EqualFunc(before, after, bytes.Equal) {
					t.Fatalf("%s, %s (away %t), has changed what is the victim's: %d %s\nbefore %s\nafter  %s", name, d.name, away, got, text, before, after)
				}
			}
		}
		m.Catalog.View(func(v *catalog.View) {
			for _, r := range v.Ownership().Reports() {
				if r.Host == "evil" && r.Counts() {
					t.Errorf("the address %s, which the rogue reports, counts for it", r.Addr)
				}
			}
			if h := v.Host("evil"); h == nil || len(h.Own) == 0 {
				t.Errorf("want the rogue registered with what it reports, got %+v", h)
			}
		})
		for name := range deeds {
			if !walked[name] {
				t.Errorf("%s is not served", name)
			}
		}
	}
}

// victimised makes what a rogue is after: host h2, its endpoint, an address that it holds, and its Docker network; and a netmaster.
func victimised(t *testing.T, m *mastertest.Master) {
	t.Helper()
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	m.Admitted(t, record.Host{Label: "h2", Machine: "m2", Instance: "s2", VTEP: netip.MustParseAddr("192.0.2.2"), Port: 4789, Control: netip.MustParseAddrPort("192.0.2.2:9090")})
	m.Kubernetes(t, &record.Service{ServiceName: record.ServiceMaster, HostAddr: "192.0.2.200", Port: 9999, Role: "leader"})
	h2 := m.As(trust.Identity{Role: trust.Agent, Name: "h2"})
	if _, _, err := h2.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "db", ContainerID: "db", Machine: "m2",
		Labels: map[string]string{"app": "db"}, ConfigEP: model.EndpointConfigRequest{Container: "db", Host: "h2"}}); err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{
		"/plugin/allocAddress":        `{"NetworkID":"blue.default","PreferredIPv4Address":"10.1.1.50","By":"h2"}`,
		"/plugin/createDockerNetwork": `{"ID":"d2","Host":"h2","Options":{"network":"blue","io.contiv.managed":"true"},"Pools":[{"Subnet":"10.1.1.0/24"}]}`,
	} {
		if got, text := status(t, h2, "POST", path, body); got != http.StatusOK {
			t.Fatalf("%s: %d %s", path, got, text)
		}
	}
}

// of is what the store has of a host, by key.
func of(m *mastertest.Master, host string) map[string][]byte {
	out := map[string][]byte{}
	m.Catalog.View(func(v *catalog.View) {
		for key, value := range v.Values() {
			var r struct{ Host, By, HomingHost string }
			_ = json.Unmarshal(value, &r)
			if strings.HasSuffix(key, "/"+host) || slices.Contains([]string{r.Host, r.By, r.HomingHost}, host) {
				out[key] = value
			}
		}
	})
	return out
}

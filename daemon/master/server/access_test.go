// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api"
	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/trust"
)

var (
	admin   = trust.Identity{Role: trust.User, Name: "admin"}
	agentH1 = trust.Identity{Role: trust.Agent, Name: "h1"}
	master  = trust.Identity{Role: trust.Master, Name: "m2"}
	monitor = trust.Identity{Role: trust.Monitor, Name: "prometheus"}
)

// Every route declares its access.
func TestEveryRouteHasAccess(t *testing.T) {
	for _, r := range mastertest.Start(t, mastertest.Options{}).Routes {
		if a := r.Access; a.Open == nil && !a.User && a.Verb == "" && len(a.Roles) == 0 {
			t.Errorf("%s %s: its access is not set: add Allow where the route is added", r.Method, r.Path)
		}
	}
}

// status is what a netmaster answers to a request of a client, with the text of the answer.
func status(t *testing.T, c channel.Master, method, path, body string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, c.Base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Accept", "application/json")
	q.Header.Set("Content-Type", "application/json")
	answer, err := c.HTTP.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	return answer.StatusCode, string(text)
}

// Unauthenticated requests reach only routes that are open to everyone, and a role other than a user's reaches only the routes that it needs.
func TestRoutesByRole(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	open := api.Open()
	reach := map[trust.Role][]string{
		trust.Agent: {"GET /api/v1/auth/whoami", "POST /plugin/allocAddress", "POST /plugin/releaseAddress", "POST /plugin/createEndpoint", "POST /plugin/deleteEndpoint",
			"POST /plugin/updateEndpoint", "POST /plugin/requestDockerPool", "POST /plugin/createDockerNetwork", "POST /plugin/deleteDockerNetwork", "POST /plugin/nameDockerNetwork", "POST /plugin/register",
			"POST /plugin/leave", "POST /plugin/offer", "POST /plugin/channel", "GET /plugin/revoked", "GET /plugin/authority", "GET /api/v1/leave", "POST /api/v1/leave", "POST /api/v1/drain", "POST /api/v1/readdress", "POST /api/v1/certificates/renew"},
		trust.Master: {"GET /api/v1/auth/whoami", "GET /plugin/sessions", "GET /api/v1/nodes/self", "POST /api/v1/audit", "GET /api/v1/leave", "POST /api/v1/leave", "POST /api/v1/drain", "POST /api/v1/readdress", "GET /api/v1/leadership", "GET /api/v1/leadership/peers", "GET /api/v1/tokens",
			"GET /api/v1/authority", "POST /api/v1/authority", "POST /api/v1/tokens", "DELETE /api/v1/tokens/:id", "GET /api/v1/certificates", "POST /api/v1/certificates", "POST /api/v1/certificates/renew",
			"POST /api/v1/certificates/revoke", "POST /api/v1/leadership/handover", "GET /metrics", "GET /api/v1/log", "GET /api/v1/logs"},
		trust.Monitor: {"GET /api/v1/auth/whoami", "GET /metrics", "GET /metrics/:host", "GET /info", "GET /api/v1/nodes", "GET /api/v1/nodes/self", "GET /api/v1/health", "GET /api/v1/leadership", "GET /api/v1/leadership/peers",
			"POST /api/v1/certificates/renew"},
	}
	for _, r := range m.Routes {
		name := r.Method + " " + r.Path
		path := strings.NewReplacer(":key", "x", ":kind", "network", ":id", "x", ":host", "h1", ":what", "flows", ":namespace", "x", ":tenant", "x", ":category", "net").Replace(r.Path)
		if got, text := status(t, m.Stranger(), r.Method, path, "{}"); (got == http.StatusUnauthorized) == slices.Contains(open, name) && name != "POST /api/v1/auth/login" {
			t.Errorf("%s, of a stranger: got %d %s", name, got, text)
		}
		if r.Stream {
			continue // of watches and captures the refusals above are enough
		}
		for _, who := range []trust.Identity{agentH1, master, monitor} {
			got, text := status(t, m.As(who), r.Method, path, "{}")
			may := slices.Contains(open, name) || slices.Contains(reach[who.Role], name)
			if (got == http.StatusForbidden) == may && !strings.Contains(text, "acts for host") {
				t.Errorf("%s, of the %s: may reach it %t, got %d %s", name, who.Role, may, got, text)
			}
		}
	}
}

// An invalid token is 401 at every route, with any certificate, and the answer reveals nothing of the route.
func TestBadTokens(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	for _, token := range []string{"x", ".", "a.b.c", strings.Repeat("A", 43) + ".0", strings.Repeat("A", 43) + ".zzzzzzzzzzzz", strings.Repeat("A", 43) + ".-1"} {
		for _, path := range []string{"/api/v1/networks/", "/api/v1/auth/whoami", "/metrics"} {
			if got, text := status(t, m.Holding(token), "GET", path, ""); got != http.StatusUnauthorized || !strings.Contains(text, "netctl login") {
				t.Errorf("%q at %s: want 401 with a remedy, got %d %s", token, path, got, text)
			}
		}
	}
}

// An agent acts for its own host, by whatever field a request names one.
func TestAgentsActForTheirHosts(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	root, own, other := m.As(admin), m.As(agentH1), m.As(trust.Identity{Role: trust.Agent, Name: "h2"})
	endpoint := func(c channel.Master, name, host string) error {
		_, _, err := c.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: name,
			ConfigEP: model.EndpointConfigRequest{Container: name, Host: host}})
		return err
	}
	if err := endpoint(own, "c1", "h1"); err != nil {
		t.Fatal(err)
	}
	mastertest.Refused(t, endpoint(other, "c2", "h1"), model.CodeDenied, "h1")
	gone := model.DeleteEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "c1"}
	if err := other.DeleteEndpoint(t.Context(), gone); err != nil { // of its own host there is none, which is success
		t.Error(err)
	}
	started := model.UpdateEndpointRequest{Event: "start", Tenant: "default", Network: "blue", EndpointID: "c1", ContainerID: "x"}
	mastertest.Refused(t, other.UpdateEndpoint(t.Context(), started), model.CodeNotFound, "not on host h2")
	if err := own.UpdateEndpoint(t.Context(), started); err != nil {
		t.Error(err)
	}
	if list, err := root.Endpoints().List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("want the endpoint of h1 still, got %d, %v", len(list), err)
	}
	held, err := own.AllocAddress(t.Context(), model.AllocAddressRequest{NetworkID: "blue.default"})
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(held.IPv4Address, "/")
	if err := other.ReleaseAddress(t.Context(), model.ReleaseAddressRequest{NetworkID: "blue.default", IPv4Address: address}); err != nil {
		t.Error(err)
	}
	m.Catalog.View(func(v *catalog.View) {
		if len(v.Holds()) != 1 {
			t.Error("an agent has given back what another host holds")
		}
	})
	for path, body := range map[string]string{
		"/plugin/register": `{"host":"h1","machine":"m","seat":"s","vtep":"10.0.0.9","port":4789}`, "/plugin/leave": `{"host":"h1"}`, "/plugin/offer": `{"host":"h1","endpoints":[]}`, "/plugin/channel": `{"host":"h1"}`,
		"/plugin/createDockerNetwork": `{"ID":"d1","Host":"h1"}`, "/plugin/allocAddress": `{"NetworkID":"blue.default","By":"h1"}`,
	} {
		if got, text := status(t, other, "POST", path, body); got != http.StatusForbidden || !strings.Contains(text, "h2") {
			t.Errorf("%s of h2 for h1: want 403, got %d %s", path, got, text)
		}
	}
	if got, _ := status(t, own, "GET", "/api/v1/networks/", ""); got != http.StatusForbidden {
		t.Errorf("an agent lists networks: got %d", got)
	}
}

// login makes a user with a role, and returns a client with a session of that user.
func login(t *testing.T, m *mastertest.Master, name, role, tenant string) channel.Master {
	t.Helper()
	root := m.As(admin)
	mastertest.Put(t, root.Users(), &model.User{Username: name})
	mastertest.Put(t, root.Authorizations(), &model.Authorization{AuthorizationName: name + "-1", UserName: name, Role: role, Scope: tenant})
	if err := root.SetPassword(t.Context(), model.PasswordRequest{Username: name, Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	return m.Holding(session(t, m, name, "correct horse").Token)
}

func session(t *testing.T, m *mastertest.Master, name, password string) (out model.Token) {
	t.Helper()
	text, _ := json.Marshal(model.Login{Username: name, Password: password})
	got, answer := status(t, m.Stranger(), "POST", "/api/v1/auth/login", string(text))
	if err := json.Unmarshal([]byte(answer), &out); err != nil || got != http.StatusOK || out.Token == "" {
		t.Fatalf("login of %s: %d %s", name, got, answer)
	}
	return out
}

// A tenant's user sees and changes the tenant, and nothing else: by lists, watches, histories, and every other view of objects.
func TestTenantsUser(t *testing.T) {
	ctx := t.Context()
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	for _, tenant := range []string{"blue", "red"} {
		m.Must(t, "tenant "+tenant, "network net-"+tenant+" tenantName="+tenant+" encap=vxlan subnet=10.1.1.0/24")
	}
	if _, _, err := m.As(agentH1).CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "red", NetworkName: "net-red", EndpointID: "c-red", ConfigEP: model.EndpointConfigRequest{Container: "c-red", Host: "h1"}}); err != nil {
		t.Fatal(err)
	}
	ann := login(t, m, "ann", "tenant-admin", "blue")
	mastertest.Put(t, ann.Policys(), &model.Policy{TenantName: "blue", PolicyName: "p"})
	for _, path := range []string{"/api/v1/networks/", "/api/v1/tenants/", "/api/v1/endpoints/", "/api/v1/history", "/api/v1/history?at=2100-01-01T00:00:00Z", "/services", "/api/v1/docknets", "/api/v1/users/", "/api/v1/find?q=net", "/api/v1/find?q=10.1.1.1", "/api/v1/find?q=c-&limit=200", "/api/v1/find?q=h1",
		"/api/v1/networks/?limit=10", "/api/v1/ledger?tenant=blue", "/api/v1/addresses?tenant=blue&network=net-blue", "/api/v1/counters?tenant=blue", "/api/v1/auth/whoami", "/api/v1/networks/blue:none/"} {
		got, text := status(t, ann, "GET", path, "")
		if strings.Contains(text, "red") || strings.Contains(text, "default") || got != http.StatusOK && !strings.HasSuffix(path, "none/") {
			t.Errorf("%s shows another tenant: %d %s", path, got, text)
		}
	}
	for _, refused := range []string{"GET /api/v1/networks/red:net-red/", "GET /api/v1/inspect/networks/red:net-red/", "GET /api/v1/history/network/red:net-red?at=2100-01-01T00:00:00Z", "GET /api/v1/ledger", "GET /api/v1/ledger?tenant=red",
		"GET /api/v1/addresses?address=10.1.1.1", "DELETE /api/v1/networks/red:net-red/", "DELETE /api/v1/tenants/blue/", "GET /api/v1/nodes", "GET /metrics", "GET /metrics/h1", "GET /api/v1/audit", "GET /api/v1/agents/h1/flows",
		"POST /api/v1/agents/h1/drift", "GET /api/v1/capture?of=c-red", "GET /api/v1/capture?of=x&tenant=blue", "GET /api/v1/observe", "GET /api/v1/observe?tenant=red", "GET /api/v1/counters", "GET /api/v1/counters?tenant=red", "GET /api/v1/why?from=c-red&to=c-red", "GET /api/v1/why?from=c-red&to=c-red&tenant=red", "GET /api/v1/matrix/red",
		"GET /api/v1/auth/tokens", "GET /api/v1/users/ann/", "GET /api/v1/globals/global/"} {
		method, path, _ := strings.Cut(refused, " ")
		if got, text := status(t, ann, method, path, "{}"); got != http.StatusForbidden || !strings.Contains(text, `"remedy"`) {
			t.Errorf("%s: want 403 with a remedy, got %d %s", refused, got, text)
		}
	}
	for _, wrong := range []string{`POST /api/v1/globals/global/ {"name":"global","vlans":"none"}`, `PUT /api/v1/networks/red:net/ {`, `POST /api/v1/networks/red:net/ {"tenantName":"red","networkName":"net","encap":"none"}`,
		`POST /api/v1/apply {"objects":[{"kind":"global","fields":{"name":"global","vlans":"none"}}]}`} { // what is wrong with it is not said either
		words := strings.SplitN(wrong, " ", 3)
		if got, text := status(t, ann, words[0], words[1], words[2]); got != http.StatusForbidden {
			t.Errorf("%s: want 403, got %d %s", wrong, got, text)
		}
	}
	if got, text := status(t, ann, "POST", "/api/v1/apply", `{"objects":[{"kind":"network","fields":{"networkName":"net"}}]}`); got != http.StatusBadRequest || !strings.Contains(text, "tenantName") {
		t.Errorf("an object without a tenant: want 400, got %d %s", got, text)
	}
	if got, text := status(t, ann, "GET", "/api/v1/inspect/endpoints/c-red/", ""); got != http.StatusNotFound || strings.Contains(text, "red:") {
		t.Errorf("an endpoint of another tenant, by its container: want 404, got %d %s", got, text)
	}
	apply := `{"objects":[{"kind":"policy","fields":{"tenantName":"blue","policyName":"q"}},{"kind":"policy","fields":{"tenantName":"red","policyName":"q"}}]}`
	if got, text := status(t, ann, "POST", "/api/v1/apply", apply); got != http.StatusForbidden || !strings.Contains(text, "change policies of tenant red") || !strings.Contains(text, "tenant-admin of red") {
		t.Errorf("an object of another tenant among several: got %d %s", got, text)
	}
	label := `{"set":{"a":"b"},"objects":[{"kind":"policy","fields":{"tenantName":"blue","policyName":"p"}},{"kind":"policy","fields":{"tenantName":"red","policyName":"q"}}]}`
	if got, text := status(t, ann, "POST", "/api/v1/labels", label); got != http.StatusForbidden || !strings.Contains(text, "change policies of tenant red") {
		t.Errorf("a label of an object of another tenant among several: got %d %s", got, text)
	}
	watchesOwn(t, m, ann)
}

// watchesOwn checks that a watch shows only the tenant blue, and ends when rights change.
func watchesOwn(t *testing.T, m *mastertest.Master, c channel.Master) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Base+"/api/v1/watch", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.HTTP.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	m.Must(t, "policy r tenantName=red", "policy b tenantName=blue", "rm policy b tenantName=blue")
	m.Must(t, "user eve")
	text, err := io.ReadAll(answer.Body) // which ends, since users have changed
	if err != nil || bytes.Contains(text, []byte("red")) || !bytes.Contains(text, []byte("blue")) {
		t.Errorf("the watch shows %s, %v", text, err)
	}
}

// A session ends by logout, by another password, by the user's end, and after its time; a service account's token when it is revoked.
func TestSessionsEnd(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	root := m.As(admin)
	alive := func(c channel.Master) bool {
		got, _ := status(t, c, "GET", "/api/v1/tenants/", "")
		return got == http.StatusOK
	}
	end := func(what string, c channel.Master, by func()) {
		t.Helper()
		if !alive(c) {
			t.Errorf("%s: no session before", what)
		}
		if by(); alive(c) {
			t.Errorf("%s: the session continues", what)
		}
	}
	ann := login(t, m, "ann", "viewer", "")
	second := func() channel.Master { return m.Holding(session(t, m, "ann", "correct horse").Token) }
	if got, text := status(t, root, "DELETE", "/api/v1/users/ann/", ""); got != http.StatusConflict || !strings.Contains(text, "ann-1") {
		t.Errorf("a user with an authorization goes: got %d %s", got, text)
	}
	out := second()
	end("logout", out, func() { _, _ = status(t, out, "POST", "/api/v1/auth/logout", "{}") })
	end("another password", ann, func() {
		if err := root.SetPassword(t.Context(), model.PasswordRequest{Username: "ann", Password: "correct horse"}); err != nil {
			t.Fatal(err)
		}
	})
	end("disabled", second(), func() { mastertest.Put(t, root.Users(), &model.User{Username: "ann", Disabled: "yes"}) })
	if got, _ := status(t, m.Stranger(), "POST", "/api/v1/auth/login", `{"username":"ann","password":"correct horse"}`); got != http.StatusUnauthorized {
		t.Errorf("login of a disabled user: got %d", got)
	}
	mastertest.Put(t, root.Users(), &model.User{Username: "robot", Type: "service"})
	token, err := root.IssueToken(t.Context(), model.TokenRequest{User: "robot", Label: "backup"})
	if err != nil {
		t.Fatal(err)
	}
	end("revoked", m.Holding(token.Token), func() {
		if err := root.RevokeToken(t.Context(), token.ID); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := root.IssueToken(t.Context(), model.TokenRequest{User: "ann"}); !client.IsCode(err, model.CodeInvalid) {
		t.Errorf("a token of a person: got %v", err)
	}
}

// The first admin is made once, with a certificate, and its password is a password.
func TestFirstAdmin(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	var first model.Login
	got, text := status(t, m.As(admin), "POST", "/api/v1/auth/first-admin", "{}")
	if err := json.Unmarshal([]byte(text), &first); err != nil || got != http.StatusOK {
		t.Fatalf("got %d %s", got, text)
	}
	if got, text := status(t, m.As(admin), "POST", "/api/v1/auth/first-admin", "{}"); got != http.StatusConflict {
		t.Errorf("a second time: got %d %s", got, text)
	}
	c := m.Holding(session(t, m, first.Username, first.Password).Token)
	mastertest.Put(t, c.Tenants(), &model.Tenant{TenantName: "blue"})
	list, err := c.History(t.Context(), client.HistoryQuery{Kind: "tenant", Key: "blue"})
	if err != nil || len(list) != 1 || list[0].By.Proved != "admin" || list[0].By.Proof != "session" {
		t.Errorf("who has made the tenant: got %+v, %v", list, err)
	}
	if got, text := status(t, c, "DELETE", "/api/v1/authorizations/admin/", ""); got != http.StatusConflict || !strings.Contains(text, "no admin") {
		t.Errorf("the last admin goes: got %d %s", got, text)
	}
	if err := m.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, text = status(t, c, "GET", "/api/v1/audit", "")
	if !strings.Contains(text, `"verb":"login","user":"admin","proof":"session"`) || strings.Contains(text, first.Password) {
		t.Errorf("the audit: %s", text)
	}
	m.Catalog.View(func(v *catalog.View) {
		for key, value := range v.Values() {
			if bytes.Contains(value, []byte(first.Password)) {
				t.Errorf("%s has the password: %s", key, value)
			}
		}
	})
}

// A follower vouches for the subject of a request; the same header from anyone else is ignored.
func TestSpoofedSubjects(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	ann := login(t, m, "ann", "viewer", "")
	for name, c := range map[string]channel.Master{"a stranger": m.Stranger(), "an agent": m.As(agentH1), "a viewer": ann, "a netmaster without a voucher": m.As(master)} {
		for _, path := range []string{"/api/v1/tenants/evil/", "/api/v1/auth/tokens"} {
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.Base+path, strings.NewReader(`{"tenantName":"evil"}`))
			if err != nil {
				t.Fatal(err)
			}
			for header, value := range map[string]string{"Accept": "application/json", "X-Contiv-Subject": "user admin certificate", "X-Contiv-Forwarded-By": "192.0.2.1:9999", "X-Contiv-Client": "203.0.113.66", "X-Contiv-Voucher": "1 00"} {
				q.Header.Set(header, value)
			}
			answer, err := c.HTTP.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden && answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s, %s: got %d", name, path, answer.StatusCode)
			}
		}
	}
	if err := m.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, text := status(t, m.As(admin), "GET", "/api/v1/audit?verb=refused", "")
	if strings.Contains(text, "203.0.113.66") || !strings.Contains(text, `"user":"ann"`) {
		t.Errorf("the audit takes a claimed address for the real one: %s", text)
	}
}

// A session does not become a certificate, and no right of a user stands in for a netmaster's certificate.
func TestSessionIsNoCertificate(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	ann := login(t, m, "ann", "admin", "")
	r, err := trust.NewRequest()
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(model.RenewRequest{Request: string(r.PEM())})
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{"/api/v1/certificates/renew": string(body), "/api/v1/audit": `[{"verb":"login","user":"bob"}]`} {
		for name, c := range map[string]channel.Master{"a session of an admin": ann} {
			if got, text := status(t, c, "POST", path, body); got != http.StatusForbidden || !strings.Contains(text, "certificates of") {
				t.Errorf("%s, %s: got %d %s", path, name, got, text)
			}
		}
	}
	for _, r := range m.Routes { // of every route that certificates open and no right: the session does not
		if a := r.Access; len(a.Roles) > 0 && a.Verb == "" && !a.User {
			path := strings.NewReplacer(":id", "x", ":host", "h1", ":what", "flows").Replace(r.Path)
			if got, text := status(t, ann, r.Method, path, "{}"); got != http.StatusForbidden {
				t.Errorf("%s %s: got %d %s", r.Method, r.Path, got, text)
			}
		}
	}
}

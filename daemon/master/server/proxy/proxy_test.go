// SPDX-License-Identifier: Apache-2.0

package proxy_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/trust"
)

// ask is one request at the proxy of a netmaster: status and body of the answer.
func ask(t *testing.T, h http.Handler, method, path, token, body string) (int, string) {
	t.Helper()
	q := httptest.NewRequest(method, path, strings.NewReader(body))
	q.Host = "127.0.0.1:10000"
	if token != "" {
		q.Header.Set("X-Auth-Token", token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, q)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// The original's clients find what they know: its paths, its status codes, its words for what is refused.
func TestProxy(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	root := m.As(trust.Identity{Role: trust.User, Name: "admin"})
	mastertest.Put(t, root.Users(), &model.User{Username: "root"})
	mastertest.Put(t, root.Authorizations(), &model.Authorization{AuthorizationName: "root", UserName: "root", Role: "admin"})
	if err := root.SetPassword(t.Context(), model.PasswordRequest{Username: "root", Password: "correct horse"}); err != nil {
		t.Fatal(err)
	}
	m.Must(t, "tenant blue")
	m.Must(t, "tenant red")
	tokens := map[string]string{"bad": strings.Repeat("A", 43) + ".0"}
	authz := ""
	const base = "/api/v1/auth_proxy/"
	for _, row := range []struct {
		name, method, path, as, body string
		status                       int
		want                         string // is in the answer
	}{
		{"version", "GET", base + "version/", "", "", 200, `{"version":"test"}`},
		{"health", "GET", base + "health/", "", "", 200, `{"status":"healthy"}`},
		{"login without a password", "POST", base + "login/", "", `{"username":"root"}`, 400, `{"error":"Username and password must be provided"}`},
		{"login with a wrong one", "POST", base + "login/", "", `{"username":"root","password":"x"}`, 401, `{"error":"Invalid username/password"}`},
		{"login that is no JSON", "POST", base + "login/", "", `{`, 400, `{"error":`},
		{"login", "POST", base + "login/", "", `{"username":"root","password":"correct horse"}`, 200, `{"token":"`},
		{"login as netctl asks for it", "POST", "/api/v1/auth/login", "", `{"username":"root","password":"correct horse"}`, 200, `"proof":"session"`},
		{"nothing there", "GET", base + "nothing/", "", "", 404, `{"error":"Not found"}`},
		{"no token", "GET", "/api/v1/tenants/", "", "", 401, `{"error":"Empty auth token"}`},
		{"a bad token", "GET", "/api/v1/tenants/", "bad", "", 401, `{"error":"Bad token"}`},
		{"a user", "POST", base + "local_users/", "root", `{"username":"joe","password":"battery staple","first_name":"Joe","disable":false}`, 201, `{"username":"joe","first_name":"Joe","last_name":"","disable":false}`},
		{"the user again", "POST", base + "local_users/", "root", `{"username":"joe","password":"battery staple"}`, 400, `{"error":"user exists already"}`},
		{"a user with a short password", "POST", base + "local_users/", "root", `{"username":"jim","password":"x"}`, 400, `8 to 256 bytes`},
		{"a user that was deleted", "GET", base + "local_users/jim/", "root", "", 404, ""},
		{"a changed user", "PATCH", base + "local_users/joe/", "root", `{"last_name":"Doe"}`, 200, `"last_name":"Doe"`},
		{"the users", "GET", base + "local_users/", "root", "", 200, `[{"username":"joe","first_name":"Joe","last_name":"Doe","disable":false},{"username":"root"`},
		{"an authorization", "POST", base + "authorizations/", "root", `{"principalName":"joe","local":true,"role":"ops","tenantName":"blue"}`, 201, `"PrincipalName":"joe","Local":true,"Role":"ops","TenantName":"blue"}`},
		{"one without a tenant", "POST", base + "authorizations/", "root", `{"principalName":"joe","local":true,"role":"ops"}`, 400, `{"error":"tenant name is missing"}`},
		{"the authorizations", "GET", base + "authorizations/", "root", "", 200, `"Role":"ops"`},
		{"login of the user", "POST", base + "login/", "", `{"username":"joe","password":"battery staple"}`, 200, `{"token":"`},
		{"the user's tenant", "GET", "/api/v1/tenants/blue/", "joe", "", 200, `"tenantName":"blue"`},
		{"another tenant", "GET", "/api/v1/tenants/red/", "joe", "", 403, `{"error":"Insufficient privileges"}`},
		{"users, to no admin", "GET", base + "local_users/", "joe", "", 403, `{"error":"access denied`},
		{"authorizations, to no admin", "GET", base + "authorizations/", "joe", "", 403, `{"error":"access denied`},
		{"no LDAP", "GET", base + "ldap_configuration/", "root", "", 404, ""},
		{"LDAP without TLS", "PUT", base + "ldap_configuration/", "root", `{"server":"ldap","port":389,"base_dn":"dc=x","start_tls":false}`, 400, `{"error":`},
		{"LDAP", "PUT", base + "ldap_configuration/", "root", `{"server":"ldap","port":389,"base_dn":"dc=x","service_account_dn":"cn=c","service_account_password":"hidden words","start_tls":true}`, 201, `"server":"ldap"`},
		{"LDAP, in part", "PATCH", base + "ldap_configuration/", "root", `{"port":1389}`, 200, `"port":1389`},
		{"LDAP as it is", "GET", base + "ldap_configuration/", "root", "", 200, `"base_dn":"dc=x","service_account_dn":"cn=c","start_tls":true`},
		{"LDAP gone", "DELETE", base + "ldap_configuration/", "root", "", 204, ""},
		{"the authorization gone", "DELETE", base + "authorizations/AUTHZ/", "root", "", 204, ""},
		{"the tenant, without it", "GET", "/api/v1/tenants/blue/", "joe", "", 403, `{"error":"Insufficient privileges"}`},
		{"the user gone", "DELETE", base + "local_users/joe/", "root", "", 204, ""},
		{"its token, without it", "GET", "/api/v1/tenants/", "joe", "", 401, `{"error":"Bad token"}`},
	} {
		got, text := ask(t, m.Proxied, row.method, strings.Replace(row.path, "AUTHZ", authz, 1), tokens[row.as], row.body)
		if got != row.status || !strings.Contains(text, row.want) || strings.Contains(text, "hidden words") || strings.Contains(text, "battery") {
			t.Errorf("%s: want %d with %s, got %d %s", row.name, row.status, row.want, got, text)
		}
		var said struct{ Token, AuthzUUID string }
		if json.Unmarshal([]byte(text), &said) == nil && said.Token != "" {
			var who model.Login
			_ = json.Unmarshal([]byte(row.body), &who)
			tokens[who.Username] = said.Token
		}
		if said.AuthzUUID != "" {
			authz = said.AuthzUUID
		}
	}
}

// The proxy answers every request, and its refusals are JSON.
func FuzzProxy(f *testing.F) {
	m := mastertest.Start(f, mastertest.Options{Secure: true})
	f.Add("POST", "login/", `{"username":"a","password":"b"}`, "")
	f.Add("PUT", "ldap_configuration/", `{"port":-1}`, "a.0")
	f.Add("PATCH", "local_users/..%2fx/", `null`, ".")
	f.Add("POST", "authorizations/", `[]`, strings.Repeat("A", 43)+".0")
	f.Fuzz(func(t *testing.T, method, path, body, token string) {
		q, err := http.NewRequest(method, "http://127.0.0.1/", strings.NewReader(body))
		if err != nil {
			return
		}
		q.URL.Path = "/api/v1/auth_proxy/" + path
		q.RequestURI, q.RemoteAddr = q.URL.RequestURI(), "192.0.2.1:4000"
		q.Header.Set("X-Auth-Token", token)
		w := httptest.NewRecorder()
		m.Proxied.ServeHTTP(w, q)
		if w.Code == http.StatusInternalServerError || w.Code == http.StatusCreated || w.Code == http.StatusNoContent {
			t.Errorf("%s %q: %d %s", method, path, w.Code, w.Body)
		}
	})
}

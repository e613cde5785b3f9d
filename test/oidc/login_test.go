// SPDX-License-Identifier: Apache-2.0

package oidc

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// start runs a netmaster that knows the provider, with a role for its group network, and one that a user and a group of the directory of
// these names have.
func start(t *testing.T, p *running, clock func() time.Time) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{Secure: true, Provider: auth.NewOpenID(clock)})
	for _, line := range []string{"user ann", "authorization local userName=ann role=admin", "authorization directory groupName=network role=operator", "authorization net groupName=oidc:network role=viewer"} {
		m.Must(t, line)
	}
	p.configure(t, m, func(*model.OidcConfiguration) {})
	return m
}

// A browser and a device begin sessions with the roles of the provider's groups, and with no one else's. They end with the provider.
func TestLogin(t *testing.T) {
	p := startProvider(t)
	m := start(t, p, nil)
	for _, way := range []struct {
		name string
		args []string
	}{{"browser", []string{"login", "--oidc"}}, {"device", []string{"login", "--device"}}} {
		n := newPerson(t, m, p, "ann")
		if code := n.netctl(way.args...); code != 0 || !strings.Contains(n.out.String(), "Logged in as oidc:ann@example.org") {
			t.Fatalf("%s: exit %d\n%s%s", way.name, code, &n.out, &n.err)
		}
		if code := n.netctl("auth", "whoami"); code != 0 || !strings.Contains(n.out.String(), "user oidc:ann@example.org, authenticated by oidc\nroles: viewer\n") {
			t.Errorf("%s: %s%s", way.name, &n.out, &n.err)
		}
		if code := n.netctl("network", "create", "blue", "-s", "10.1.1.0/24"); code == 0 {
			t.Errorf("%s: a viewer changes something", way.name)
		}
	}
	n := newPerson(t, m, p, "ann")
	if code := n.netctl("login", "--oidc"); code != 0 {
		t.Fatal(n.err.String())
	}
	p.configure(t, m, func(c *model.OidcConfiguration) { c.ClientId = "other" })
	if code := n.netctl("auth", "whoami"); code == 0 || !strings.Contains(n.err.String(), "no longer") {
		t.Errorf("a session outlives its provider: %s%s", &n.out, &n.err)
	}
	if err := m.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var audit string
	for _, e := range m.Audit.List(auditAll()) {
		audit += e.Verb + " " + e.User + " " + e.Proof + "\n"
	}
	if !strings.Contains(audit, "login oidc:ann@example.org oidc\n") {
		t.Errorf("the audit lacks the login:\n%s", audit)
	}
}

// A client with a secret proves itself, which the store has sealed.
func TestConfidential(t *testing.T) {
	p := startProvider(t)
	m := start(t, p, nil)
	p.configure(t, m, func(c *model.OidcConfiguration) { c.ClientId = "confidential" })
	n := newPerson(t, m, p, "ann")
	if code := n.netctl("login", "--oidc", "--port", "7654"); code == 0 || !strings.Contains(n.err.String(), "netctl auth oidc-secret") {
		t.Errorf("without the secret: exit %d\n%s%s", code, &n.out, &n.err)
	}
	if _, err := m.Users.SetOIDCSecret(t.Context(), "open sesame"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"login", "--oidc", "--port", "7654"}, {"login", "--device"}} {
		if code := n.netctl(args...); code != 0 {
			t.Errorf("%v: %s%s", args, &n.out, &n.err)
		}
	}
}

// Refusals have the reason and the remedy.
func TestRefusals(t *testing.T) {
	p := startProvider(t)
	for _, row := range []struct {
		name, user string
		clock      time.Duration
		change     func(*model.OidcConfiguration)
		wants      []string
	}{
		{"no groups", "ann", 0, func(c *model.OidcConfiguration) { c.Scopes = "email" }, []string{`groups`, "--scopes"}},
		{"no name", "ann", 0, func(c *model.OidcConfiguration) { c.UsernameClaim = "upn" }, []string{`upn`, "--username-claim"}},
		{"a clock two hours fast", "ann", 2 * time.Hour, func(*model.OidcConfiguration) {}, []string{"has expired", "NTP"}},
		{"a clock two hours slow", "ann", -2 * time.Hour, func(*model.OidcConfiguration) {}, []string{"netmaster's clock says", "NTP"}},
		{"another certificate", "ann", 0, func(c *model.OidcConfiguration) { c.CaCertificate = "" }, []string{"certificate", "--ca-certificate"}},
		{"another issuer", "ann", 0, func(c *model.OidcConfiguration) { c.Issuer += "/" }, []string{"calls itself", "letter by letter"}},
		{"no one answers", "ann", 0, func(c *model.OidcConfiguration) { c.Issuer = "https://127.0.0.1:1" }, []string{"does not answer", "netctl oidc info"}},
	} {
		m := start(t, p, func() time.Time { return time.Now().Add(row.clock) })
		p.configure(t, m, row.change)
		n := newPerson(t, m, p, row.user)
		code := n.netctl("login", "--oidc")
		for _, want := range row.wants {
			if code == 0 || !strings.Contains(n.err.String(), want) {
				t.Errorf("%s: want %q, got exit %d\n%s%s", row.name, want, code, &n.out, &n.err)
			}
		}
		if _, err := os.Stat(n.home + "/.netctl/config.json"); err == nil {
			t.Errorf("%s: there is a session", row.name)
		}
	}
}

// A code counts once, and only with the verifier of the one who logs in.
func TestCode(t *testing.T) {
	p := startProvider(t)
	m := start(t, p, nil)
	q := model.OIDCAuthorize{Redirect: "http://127.0.0.1:7655/callback", State: "s", Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Nonce: auth.Nonce("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")}
	code := func() string {
		at, err := m.Stranger().OIDCAuthorize(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return p.browse(t, at, "ann", false).Query().Get("code")
	}
	login := func(code, verifier string) error {
		_, err := m.Stranger().OIDCLogin(t.Context(), model.OIDCLogin{Verifier: verifier, Code: code, Redirect: q.Redirect})
		return err
	}
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // of RFC 7636, appendix B
	stolen := code()
	if err := login(stolen, "another verifier, of the one who has stolen the code"); err == nil {
		t.Error("a code begins a session of who has stolen it")
	}
	once := code()
	if err := login(once, verifier); err != nil {
		t.Fatal(err)
	}
	mastertest.Refused(t, login(once, verifier), model.CodeUnproved, "a code is valid once")
	q.Nonce = auth.Nonce("another login")
	mastertest.Refused(t, login(code(), verifier), model.CodeUnproved, "another login")
	q.Redirect = "http://192.0.2.1:7655/callback"
	_, err := m.Stranger().OIDCAuthorize(t.Context(), q)
	mastertest.Refused(t, err, model.CodeInvalid, "RFC 8252")
}

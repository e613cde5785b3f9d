// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/master/server"
)

// At every route, of which none is left out, a stranger is refused at once or stays within the table's bounds: of the body, of each text, and of failed
// attempts. The records of the store and of the audit are short and clean afterwards.
func TestStrangers(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true, Provider: refuses{}})
	m.Must(t, "oidcConfiguration oidc issuer=https://id clientId=contiv")
	before := stored(m)
	open := map[string]bool{}
	for _, r := range m.Routes {
		name := r.Method + " " + r.Path
		path := strings.NewReplacer(":key", "x", ":kind", "network", ":id", "x", ":host", "h1", ":what", "flows", ":namespace", "x").Replace(r.Path)
		s := r.Access.Open
		if s == nil {
			for body, what := range map[string]string{"{}": "small", `{"x":"` + strings.Repeat("A", 1<<20) + `"}`: "large"} {
				if got, text := status(t, m.Stranger(), r.Method, path, body); got != http.StatusUnauthorized {
					t.Errorf("%s, a %s body: strangers may not call it, got %d %.200s", name, what, got, text)
				}
			}
			continue
		}
		open[name] = true
		if s.Body == 0 {
			if r.Method != http.MethodGet {
				t.Errorf("%s takes a body, and has no bound for it", name)
			}
			continue
		}
		if s.Body > 64<<10 || s.Text >= s.Body || s.Fails == 0 || s.Fails > 30 || s.Pause < time.Second {
			t.Errorf("%s: a stranger may cost more than is good: %+v", name, *s)
		}
		hostile(t, m, path, s)
	}
	if len(open) != 9 {
		t.Errorf("want nine routes that ask for no proof, got %v", open)
	}
	if err := m.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, e := range m.Audit.List(audit.Filter{}) {
		for _, text := range []string{e.Verb, e.User, e.From, e.Via, e.Target, e.Why} {
			if len(text) > 256 || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("the audit has %q of %d bytes", text[:min(len(text), 80)], len(text))
			}
		}
	}
	if after := stored(m); after > before+64<<10 {
		t.Errorf("strangers had %d bytes stored", after-before)
	}
}

// hostile has a stranger send what is too much for an open route.
func hostile(t *testing.T, m *mastertest.Master, path string, s *rest.Open) {
	t.Helper()
	for name, row := range map[string]struct {
		body   string
		status int
	}{
		"a body too long":    {`{"username":"` + strings.Repeat(" ", s.Body) + `"}`, http.StatusRequestEntityTooLarge},
		"a text too long":    {`{"username":"u` + strings.Repeat("A", s.Text) + `","password":"x"}`, http.StatusRequestEntityTooLarge},
		"a key too long":     {`{"` + strings.Repeat("k", s.Text+1) + `":1}`, http.StatusRequestEntityTooLarge},
		"control characters": {`{"username":"u\u001b]0;pwn\u0007\nx","password":"x","token":"\u001b[2J"}`, 0},
	} {
		if got, text := status(t, m.Stranger(), "POST", path, row.body); got < 400 || got >= 500 || row.status != 0 && got != row.status {
			t.Errorf("%s, %s: want %d, got %d %.200s", path, name, row.status, got, text)
		}
	}
	for range s.Fails {
		_, _ = status(t, m.Stranger(), "POST", path, `{"username":"u","password":"x"}`)
	}
	got, text := status(t, m.Stranger(), "POST", path, `{"username":"u","password":"x"}`)
	if got != http.StatusTooManyRequests || !strings.Contains(text, "remedy") {
		t.Errorf("%s, after %d that failed: want 429, got %d %s", path, s.Fails, got, text)
	}
}

// stored is how much the store has, in bytes.
func stored(m *mastertest.Master) (n int) {
	m.Catalog.View(func(v *catalog.View) {
		for key, value := range v.Values() {
			n += len(key) + len(value)
		}
	})
	return n
}

// refuses is an OpenID provider that refuses everyone.
type refuses struct{}

func (refuses) Authorize(context.Context, *model.OidcConfiguration, model.OIDCAuthorize) (string, error) {
	return "", model.Errorf(model.CodeUnproved, "", "no")
}

func (refuses) Device(context.Context, *model.OidcConfiguration, string, model.OIDCDeviceRequest) (model.OIDCDevice, error) {
	return model.OIDCDevice{}, model.Errorf(model.CodeUnproved, "", "no")
}

func (refuses) Login(context.Context, *model.OidcConfiguration, string, model.OIDCLogin) (auth.Claimed, error) {
	return auth.Claimed{}, model.Errorf(model.CodeUnproved, "", "no")
}

// A site that fails at a route has its other routes, and others have theirs; who succeeds has failed at nothing.
func TestStrangersApart(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	login(t, m, "ann", "viewer", "")
	for range 40 {
		if got, text := status(t, m.Stranger(), "POST", "/api/v1/auth/login", `{"username":"ann","password":"correct horse"}`); got != http.StatusOK {
			t.Fatalf("right passwords count as wrong: %d %s", got, text)
		}
	}
	for range 15 {
		_, _ = status(t, m.Stranger(), "POST", "/api/v1/join", "{}")
	}
	if got, _ := status(t, m.Stranger(), "POST", "/api/v1/join", "{}"); got != http.StatusTooManyRequests {
		t.Errorf("join: got %d", got)
	}
	if got, text := status(t, m.Stranger(), "POST", "/api/v1/auth/login", `{"username":"ann","password":"correct horse"}`); got != http.StatusOK {
		t.Errorf("login, from where others could not join: %d %s", got, text)
	}
}

// Bodies of strangers that do not come to their end hold a bounded number of places, and a client no more than its quarter; who is known waits for none.
func TestSlowStrangers(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true, Limits: server.Limits{Strangers: 4}})
	ctx, end := context.WithCancel(t.Context())
	defer end()
	body, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL+"/api/v1/auth/login", body)
	if err != nil {
		t.Fatal(err)
	}
	q.ContentLength = 1 << 10
	go func() {
		if answer, err := (&http.Transport{}).RoundTrip(q); err == nil {
			_ = answer.Body.Close()
		}
	}()
	_, _ = feed.Write([]byte(`{"username":"`)) // its place is taken once this is read
	tick, late := time.NewTicker(5*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for {
		got, text := status(t, m.Stranger(), "POST", "/api/v1/auth/login", `{}`)
		if got == http.StatusTooManyRequests && strings.Contains(text, "--max-strangers") {
			break
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("a second body of a client with a place of one: got %d %s", got, text)
		}
	}
	if got, text := status(t, m.As(admin), "POST", "/api/v1/auth/login", `{}`); got == http.StatusTooManyRequests && strings.Contains(text, "--max-strangers") {
		t.Errorf("who is known: got %d %s", got, text)
	}
}

// Refused logins, under whatever name, leave room in the audit for the events of others.
func TestAuditGoesOn(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	for range 5 {
		_, _ = status(t, m.Stranger(), "POST", "/api/v1/auth/login", `{"username":"u1`+strings.Repeat("A", 1000000)+`","password":"x"}`)
	}
	if err := m.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	login(t, m, "ann", "viewer", "")
	if err := m.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := m.Audit.List(audit.Filter{User: "ann"})
	text, err := json.Marshal(m.Audit.List(audit.Filter{}))
	if len(all) != 1 || err != nil || len(text) > 8<<10 {
		t.Errorf("of ann %+v, in all %d bytes, %v", all, len(text), err)
	}
}

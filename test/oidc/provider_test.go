// SPDX-License-Identifier: Apache-2.0

package oidc

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// running is a provider, and its certificate.
type running struct{ issuer, ca string }

// startProvider runs a provider until the test ends.
func startProvider(t *testing.T) *running {
	t.Helper()
	if out, err := exec.Command("make", "-s", "-C", "../..", ".cache/provider").CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, out)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cmd := exec.Command("../../.cache/provider", "-ca", ca)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	issuer, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	return &running{strings.TrimSpace(issuer), string(text)}
}

// configure names the provider to a netmaster, with a change.
func (p *running) configure(t *testing.T, m *mastertest.Master, change func(*model.OidcConfiguration)) {
	t.Helper()
	c := &model.OidcConfiguration{Name: "oidc", Issuer: p.issuer, ClientId: "netmaster", Scopes: "email groups", UsernameClaim: "email", GroupsClaim: "groups", CaCertificate: p.ca}
	change(c)
	if _, err := m.As(admin()).Put(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// browser is an HTTP client that trusts the provider, keeps its cookies, and stops where the provider sends it elsewhere.
func (p *running) browser(t *testing.T) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(p.ca))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}, Jar: jar, CheckRedirect: func(q *http.Request, _ []*http.Request) error {
		if q.URL.Scheme != "https" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// browse logs a person in where netmaster has sent the browser, and returns where the provider sends it then, unless it is to go there too.
func (p *running) browse(t *testing.T, at, user string, on bool) *url.URL {
	t.Helper()
	b := p.browser(t)
	page := open(t, b, "GET", at, nil)
	answer := open(t, b, "POST", p.issuer+"/login/username", url.Values{"id": {page.Request.URL.Query().Get("authRequestID")}, "username": {user}, "password": {"correct horse"}})
	back, err := answer.Location()
	if err != nil {
		t.Errorf("the provider sends the browser nowhere: %v, at %s", err, answer.Request.URL)
		return &url.URL{}
	}
	if on {
		open(t, b, "GET", back.String(), nil)
	}
	return back
}

// allow types the code of a device, and permits it.
func (p *running) allow(t *testing.T, code, user string) {
	t.Helper()
	b := p.browser(t)
	open(t, b, "POST", p.issuer+"/device/login", url.Values{"user_code": {code}, "username": {user}, "password": {"correct horse"}})
	open(t, b, "POST", p.issuer+"/device/confirm", url.Values{"action": {"allowed"}})
}

// open has a browser open a page.
func open(t *testing.T, b *http.Client, method, at string, form url.Values) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := b.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, a.Body)
	if err := errors.Join(err, a.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return a
}

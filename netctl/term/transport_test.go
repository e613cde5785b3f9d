// SPDX-License-Identifier: Apache-2.0

package term_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/netctl/term"
	"github.com/contiv/contiv/trust"
)

// A client reaches netmasters of the cluster whose CA is in the directory. For any other, the error has the remedy.
func TestTransport(t *testing.T) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	own := folder(t, a, trust.Master)
	holder, err := trust.Open(own, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		who, _ := trust.Peer(q.TLS)
		_, _ = w.Write([]byte(who.Name))
	}))
	server.TLS = holder.Server()
	server.StartTLS()
	defer server.Close()
	other, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".netctl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(string(folder(t, a, "")), filepath.Join(home, ".netctl", "trust")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		home, named, want, wrong string
		insecure                 bool
	}{
		"a user's certificate":        {named: string(folder(t, a, trust.User)), want: "x"},
		"only the authority, at home": {home: home},
		"nothing":                     {wrong: "copy the cluster's ca.crt to ~/.netctl/trust"},
		"nothing, insecure":           {insecure: true},
		"another cluster's":           {named: string(folder(t, other, trust.User)), wrong: "another cluster"},
		"a directory without any":     {named: t.TempDir(), wrong: "CONTIV_TRUST"},
	} {
		w := term.Transport{Home: c.home, Insecure: c.insecure, Getenv: func(variable string) string {
			return map[string]string{term.TrustVariable: c.named}[variable]
		}}
		got, err := ask(w, server.URL)
		if c.wrong == "" && (err != nil || got != c.want) || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: want %q or %q, got %q, %v", name, c.want, c.wrong, got, err)
		}
	}
}

func ask(w term.Transport, url string) (string, error) {
	transport, err := w.Transport(url)
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	text := make([]byte, 100)
	n, _ := answer.Body.Read(text)
	return string(text[:n]), nil
}

// The returned directory has an authority's certificate and, unless role is "", a certificate that the authority has issued for that role.
func folder(t *testing.T, a *trust.Authority, role trust.Role) trust.Dir {
	t.Helper()
	d := trust.Dir(filepath.Join(t.TempDir(), "trust"))
	certificate, _, err := a.PEM()
	if err == nil {
		err = d.SaveAuthority(certificate, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if role == "" {
		return d
	}
	r, err := trust.NewRequest("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Issue(r, trust.Identity{Role: role, Name: "x"}, time.Now(), trust.Lifetime)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := r.Pair(trust.CertificatePEM(c))
	if err == nil {
		err = d.SavePair(role, pair)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A netmaster whose process is stopped, for which the kernel accepts connections, is given up, so that the next one is asked.
func TestTransportFrozen(t *testing.T) {
	frozen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	url := "https://" + frozen.Addr().String()
	transport, err := term.Transport{Home: t.TempDir(), Getenv: func(string) string { return "" }, Insecure: true}.Transport(url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(r)
	if err == nil {
		_ = answer.Body.Close()
	}
	if err == nil || ctx.Err() != nil {
		t.Errorf("got %v, and the context %v, want an error before its end", err, ctx.Err())
	}
}

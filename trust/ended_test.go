// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// The key of an expired certificate renews it: within the grace period, if this cluster's authority issued it, and only for the
// signed request.
func TestVouched(t *testing.T) {
	s := newStand(t)
	issued := time.Now().Add(-Lifetime)
	h, err := Open(s.dir(Identity{Agent, "h1"}, issued), Agent)
	if err != nil {
		t.Fatal(err)
	}
	r, other := s.request(), s.request()
	certificate, signature, err := h.SignRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := ParseCertificates(certificate)
	if err != nil || len(all) != 1 {
		t.Fatalf("want the holder's own certificate, got %d, %v", len(all), err)
	}
	c, trusted := all[0], h.Trusted()
	strange, err := NewAuthority(issued)
	if err != nil {
		t.Fatal(err)
	}
	end := c.NotAfter
	for name, row := range map[string]struct {
		r         *Request
		signature []byte
		trusted   []*x509.Certificate
		at        time.Time
		want      string
	}{
		"after the end":           {r, signature, trusted, end.Add(time.Second), ""},
		"at the end of the grace": {r, signature, trusted, end.Add(Grace), ""},
		"before the end":          {r, signature, trusted, end.Add(-time.Minute), "is valid until"},
		"after the grace":         {r, signature, trusted, end.Add(Grace + time.Second), "more than 90 days ago"},
		"of another request":      {other, signature, trusted, end.Add(time.Hour), "did not sign the request"},
		"with a flipped bit":      {r, flipped(signature), trusted, end.Add(time.Hour), "did not sign the request"},
		"of another cluster":      {r, signature, []*x509.Certificate{strange.certificate}, end.Add(time.Hour), "not certified by this cluster's authority"},
		"of no authority":         {r, signature, nil, end.Add(time.Hour), "not certified by this cluster's authority"},
	} {
		who, err := Vouched(c, row.r, row.signature, row.trusted, row.at)
		switch {
		case row.want == "" && (err != nil || who != Identity{Agent, "h1"}):
			t.Errorf("%s: want agent h1, got %v, %v", name, who, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: want an error with %q, got %v", name, row.want, err)
		}
	}
}

func flipped(signature []byte) []byte {
	out := append([]byte{}, signature...)
	out[len(out)-1] ^= 1
	return out
}

func (s stand) request() *Request {
	s.Helper()
	r, err := NewRequest("192.0.2.1")
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// A holder with an expired certificate connects to netmasters of its cluster without showing it, and not to those of another
// cluster.
func TestVisitor_Ended(t *testing.T) {
	s, strange := newStand(t), newStand(t)
	agent, err := Open(s.dir(Identity{Agent, "h1"}, time.Now().Add(-Lifetime-time.Hour)), Agent)
	if err != nil {
		t.Fatal(err)
	}
	if !agent.Ended() {
		t.Fatal("want the certificate expired")
	}
	for name, row := range map[string]struct {
		of   stand
		want string
	}{"its own": {s, ""}, "another cluster": {strange, "not certified by this cluster's authority"}} {
		master, err := Open(row.of.dir(Identity{Master, "m1"}, time.Now()), Master)
		if err != nil {
			t.Fatal(err)
		}
		served := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			if len(q.TLS.PeerCertificates) > 0 {
				t.Error("the visitor shows a certificate")
			}
		}))
		served.TLS = master.Server()
		served.Config.ErrorLog = nil
		served.StartTLS()
		defer served.Close()
		c := http.Client{Transport: &http.Transport{TLSClientConfig: agent.Visitor(), DisableKeepAlives: true}}
		answer, err := c.Get(served.URL)
		if err == nil {
			_ = answer.Body.Close()
		}
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want an error with %q, got %v", name, row.want, err)
		}
	}
}

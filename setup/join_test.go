// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// A host whose certificates are revoked between two requests sends the second one with only the token.
func TestJoinRevokedMeanwhile(t *testing.T) {
	authority, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, _, err := authority.PEM()
	if err != nil {
		t.Fatal(err)
	}
	h, there := &Host{Root: t.TempDir()}, trust.Dir(t.TempDir())
	for _, c := range []struct {
		dir trust.Dir
		who trust.Identity
	}{
		{there, trust.Identity{Role: trust.Master, Name: "h1"}},
		{h.Trust(), trust.Identity{Role: trust.Master, Name: "h3"}},
		{h.Trust(), trust.Identity{Role: trust.Agent, Name: "h3"}},
	} {
		if err := c.dir.SaveAuthority(certificate, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.dir.Certify(authority, c.who, time.Now(), "127.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
	served, err := trust.Open(there, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	var revoked, joined []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, shown := trust.Peer(r.TLS)
		if r.URL.Path == "/version" { // revoke the certificate that the host has just tried
			if shown {
				revoked = append(revoked, trust.Serial(r.TLS.PeerCertificates[0]))
				served.Revoke(revoked)
			}
			_ = json.NewEncoder(w).Encode(model.Version{})
			return
		}
		joined = append(joined, string(who.Role))
		_ = json.NewEncoder(w).Encode(model.JoinAnswer{Authority: "ours"})
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = served.Server()
	server.StartTLS()
	defer server.Close()

	j := &Join{Host: h, Invitation: Invitation{trust.NewToken(authority.Fingerprint()), strings.TrimPrefix(server.URL, "https://")}}
	answer, err := j.request(t.Context(), model.JoinRequest{})
	if err != nil || answer.Authority != "ours" {
		t.Fatalf("got %+v, %v, want an answer", answer, err)
	}
	if len(revoked) != 2 || !slices.Equal(joined, []string{""}) {
		t.Errorf("got %d revoked and requests by %q, want two revoked and one request without a certificate", len(revoked), joined)
	}
}

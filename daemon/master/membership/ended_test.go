// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"encoding/pem"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// agentOf is a host whose agent has joined from machine m1: what it holds, on its own files.
func (s *stand) agentOf(label, address string) *trust.Holder {
	s.Helper()
	r, err := trust.NewRequest(address)
	if err != nil {
		s.Fatal(err)
	}
	out, _, err := s.Join(s.Context(), model.JoinRequest{Token: s.token(model.JoinTokenRequest{}), Agent: &model.CertificateRequest{Name: label, Request: string(r.PEM())}}, trust.Identity{})
	if err != nil {
		s.Fatal(err)
	}
	return s.holder(out.Authority, out.Agent, r)
}

// holder keeps a certificate and its key in a directory of their own.
func (s *stand) holder(authority, certificate []byte, r *trust.Request) *trust.Holder {
	s.Helper()
	dir := trust.Dir(s.TempDir())
	pair, err := r.Pair(certificate)
	if err == nil {
		err = dir.SaveAuthority(authority, nil)
	}
	if err == nil {
		err = dir.SavePair(trust.Agent, pair)
	}
	if err != nil {
		s.Fatal(err)
	}
	h, err := trust.Open(dir, trust.Agent)
	if err != nil {
		s.Fatal(err)
	}
	return h
}

// admitted registers the machine of a host.
func (s *stand) admitted(label, machine, address string) {
	s.Helper()
	at := netip.MustParseAddr(address)
	_, err := s.world.Commit.Do(s.Context(), func(tx *commit.Tx) error {
		return tx.Put(record.Hosts+label, &record.Host{Label: label, Machine: machine, Instance: "s", VTEP: at, Port: 4789, Control: netip.AddrPortFrom(at, 9090), Version: "1", Since: "2026-01-01T00:00:00Z"})
	})
	if err != nil {
		s.Fatal(err)
	}
}

// ended asks for what an agent asks whose certificate has ended.
func (s *stand) ended(h *trust.Holder, machine string, hosts ...string) model.RenewEndedRequest {
	s.Helper()
	r, err := trust.NewRequest(hosts...)
	if err != nil {
		s.Fatal(err)
	}
	certificate, signature, err := h.SignRequest(r)
	if err != nil {
		s.Fatal(err)
	}
	return model.RenewEndedRequest{Request: string(r.PEM()), Certificate: string(certificate), Signature: signature, Machine: machine}
}

// A host whose certificate has ended gets another by its key, when it is the machine that was admitted, and nobody else does.
func TestRenewEnded(t *testing.T) {
	s := newStand(t)
	h1, h2 := s.agentOf("h1", "192.0.2.11"), s.agentOf("h2", "192.0.2.12")
	s.admitted("h1", "m1", "192.0.2.11")
	s.admitted("h2", "m2", "192.0.2.12")
	refusal := func(q model.RenewEndedRequest) string {
		_, _, err := s.RenewEnded(t.Context(), q)
		return enginetest.Say(err)
	}
	good := s.ended(h1, "m1", "192.0.2.11")
	if got := refusal(good); !strings.Contains(got, "is valid until") {
		t.Errorf("a valid certificate: want it refused, got %s", got)
	}
	s.at = s.at.Add(trust.Lifetime + 30*24*time.Hour)
	if _, err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := s.ended(h2, "m1", "192.0.2.11")
	other.Certificate = good.Certificate
	unsigned := good
	unsigned.Signature = nil
	for name, row := range map[string]struct {
		q    model.RenewEndedRequest
		want string
	}{
		"signed by another key":    {other, "did not sign"},
		"not signed":               {unsigned, "did not sign"},
		"another machine":          {s.ended(h1, "m2", "192.0.2.11"), `machine "m2" is not the one that is host h1`},
		"no machine":               {s.ended(h1, "", "192.0.2.11"), "machine"},
		"another host's address":   {s.ended(h1, "m1", "192.0.2.12"), "not certified for 192.0.2.12"},
		"a request signed for h1":  {model.RenewEndedRequest{Request: s.csr("192.0.2.11"), Certificate: good.Certificate, Signature: good.Signature, Machine: "m1"}, "did not sign"},
		"no certificate":           {model.RenewEndedRequest{Request: good.Request, Machine: "m1"}, "invalid certificate"},
		"another authority's":      {s.ended(s.stranger("h1", "192.0.2.11"), "m1", "192.0.2.11"), "not certified by this cluster's authority"},
		"the key of the authority": {model.RenewEndedRequest{Request: good.Request, Certificate: s.authorityPEM(), Signature: good.Signature, Machine: "m1"}, "denied certificate"},
	} {
		if got := refusal(row.q); !strings.Contains(got, row.want) {
			t.Errorf("%s: want a refusal with %q, got %q", name, row.want, got)
		}
	}
	if got := refusal(good); got != "" {
		t.Errorf("want it renewed, got %s", got)
	}
	if got := s.serials("agent/h1"); len(got) != 1 {
		t.Errorf("want the new certificate on record, got %v", got)
	}
	if got := refusal(good); got != "" {
		t.Errorf("the same request sent again: want it answered, got %s", got)
	}
	if got := refusal(s.ended(h1, "m1", "192.0.2.11")); !strings.Contains(got, "newer certificate") {
		t.Errorf("another request by the old key: want it refused, got %q", got)
	}
	if _, _, err := s.Revoke(t.Context(), model.RevokeRequest{Identity: "spiffe://contiv/agent/h2"}, admin); err != nil {
		t.Fatal(err)
	}
	if got := refusal(s.ended(h2, "m2", "192.0.2.12")); !strings.Contains(got, "is revoked") {
		t.Errorf("revoked after its end: want it refused, got %q", got)
	}
}

// After the grace an ended certificate renews nothing, and its record goes.
func TestRenewEnded_Grace(t *testing.T) {
	s := newStand(t)
	h1 := s.agentOf("h1", "192.0.2.11")
	s.admitted("h1", "m1", "192.0.2.11")
	s.at = s.at.Add(trust.Lifetime + trust.Grace + time.Hour)
	if _, _, err := s.RenewEnded(t.Context(), s.ended(h1, "m1", "192.0.2.11")); !strings.Contains(enginetest.Say(err), "more than 90 days ago") || !strings.Contains(enginetest.Say(err), "contiv join") {
		t.Errorf("want it refused with the remedy, got %v", err)
	}
	if n, err := s.Sweep(t.Context()); err != nil || n != 2 {
		t.Errorf("want token and certificate swept, got %d, %v", n, err)
	}
}

// A host that was forgotten comes back by no ended certificate, nor does one in whose place another has joined.
func TestRenewEnded_Gone(t *testing.T) {
	s := newStand(t)
	h1, h2 := s.agentOf("h1", "192.0.2.11"), s.agentOf("h2", "192.0.2.12")
	s.admitted("h2", "m2", "192.0.2.12")
	s.at = s.at.Add(trust.Lifetime + time.Hour)
	if _, _, err := s.RenewEnded(t.Context(), s.ended(h1, "m1", "192.0.2.11")); !strings.Contains(enginetest.Say(err), "host h1 is not part of the cluster") {
		t.Errorf("no machine is h1: want it refused, got %v", err)
	}
	s.agentOf("h2", "192.0.2.12")
	if _, _, err := s.RenewEnded(t.Context(), s.ended(h2, "m2", "192.0.2.12")); !strings.Contains(enginetest.Say(err), "is revoked") {
		t.Errorf("h2 has joined again: want it refused, got %v", err)
	}
}

// stranger is the agent of another cluster.
func (s *stand) stranger(label, address string) *trust.Holder {
	s.Helper()
	a, err := trust.NewAuthority(s.at.Add(-time.Hour - trust.Lifetime))
	if err != nil {
		s.Fatal(err)
	}
	r, err := trust.NewRequest(address)
	if err != nil {
		s.Fatal(err)
	}
	c, err := a.Issue(r, trust.Identity{Role: trust.Agent, Name: label}, s.at.Add(-time.Hour-trust.Lifetime), trust.Lifetime)
	if err != nil {
		s.Fatal(err)
	}
	authority, _, err := a.PEM()
	if err != nil {
		s.Fatal(err)
	}
	return s.holder(authority, trust.CertificatePEM(c), r)
}

// authorityPEM is the certificate of the cluster's authority.
func (s *stand) authorityPEM() string {
	s.Helper()
	text, err := s.Trust.Trusted()
	if err != nil {
		s.Fatal(err)
	}
	if block, _ := pem.Decode(text); block == nil {
		s.Fatal("the authority has no certificate")
	}
	return string(text)
}

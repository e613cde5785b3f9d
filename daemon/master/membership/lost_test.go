// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/store/member"
	"github.com/contiv/contiv/trust"
)

// A netmaster counts as lost by what its machine says: one that runs never, one that does not answer only if an operator says so.
func TestLost(t *testing.T) {
	s := newStand(t)
	q := s.wanted(s.token(model.JoinTokenRequest{Masters: true}), "m2")
	q.Master = &model.MasterRequest{CertificateRequest: model.CertificateRequest{Name: "m2", Request: s.csr("192.0.2.2")}, PeerURL: "https://192.0.2.2:2380"}
	if got := s.refused(q, trust.Identity{}); got != "" {
		t.Fatal(got)
	}
	for _, c := range []struct {
		what, name string
		presence   member.State
		force      bool
		want       string
	}{
		{"one that runs", "m2", member.Runs, false, "in-use master"},
		{"one that runs, by force", "m2", member.Runs, true, "in-use master"},
		{"one that does not answer", "m2", member.Unknown, false, "not-ready master"},
		{"one that does not answer, by force", "m2", member.Unknown, true, ""},
		{"one whose machine refuses connections", "m2", member.Stopped, false, ""},
		{"a name that no one has", "m9", member.Stopped, true, "not-found master"},
	} {
		s.peers.presence = member.Presence{State: c.presence, Evidence: "as seen"}
		evidence, err := s.Lost(t.Context(), c.name, c.force)
		if got := enginetest.Say(err); c.want == "" && (err != nil || evidence != "as seen") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, %q, want %q", c.what, evidence, got, c.want)
		}
	}
	delete(s.peers.urls, "m2") // an earlier request removed it, and its answer was lost
	if _, err := s.Lost(t.Context(), "m2", false); err != nil {
		t.Errorf("want a repeated request to succeed, got %v", err)
	}
	s.Members = nil
	if _, err := s.Lost(t.Context(), "m2", true); !strings.Contains(enginetest.Say(err), "--replace m2") {
		t.Errorf("want another way with a store beside the netmasters, got %v", err)
	}
}

// A token that replaces a host lets in no other.
func TestReplacingTokenIsForOneHost(t *testing.T) {
	s := newStand(t)
	token := s.token(model.JoinTokenRequest{Replaces: "h1"})
	if got := s.refused(s.wanted(token, "h2"), trust.Identity{}); !strings.HasPrefix(got, "denied token: the token is for host h1 only") {
		t.Errorf("want another host to be refused, got %q", got)
	}
	if got := s.refused(s.wanted(token, "h1"), trust.Identity{}); got != "" {
		t.Errorf("want the host to be let in, got %q", got)
	}
}

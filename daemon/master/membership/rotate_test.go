// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// rotated requests a phase, and returns the error, "" for success.
func (s *stand) rotated(phase string, force bool, nodes ...model.Node) string {
	s.Helper()
	_, _, err := s.Rotate(s.Context(), model.RotateRequest{Phase: phase, Force: force}, admin, nodes)
	return enginetest.Say(err)
}

// replacement returns the replacement in the store.
func (s *stand) replacement() (r *record.Rotation) {
	s.world.Catalog.View(func(v *catalog.View) { r = membership.RotationOf(v) })
	return r
}

// follow carries out the stored phase of the replacement on the netmaster's host.
func (s *stand) follow() {
	s.Helper()
	r := s.replacement()
	seal, err := s.Trust.Seal()
	if err != nil {
		s.Fatal(err)
	}
	if r.Phase == record.PhaseSign {
		key, err := seal.Open(record.RotationKey, r.Key)
		if err == nil {
			err = s.Trust.SignBy([]byte(r.Certificate), key)
		}
		if err != nil {
			s.Fatal(err)
		}
		return
	}
	if err := s.Trust.TrustAlso([]byte(r.Certificate)); err != nil {
		s.Fatal(err)
	}
}

// The phases follow each other. Each is refused, with their names, while it would cut off daemons, and may be repeated.
func TestRotate(t *testing.T) {
	s := newStand(t)
	h1 := s.agentOf("h1", "192.0.2.11")
	s.agentOf("h2", "192.0.2.12")
	s.admitted("h1", "m1", "192.0.2.11")
	if got := s.rotated("sign", false); !strings.HasPrefix(got, "invalid phase: no replacement") {
		t.Errorf("want a beginning first, got %q", got)
	}
	if got := s.rotated("other", false); !strings.HasPrefix(got, "invalid phase") {
		t.Errorf("want no such phase, got %q", got)
	}
	if got := s.rotated("trust", false); got != "" {
		t.Fatal(got)
	}
	first := s.replacement()
	if got := s.rotated("trust", false); got != "" || s.replacement().To != first.To {
		t.Errorf("want the same replacement, got %q, %v", got, s.replacement())
	}
	if text, err := json.Marshal(first); err != nil || strings.Contains(string(text), "PRIVATE") || len(first.Key) == 0 {
		t.Errorf("want the key sealed, got %s, %v", text, err)
	}
	if got := s.rotated("finish", false); !strings.HasPrefix(got, "invalid phase: the next authority does not sign yet") {
		t.Errorf("want no phase left out, got %q", got)
	}
	s.follow()
	both := []string{first.From, first.To}
	trusting := []model.Node{{Name: "m1", Role: model.RoleLeader, AgentReport: model.AgentReport{Authorities: both, Authority: first.From}}, {Name: "h1", Role: model.RoleAgent, AgentReport: model.AgentReport{Authorities: both, Authority: first.From}}}
	for _, row := range []struct {
		node  model.Node
		force bool
		want  string
	}{
		{model.Node{Name: "m2", Role: model.RoleFollower, AgentReport: model.AgentReport{Authorities: both[:1]}}, false, "netmaster m2 was started before"},
		{model.Node{Name: "m2", Role: model.RoleFollower, AgentReport: model.AgentReport{Authorities: both[:1]}}, true, "netmaster m2 was started before"},
		{model.Node{Name: "h2", Role: model.RoleAgent, AgentReport: model.AgentReport{Authorities: both[:1]}}, true, "agent h2 does not trust it yet"},
		{model.Node{Name: "h2", Role: model.RoleAgent, Reason: "its agent is down"}, false, "agent h2 does not say: its agent is down"},
		{model.Node{Name: "h2", Role: model.RoleAgent, Reason: "its agent is down"}, true, ""},
	} {
		if got := s.rotated("sign", row.force, append(trusting, row.node)...); !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%+v: want %q, got %q", row, row.want, got)
		}
	}
	if got := s.rotated("trust", false); got != "" || s.replacement().Phase != record.PhaseSign {
		t.Errorf("want an earlier phase to be reached already, got %q", got)
	}
	s.follow()

	// Certificates are of the next authority from now on, for renewals and for joining hosts.
	if got := s.rotated("finish", false, trusting[0]); !strings.Contains(got, "spiffe://contiv/agent/h1") || !strings.Contains(got, "spiffe://contiv/agent/h2") || !strings.Contains(got, "netmaster m1 shows") {
		t.Errorf("want those named who have certificates of the previous authority, got %q", got)
	}
	out, _, err := s.Renew(t.Context(), s.csr("192.0.2.11"), h1.Identity())
	if err != nil {
		t.Fatal(err)
	}
	all, err := trust.ParseCertificates([]byte(out.Certificate))
	next, wrong := trust.ParseCertificates([]byte(first.Certificate))
	if err != nil || wrong != nil || trust.SignerOf(all[0], next) != first.To {
		t.Errorf("want a certificate of the next authority, got %v, %v", err, wrong)
	}
	if trusted, err := trust.ParseCertificates([]byte(out.Authority)); err != nil || !slices.Equal(trust.Fingerprints(trusted), both) {
		t.Errorf("want both authorities sent, got %v, %v", trust.Fingerprints(trusted), err)
	}
	if _, _, err := s.Revoke(t.Context(), model.RevokeRequest{Identity: "spiffe://contiv/agent/h2"}, admin); err != nil {
		t.Fatal(err)
	}
	_, err = s.world.Commit.Do(t.Context(), func(tx *commit.Tx) error {
		return tx.Put(record.LDAPKey, &record.Secret{Sealed: []byte("x"), By: first.From})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.rotated("finish", false); !strings.Contains(got, "the LDAP bind password is sealed by its key") || strings.Contains(got, "agent") {
		t.Errorf("want only the secret named, got %q", got)
	}
	_, err = s.world.Commit.Do(t.Context(), func(tx *commit.Tx) error {
		return tx.Put(record.LDAPKey, &record.Secret{Sealed: []byte("x"), By: first.To})
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := s.rotated("finish", false); got != "" {
			t.Fatal(got)
		}
	}
	if r := s.replacement(); r.Phase != record.PhaseFinish || r.Key != nil || r.To != first.To {
		t.Errorf("want it complete, and the key gone, got %+v", r)
	}
	if got := s.Rotation(nil); got.Phase != "finish" || len(got.Waiting) > 0 {
		t.Errorf("want nothing waited for, got %+v", got)
	}
	if got := s.rotated("sign", false); !strings.HasPrefix(got, "invalid phase") {
		t.Errorf("want a beginning first, got %q", got)
	}
	if got := s.rotated("trust", false); got != "" || s.replacement().To == first.To || s.replacement().From != first.To {
		t.Errorf("want another replacement, got %q, %+v", got, s.replacement())
	}
}

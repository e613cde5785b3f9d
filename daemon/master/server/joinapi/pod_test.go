// SPDX-License-Identifier: Apache-2.0

package joinapi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// inPods has the stand's netmaster know service account tokens, by the nodes of their pods.
func (s *stand) inPods(tokens map[string]string) {
	s.asked.Enroll.Review = func(_ context.Context, token string) (string, error) {
		if node := tokens[token]; node != "" {
			return node, nil
		}
		return "", model.Errorf(model.CodeDenied, "pod", "Kubernetes does not accept the service account token")
	}
}

// pod is that of an agent on a node, with the files that Kubernetes gives it.
func (s *stand) pod(node, token string) (p *setup.Pod, authority, tokenFile string) {
	s.Helper()
	dir := s.TempDir()
	authority, tokenFile = filepath.Join(dir, "ca.crt"), filepath.Join(dir, "token")
	text, err := s.dir.Trusted()
	if err == nil {
		err = os.WriteFile(authority, text, 0o644)
	}
	if err == nil {
		err = os.WriteFile(tokenFile, []byte(token+"\n"), 0o600)
	}
	if err != nil {
		s.Fatal(err)
	}
	return &setup.Pod{Trust: trust.Dir(filepath.Join(dir, "trust")), Label: node, Address: "192.0.2.11", Now: time.Now}, authority, tokenFile
}

// An agent in a pod has a certificate for the node that Kubernetes says, once; the pod after it needs no netmaster, and one that has lost it takes its place.
func TestPodOfAgent(t *testing.T) {
	s := newStand(t)
	s.inPods(map[string]string{"of n1": "n1", "of n1 too": "n1"})
	p, authority, token := s.pod("n1", "of n1")
	at := []string{strings.TrimPrefix(s.url, "https://")}
	if said, err := p.Agent(t.Context(), authority, token, at); err != nil || said != "issued a certificate for the agent of n1" {
		t.Fatal(said, err)
	}
	held, err := trust.Open(p.Trust, trust.Agent)
	if err != nil || held.Identity().String() != "spiffe://contiv/agent/n1" || held.Certificate().IPAddresses == nil {
		t.Fatal(held.Identity(), err)
	}
	if said, err := p.Agent(t.Context(), authority, "/none", nil); err != nil || !strings.HasPrefix(said, "the certificate of agent n1 is valid until ") {
		t.Errorf("want what is there to do without a netmaster, got %q, %v", said, err)
	}
	p.Now = func() time.Time { return time.Now().Add(2 * trust.Lifetime) }
	if said, err := p.Agent(t.Context(), authority, token, at); err != nil || said != "issued a certificate for the agent of n1" {
		t.Errorf("want another certificate after it has ended, got %q, %v", said, err)
	}
	again, authority, token := s.pod("n1", "of n1 too")
	if _, err := again.Agent(t.Context(), authority, token, at); err != nil {
		t.Fatal(err)
	}
	valid := 0
	s.world.Catalog.View(func(v *catalog.View) {
		for _, c := range v.CertifiedAs("spiffe://contiv/agent/n1") {
			if c.Valid(time.Now()) {
				valid++
			}
		}
	})
	if valid != 1 {
		t.Errorf("want only the last certificate valid, got %d", valid)
	}
}

// A pod speaks for its own node, for an agent, to netmasters that read Kubernetes.
func TestPodsThatAreRefused(t *testing.T) {
	s := newStand(t)
	s.inPods(map[string]string{"of n1": "n1"})
	at := []string{strings.TrimPrefix(s.url, "https://")}
	for _, row := range []struct{ name, node, token, want string }{
		{"for another node", "n2", "of n1", "denied agent.name: the pod runs on node n1, and asks to be the agent of host n2"},
		{"by a token that does not count", "n1", "stolen", "denied pod: Kubernetes does not accept"},
		{"with too much", "n1", strings.Repeat("x", 17<<10), "invalid pod: it has 17408 bytes"},
	} {
		p, authority, token := s.pod(row.node, row.token)
		if _, err := p.Agent(t.Context(), authority, token, at); !strings.HasPrefix(enginetest.Say(err), row.want) || p.Trust.Has(trust.Agent) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
	visitor := s.as(trust.Visitor(s.holder(trust.User, "x").Trusted()))
	r, err := trust.NewRequest("192.0.2.11")
	if err != nil {
		t.Fatal(err)
	}
	one := model.CertificateRequest{Name: "n1", Request: string(r.PEM())}
	for want, q := range map[string]model.JoinRequest{
		"denied master: a service account token is only for an agent": {Pod: "of n1", Agent: &one, Master: &model.MasterRequest{CertificateRequest: one}},
		"invalid token: it is there beside pod":                       {Pod: "of n1", Token: trust.NewToken(s.authority.Fingerprint()).String(), Agent: &one},
	} {
		if _, err := visitor.Join(t.Context(), q); !strings.HasPrefix(enginetest.Say(err), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	s.asked.Enroll.Review = nil
	if _, err := visitor.Join(t.Context(), model.JoinRequest{Pod: "of n1", Agent: &one}); !strings.Contains(enginetest.Say(err), "do not use Kubernetes") {
		t.Errorf("want netmasters that read none to say so, got %v", err)
	}
}

// A netmaster's pod needs the authority's key, and nothing else.
func TestPodOfNetmaster(t *testing.T) {
	s := newStand(t)
	p := &setup.Pod{Trust: trust.Dir(t.TempDir()), Label: "n1", Address: "192.0.2.11", Now: time.Now}
	if _, err := p.Netmaster(trust.Dir(t.TempDir())); err == nil || !strings.Contains(err.Error(), "contiv cert authority") {
		t.Errorf("want the remedy without an authority, got %v", err)
	}
	if said, err := p.Netmaster(s.dir); err != nil || said != "issued a certificate for the netmaster of n1" {
		t.Fatal(said, err)
	}
	for role, want := range map[trust.Role]string{trust.Master: "spiffe://contiv/master/n1", trust.User: "spiffe://contiv/user/admin"} {
		if h, err := trust.Open(p.Trust, role); err != nil || h.Identity().String() != want {
			t.Errorf("want %s, got %v, %v", want, h.Identity(), err)
		}
	}
	if _, err := p.Trust.Authority(); err != nil {
		t.Errorf("want the key there, for hosts that join: %v", err)
	}
}

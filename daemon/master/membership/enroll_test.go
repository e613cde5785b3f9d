// SPDX-License-Identifier: Apache-2.0

package membership_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/member"
	"github.com/contiv/contiv/trust"
)

// stand is an Enroller of a cluster with its own authority and clock.
type stand struct {
	*testing.T
	*membership.Enroller
	world *enginetest.World
	at    time.Time
	peers *peers
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{T: t, at: time.Now(), peers: &peers{}}
	a, err := trust.NewAuthority(s.at)
	if err != nil {
		t.Fatal(err)
	}
	dir := trust.Dir(t.TempDir())
	certificate, key, err := a.PEM()
	if err == nil {
		err = dir.SaveAuthority(certificate, key)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.world = enginetest.Start(t, enginetest.Options{})
	s.Enroller = membership.NewEnroller(membership.EnrollerConfig{Commit: s.world.Commit, Catalog: s.world.Catalog, Trust: dir, Members: s.peers, Now: func() time.Time { return s.at }, Log: slog.New(slog.DiscardHandler)})
	return s
}

// peers are the members of a store that refuses as the real one does.
type peers struct {
	urls     map[string]string
	presence member.Presence // of each of them
}

func (p *peers) AddMember(_ context.Context, name, url string) (map[string]string, string, error) {
	if p.urls == nil {
		p.urls = map[string]string{"m1": "https://192.0.2.1:2380"}
	}
	for other, at := range p.urls {
		if at == url && other != name {
			return nil, "", errors.New("another member is at " + url)
		}
	}
	p.urls[name] = url
	return p.urls, "id of " + name, nil
}

func (p *peers) RemoveMember(_ context.Context, name string) (bool, error) {
	_, was := p.urls[name]
	delete(p.urls, name)
	return was, nil
}

func (p *peers) MoveMember(_ context.Context, name, url string) error {
	if _, is := p.urls[name]; !is {
		return errors.New("no member " + name)
	}
	p.urls[name] = url
	return nil
}

func (p *peers) Peers() map[string]string { return p.urls }

func (p *peers) Count() int { return len(p.urls) }

func (p *peers) Presence(_ context.Context, name string) member.Presence {
	if _, is := p.urls[name]; !is {
		return member.Presence{Evidence: "no member " + name}
	}
	return p.presence
}

var admin = trust.Identity{Role: trust.User, Name: "admin"}

// token creates a token and returns its text.
func (s *stand) token(q model.JoinTokenRequest) string {
	s.Helper()
	text, _, _, err := s.MakeToken(s.Context(), q, admin)
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// wanted returns a request for a host's agent with a new key.
func (s *stand) wanted(token, label string, hosts ...string) model.JoinRequest {
	s.Helper()
	return model.JoinRequest{Token: token, Agent: &model.CertificateRequest{Name: label, Request: s.csr(hosts...)}}
}

func (s *stand) csr(hosts ...string) string {
	s.Helper()
	r, err := trust.NewRequest(hosts...)
	if err != nil {
		s.Fatal(err)
	}
	return string(r.PEM())
}

// refused returns the error with which a host is refused, "" if the host is admitted.
func (s *stand) refused(q model.JoinRequest, proved trust.Identity) string {
	s.Helper()
	_, _, err := s.Join(s.Context(), q, proved)
	return enginetest.Say(err)
}

func (s *stand) serials(who string) (out []string) {
	s.world.Catalog.View(func(v *catalog.View) {
		for _, c := range v.CertifiedAs("spiffe://contiv/" + who) {
			if c.Valid(s.at) {
				out = append(out, c.Serial)
			}
		}
	})
	return out
}

func TestJoin(t *testing.T) {
	s := newStand(t)
	q := s.wanted(s.token(model.JoinTokenRequest{}), "h1", "192.0.2.11")
	out, rev, err := s.Join(t.Context(), q, trust.Identity{})
	if err != nil || rev == 0 {
		t.Fatal(rev, err)
	}
	all, err := trust.ParseCertificates(out.Agent)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := trust.Of(all[0]); err != nil || who.String() != "spiffe://contiv/agent/h1" || len(out.Authority) == 0 || out.Key != nil || out.Master != nil || out.Members != nil {
		t.Errorf("want only a certificate of h1's agent, got %s, %v", who, err)
	}
	if got := s.serials("agent/h1"); !slices.Equal(got, []string{trust.Serial(all[0])}) {
		t.Errorf("want the certificate on record, got %v", got)
	}
	if _, _, err := s.Join(t.Context(), q, trust.Identity{}); err != nil {
		t.Errorf("want the same request to be let in when it is sent again, got %v", err)
	}
	if got := s.refused(s.wanted(q.Token, "h1", "192.0.2.11"), trust.Identity{Role: trust.Agent, Name: "h1"}); got != "" {
		t.Errorf("want the host itself to be let in with another key, got %q", got)
	}
	if got := s.refused(s.wanted(q.Token, "h2"), trust.Identity{Role: trust.Agent, Name: "h1"}); !strings.Contains(got, "used up") {
		t.Errorf("want it not to be let in as another host, got %q", got)
	}
	if got := s.refused(s.wanted(q.Token, "h2"), trust.Identity{}); !strings.Contains(got, "used up: 1 of 1") || !strings.Contains(got, "contiv token create") {
		t.Errorf("want the token to count once, got %q", got)
	}
}

// A request with an invalid token is refused before the rest of it is read.
func TestJoin_TokenFirst(t *testing.T) {
	s := newStand(t)
	gone := s.token(model.JoinTokenRequest{})
	id, _, _ := strings.Cut(gone, ".")
	if _, err := s.RemoveToken(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	q := s.wanted(gone, "h1")
	q.Agent.Request = "no request at all"
	if got := s.refused(q, trust.Identity{}); !strings.Contains(got, "the token does not count") {
		t.Errorf("got %q", got)
	}
}

// A revoked host cannot join again with the credentials that admitted it: neither by the same request, nor with another key and a token for
// any number of hosts. A host that left by itself, or whose certificate was replaced, can.
func TestRevokedStaysOut(t *testing.T) {
	s := newStand(t)
	later := func() { s.at = s.at.Add(2 * time.Second) }
	many := s.token(model.JoinTokenRequest{Uses: new(int)})
	for name, token := range map[string]string{"once": s.token(model.JoinTokenRequest{}), "many": many} {
		q := s.wanted(token, name)
		if got := s.refused(q, trust.Identity{}); got != "" {
			t.Fatal(got)
		}
		later()
		if _, _, err := s.Revoke(t.Context(), model.RevokeRequest{Identity: "spiffe://contiv/agent/" + name}, admin); err != nil {
			t.Fatal(err)
		}
		for what, again := range map[string]model.JoinRequest{"the same request": q, "another key": s.wanted(token, name)} {
			if got := s.refused(again, trust.Identity{}); !strings.HasPrefix(got, "denied") || !strings.Contains(got, "contiv token create") {
				t.Errorf("%s, with %s: got %q", name, what, got)
			}
		}
		if got := s.serials("agent/" + name); len(got) != 0 {
			t.Errorf("%s has certificates: %v", name, got)
		}
		later()
		if got := s.refused(s.wanted(s.token(model.JoinTokenRequest{}), name), trust.Identity{}); got != "" {
			t.Errorf("%s, with a token that was made since: got %q", name, got)
		}
	}
	if got := s.refused(s.wanted(many, "left"), trust.Identity{}); got != "" {
		t.Fatal(got)
	}
	later()
	left := trust.Identity{Role: trust.Agent, Name: "left"}
	if _, _, err := s.Dismiss(t.Context(), left, left); err != nil {
		t.Fatal(err)
	}
	if got := s.refused(s.wanted(many, "left"), trust.Identity{}); got != "" {
		t.Errorf("a host that had left by itself: got %q", got)
	}
}

// A host gets no certificate for the name or an address of another host.
func TestClaimedHosts(t *testing.T) {
	s := newStand(t)
	many := s.token(model.JoinTokenRequest{Uses: new(int)})
	s.world.Admitted(t, record.Host{Label: "h2", Machine: "m2", VTEP: netip.MustParseAddr("198.51.100.2"), Port: 4789, Control: netip.MustParseAddrPort("192.0.2.2:9090")})
	if got := s.refused(s.wanted(many, "h1", "192.0.2.1", "h1.example.org", "localhost", "127.0.0.1"), trust.Identity{}); got != "" {
		t.Fatal(got)
	}
	for name, hosts := range map[string][]string{"an address that another is certified for": {"192.0.2.1"}, "a name": {"H1.example.org"}, "a control address": {"192.0.2.2"},
		"a tunnel address": {"192.0.2.9", "198.51.100.2"}, "a label": {"h2"}} {
		if got := s.refused(s.wanted(many, "evil", hosts...), trust.Identity{}); !strings.HasPrefix(got, "conflict") || !strings.Contains(got, "asks to be certified for") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := s.refused(s.wanted(many, "h3", "192.0.2.3", "localhost", "127.0.0.1"), trust.Identity{}); got != "" {
		t.Errorf("what is every host's: got %q", got)
	}
	if got := s.refused(s.wanted(many, "h1", "192.0.2.1"), trust.Identity{Role: trust.Agent, Name: "h1"}); got != "" {
		t.Errorf("its own again: got %q", got)
	}
	moved := commit.By(t.Context(), model.Actor{Address: "192.0.2.1"})
	if _, _, err := s.Join(moved, s.wanted(many, "renamed", "192.0.2.1", "h1.example.org"), trust.Identity{}); err != nil {
		t.Errorf("from the very address: got %v", err)
	}
	local := commit.By(t.Context(), model.Actor{Address: "127.0.0.1"}) // which certificates of all hosts have
	if _, _, err := s.Join(local, s.wanted(many, "beside", "192.0.2.1"), trust.Identity{}); err == nil {
		t.Error("who asks from a loopback address is taken for every host")
	}
}

func TestJoinAsMaster(t *testing.T) {
	s := newStand(t)
	ask := func(token, name, url string) model.JoinRequest {
		q := s.wanted(token, name)
		q.Master = &model.MasterRequest{CertificateRequest: model.CertificateRequest{Name: name, Request: s.csr("192.0.2.12")}, PeerURL: url}
		return q
	}
	if got := s.refused(ask(s.token(model.JoinTokenRequest{}), "h2", "https://192.0.2.12:2380"), trust.Identity{}); !strings.Contains(got, "contiv token create --master") {
		t.Errorf("want an agent's token to be refused, got %q", got)
	}
	token := s.token(model.JoinTokenRequest{Masters: true})
	if got := s.refused(ask(token, "h2", "http://192.0.2.12:2380"), trust.Identity{}); !strings.HasPrefix(got, "invalid master.peerURL") {
		t.Errorf("want a peer URL in plain to be refused, got %q", got)
	}
	if s.peers.urls != nil {
		t.Errorf("want no member of who is refused, got %v", s.peers.urls)
	}
	out, _, err := s.Join(t.Context(), ask(token, "h2", "https://192.0.2.12:2380"), trust.Identity{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trust.ParseAuthority(out.Authority, out.Key); err != nil || out.Agent == nil || out.Master == nil || out.Members["h2"] != "https://192.0.2.12:2380" || len(out.Members) != 2 {
		t.Errorf("want the authority's key, both certificates and all members, got %v, %v", out.Members, err)
	}
}

// A label belongs to the machine with a certificate for it until the certificate expires or is revoked, or an operator reassigns the label.
func TestLabelsOfOthers(t *testing.T) {
	many := 0
	s := newStand(t)
	token := s.token(model.JoinTokenRequest{Uses: &many, TTL: "8000h"})
	join := func(proved trust.Identity) string { return s.refused(s.wanted(token, "h1"), proved) }
	if got := join(trust.Identity{}); got != "" {
		t.Fatal(got)
	}
	if got := join(trust.Identity{}); !strings.HasPrefix(got, "conflict agent.name: a machine holds a certificate as agent h1 already") || !strings.Contains(got, "--replace h1") {
		t.Errorf("want a second machine to be refused, got %q", got)
	}
	if got := join(trust.Identity{Role: trust.Agent, Name: "h2"}); got == "" {
		t.Error("want another host's certificate not to help")
	}
	if got := join(trust.Identity{Role: trust.User, Name: "h1"}); got == "" {
		t.Error("want a user's certificate not to help")
	}
	if got := join(trust.Identity{Role: trust.Agent, Name: "h1"}); got != "" {
		t.Errorf("want the host itself to join again, got %q", got)
	}
	before := s.serials("agent/h1")
	if got := s.refused(s.wanted(s.token(model.JoinTokenRequest{Replaces: "h1"}), "h1"), trust.Identity{}); got != "" {
		t.Errorf("want a token that says so to replace h1, got %q", got)
	}
	if after := s.serials("agent/h1"); len(before) != 1 || len(after) != 1 || after[0] == before[0] {
		t.Errorf("want the replaced one revoked: before %v, after %v", before, after)
	}
	if _, _, err := s.Revoke(t.Context(), model.RevokeRequest{Identity: "spiffe://contiv/agent/h1"}, admin); err != nil {
		t.Fatal(err)
	}
	if got := join(trust.Identity{}); got != "" {
		t.Errorf("want another machine to join once all are revoked, got %q", got)
	}
	s.at = s.at.Add(trust.Lifetime + time.Hour)
	if got := join(trust.Identity{}); got != "" {
		t.Errorf("want another machine to join once it has ended, got %q", got)
	}
}

func TestTokens(t *testing.T) {
	s := newStand(t)
	one, none := 1, -1
	for name, c := range map[string]struct {
		q    model.JoinTokenRequest
		want string
	}{
		"ttl that is none":       {model.JoinTokenRequest{TTL: "soon"}, "invalid ttl"},
		"ttl that is short":      {model.JoinTokenRequest{TTL: "1s"}, "invalid ttl"},
		"uses that are negative": {model.JoinTokenRequest{Uses: &none}, "invalid uses"},
		"a label that is none":   {model.JoinTokenRequest{Replaces: "a b", Uses: &one}, "invalid replaces"},
	} {
		if _, _, _, err := s.MakeToken(t.Context(), c.q, admin); !strings.HasPrefix(enginetest.Say(err), c.want) {
			t.Errorf("%s: want %q, got %q", name, c.want, enginetest.Say(err))
		}
	}
	text, made, _, err := s.MakeToken(t.Context(), model.JoinTokenRequest{TTL: "1h"}, admin)
	if err != nil {
		t.Fatal(err)
	}
	for item := range s.values() {
		if secret := strings.Split(text, ".")[1]; strings.Contains(item, secret) {
			t.Errorf("the store holds the secret: %s", item)
		}
	}
	other := trust.NewToken(strings.Repeat("00", 32))
	other.ID = made.ID
	if got := s.refused(s.wanted(other.String(), "h1"), trust.Identity{}); !strings.Contains(got, "does not count here") {
		t.Errorf("want another secret to be refused, got %q", got)
	}
	s.at = s.at.Add(2 * time.Hour)
	if got := s.refused(s.wanted(text, "h1"), trust.Identity{}); !strings.Contains(got, "expired at") {
		t.Errorf("want the time to be over, got %q", got)
	}
	if _, err := s.RemoveToken(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveToken(t.Context(), made.ID); !strings.HasPrefix(enginetest.Say(err), "not-found") {
		t.Errorf("want a token that is gone not to be found, got %v", err)
	}
}

// values returns an iterator over the values in the store.
func (s *stand) values() func(func(string) bool) {
	items, _, err := s.world.Store.List(s.Context(), "/")
	if err != nil {
		s.Fatal(err)
	}
	return func(yield func(string) bool) {
		for _, it := range items {
			if !yield(string(it.Value)) {
				return
			}
		}
	}
}

func TestRenew(t *testing.T) {
	s := newStand(t)
	h1 := trust.Identity{Role: trust.Agent, Name: "h1"}
	if got := s.refused(s.wanted(s.token(model.JoinTokenRequest{}), "h1", "192.0.2.11", "h1.example.org"), trust.Identity{}); got != "" {
		t.Fatal(got)
	}
	if _, _, err := s.Renew(t.Context(), s.csr("192.0.2.11"), trust.Identity{}); err == nil {
		t.Error("want who has proved nothing to be refused")
	}
	if _, _, err := s.Renew(t.Context(), s.csr("192.0.2.12"), h1); !strings.Contains(enginetest.Say(err), "agent/h1 is not certified for 192.0.2.12") {
		t.Errorf("want the address of another host to be refused, got %v", err)
	}
	out, _, err := s.Renew(t.Context(), s.csr("192.0.2.11", "h1.example.org"), h1)
	if err != nil {
		t.Fatal(err)
	}
	all, err := trust.ParseCertificates([]byte(out.Certificate))
	if err != nil || len(s.serials("agent/h1")) != 2 || !slices.Contains(s.serials("agent/h1"), trust.Serial(all[0])) {
		t.Errorf("want a second certificate on record, got %v, %v", s.serials("agent/h1"), err)
	}
	if got, _, err := s.Dismiss(t.Context(), h1, admin); err != nil || len(got) != 2 {
		t.Errorf("want both revoked, got %v, %v", got, err)
	}
	if _, _, err := s.Renew(t.Context(), s.csr("192.0.2.11"), h1); !strings.Contains(enginetest.Say(err), "contiv join") {
		t.Errorf("want who is revoked to be refused, got %v", err)
	}
}

func TestRecord(t *testing.T) {
	s := newStand(t)
	a, err := s.Trust.Authority()
	if err != nil {
		t.Fatal(err)
	}
	strange, err := trust.NewAuthority(s.at)
	if err != nil {
		t.Fatal(err)
	}
	issued := func(a *trust.Authority, who trust.Identity) string {
		r, err := trust.ParseRequest([]byte(s.csr("192.0.2.1")))
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.Issue(r, who, s.at, trust.Lifetime)
		if err != nil {
			t.Fatal(err)
		}
		return string(trust.CertificatePEM(c))
	}
	own := issued(a, trust.Identity{Role: trust.Master, Name: "m1"}) + issued(a, admin)
	for range 2 {
		if _, err := s.Record(t.Context(), own, admin); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.serials("master/m1")) != 1 || len(s.serials("user/admin")) != 1 {
		t.Error("want both on record, once")
	}
	if _, err := s.Record(t.Context(), issued(strange, admin), admin); !strings.Contains(enginetest.Say(err), "has not issued") {
		t.Errorf("want another authority's to be refused, got %v", err)
	}
	if _, err := s.Record(t.Context(), "text", admin); !strings.HasPrefix(enginetest.Say(err), "invalid certificates") {
		t.Errorf("want what is no certificate to be refused, got %v", err)
	}
}

// Revoked certificates are reported until they expire; expired ones are removed.
func TestFollowAndSweep(t *testing.T) {
	s := newStand(t)
	many := 0
	token := s.token(model.JoinTokenRequest{Uses: &many})
	for i := range 3 {
		if got := s.refused(s.wanted(token, fmt.Sprint("h", i)), trust.Identity{}); got != "" {
			t.Fatal(got)
		}
	}
	revoked := make(chan []string, 10)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go membership.FollowRevocations(ctx, s.world.Catalog, func(serials []string) { revoked <- serials })
	if first := <-revoked; len(first) != 0 {
		t.Errorf("want nothing revoked, got %v", first)
	}
	want := s.serials("agent/h1")
	if _, _, err := s.Revoke(t.Context(), model.RevokeRequest{Serial: want[0]}, admin); err != nil {
		t.Fatal(err)
	}
	if got := <-revoked; !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
	if _, _, err := s.Revoke(t.Context(), model.RevokeRequest{Serial: "00"}, admin); !strings.HasPrefix(enginetest.Say(err), "not-found") {
		t.Errorf("want an unknown one to be refused, got %v", err)
	}
	if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("want nothing swept, got %d, %v", n, err)
	}
	s.at = s.at.Add(trust.Lifetime + 2*time.Hour)
	if n, err := s.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("want the token swept, and no certificate by which an agent renews itself or may not: got %d, %v", n, err)
	}
	s.at = s.at.Add(trust.Grace)
	if n, err := s.Sweep(t.Context()); n != 3 || err != nil {
		t.Errorf("want the three certificates swept, got %d, %v", n, err)
	}
	if got := <-revoked; len(got) != 0 {
		t.Errorf("want no expired certificates reported, got %v", got)
	}
}

// Without an authority, requests for certificates are refused with the reason.
func TestNoAuthority(t *testing.T) {
	s := newStand(t)
	s.Trust = ""
	if _, _, _, err := s.MakeToken(t.Context(), model.JoinTokenRequest{}, admin); !strings.Contains(enginetest.Say(err), "contiv init") {
		t.Errorf("want the remedy, got %v", err)
	}
	s.Trust = trust.Dir(t.TempDir())
	if _, _, err := s.Join(t.Context(), s.wanted(trust.NewToken(strings.Repeat("00", 32)).String(), "h1"), trust.Identity{}); !strings.Contains(enginetest.Say(err), "ca.key") {
		t.Errorf("want the file, got %v", err)
	}
}

// The certificate of the last netmaster cannot be revoked.
func TestLastNetmaster(t *testing.T) {
	s := newStand(t)
	master := func(name string) string {
		q := s.wanted(s.token(model.JoinTokenRequest{Masters: true}), name)
		q.Master = &model.MasterRequest{CertificateRequest: model.CertificateRequest{Name: name, Request: s.csr("192.0.2.12")}, PeerURL: "https://192.0.2.12:2380"}
		if got := s.refused(q, trust.Identity{}); got != "" {
			t.Fatal(got)
		}
		return "spiffe://contiv/master/" + name
	}
	revoke := func(identity string) string {
		_, _, err := s.Revoke(t.Context(), model.RevokeRequest{Identity: identity}, admin)
		return enginetest.Say(err)
	}
	one := master("m2")
	if got := revoke(one); !strings.HasPrefix(got, "in-use") {
		t.Errorf("want the last one to stay, got %q", got)
	}
	if got := revoke("spiffe://contiv/agent/m2"); got != "" {
		t.Errorf("an agent's: got %q", got)
	}
}

// An identity has a limited number of certificates on record, and then one more per day; certificates of other identities do not count.
func TestRenew_Bounded(t *testing.T) {
	s := newStand(t)
	h1, h2 := trust.Identity{Role: trust.Agent, Name: "h1"}, trust.Identity{Role: trust.Agent, Name: "h2"}
	many := s.token(model.JoinTokenRequest{Uses: new(int)})
	for _, name := range []string{"h1", "h2"} {
		if got := s.refused(s.wanted(many, name, name), trust.Identity{}); got != "" {
			t.Fatal(got)
		}
	}
	renew := func(who trust.Identity) string {
		_, _, err := s.Renew(t.Context(), s.csr(who.Name), who)
		return enginetest.Say(err)
	}
	for range 15 {
		if got := renew(h1); got != "" {
			t.Fatal(got)
		}
	}
	const busy = "busy: spiffe://contiv/agent/h1 has had 16 certificates that have not ended"
	if got := renew(h1); !strings.HasPrefix(got, busy) {
		t.Errorf("the next: got %q", got)
	}
	if got := s.refused(s.wanted(many, "h1", "h1"), h1); !strings.HasPrefix(got, busy) {
		t.Errorf("the next by the token, whose use was counted: got %q", got)
	}
	if got := renew(h2); got != "" {
		t.Errorf("another host: got %q", got)
	}
	s.at = s.at.Add(25 * time.Hour)
	if got := renew(h1); got != "" {
		t.Errorf("a day later: got %q", got)
	}
	if got := renew(h1); !strings.Contains(got, "16 certificates") && !strings.Contains(got, "17 certificates") {
		t.Errorf("once more: got %q", got)
	}
}

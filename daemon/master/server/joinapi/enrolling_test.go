// SPDX-License-Identifier: Apache-2.0

package joinapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// stand is a netmaster that serves only these routes, with an authority of its own.
type stand struct {
	testing.TB
	world     *enginetest.World
	authority *trust.Authority
	dir       trust.Dir
	url       string
	handler   http.Handler
	asked     *Enrolling
}

func newStand(t testing.TB) *stand {
	t.Helper()
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{TB: t, authority: a, dir: trust.Dir(t.TempDir()), world: enginetest.Start(t, enginetest.Options{})}
	certificate, key, err := a.PEM()
	if err == nil {
		err = s.dir.SaveAuthority(certificate, key)
	}
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	s.asked = &Enrolling{Catalog: s.world.Catalog, Endpoints: s.world.Service,
		Enroll:  membership.NewEnroller(membership.EnrollerConfig{Commit: s.world.Commit, Catalog: s.world.Catalog, Trust: s.dir, Log: log}),
		Cluster: Cluster{Settings: model.ClusterSettings{Mode: "kubernetes", NetMode: "vxlan"}, Store: model.StoreSettings{Kind: "etcd", URLs: []string{"http://192.0.2.1:2379"}}, Self: "m1"},
		Sender:  func(q *http.Request) trust.Identity { who, _ := trust.Peer(q.TLS); return who },
	}
	r := rest.NewRouter(log)
	s.asked.Register(r)
	s.handler = r
	server := httptest.NewUnstartedServer(r)
	server.TLS = s.holder(trust.Master, "m1").Server()
	server.StartTLS()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// holder has a certificate of the stand's authority.
func (s *stand) holder(role trust.Role, name string) *trust.Holder {
	s.Helper()
	r, err := trust.NewRequest("127.0.0.1")
	if err != nil {
		s.Fatal(err)
	}
	c, err := s.authority.Issue(r, trust.Identity{Role: role, Name: name}, time.Now(), trust.Lifetime)
	if err != nil {
		s.Fatal(err)
	}
	return s.keeps(r, trust.CertificatePEM(c), role)
}

// keeps is the holder of a certificate that was issued for a request.
func (s *stand) keeps(r *trust.Request, certificate []byte, role trust.Role) *trust.Holder {
	s.Helper()
	d := trust.Dir(s.TempDir())
	ca, _, err := s.authority.PEM()
	if err == nil {
		err = d.SaveAuthority(ca, nil)
	}
	pair, wrong := r.Pair(certificate)
	if err == nil && wrong == nil {
		err = d.SavePair(role, pair)
	}
	if err != nil || wrong != nil {
		s.Fatal(err, wrong)
	}
	h, err := trust.Open(d, role)
	if err != nil {
		s.Fatal(err)
	}
	return h
}

// as is a client that speaks TLS so.
func (s *stand) as(c *tls.Config) *client.Client {
	return &client.Client{Base: s.url, HTTP: &http.Client{Transport: &http.Transport{TLSClientConfig: c}}}
}

// A host joins with nothing but a token, renews its certificate, and leaves.
func TestJoinRenewLeave(t *testing.T) {
	s := newStand(t)
	ctx := t.Context()
	admin := s.as(s.holder(trust.User, "admin").Client(trust.Master, ""))
	token, err := admin.MakeJoinToken(ctx, model.JoinTokenRequest{})
	if err != nil {
		t.Fatal(err)
	}
	read, err := trust.ParseToken(token.Token)
	if err != nil {
		t.Fatal(err)
	}
	visitor := s.as(trust.Pinned(read.Pin, func(*x509.Certificate) {}))
	r, err := trust.NewRequest("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := visitor.Join(ctx, model.JoinRequest{Token: token.Token, Agent: &model.CertificateRequest{Name: "h1", Request: string(r.PEM())}})
	if err != nil {
		t.Fatal(err)
	}
	if answer.AuthorityKey != "" || answer.Master != "" || answer.Settings != (model.ClusterSettings{Mode: "kubernetes", NetMode: "vxlan", FwdMode: "bridge"}) || len(answer.Store.URLs) != 1 {
		t.Errorf("want the cluster's settings and no key, got %+v", answer)
	}
	h1 := s.keeps(r, []byte(answer.Agent), trust.Agent)
	agent := s.as(h1.Client(trust.Master, ""))
	before := h1.Certificate().SerialNumber
	if err := h1.RenewNow(ctx, func(ctx context.Context, r *trust.Request) ([]byte, error) {
		out, err := agent.RenewCertificate(ctx, model.RenewRequest{Request: string(r.PEM())})
		return []byte(out.Certificate), err
	}); err != nil || h1.Certificate().SerialNumber.Cmp(before) == 0 {
		t.Errorf("want another certificate, got %v", err)
	}
	s.world.Registered(t, "h2", "192.0.2.2:9090")
	for who, q := range map[string]model.DepartRequest{"another host": {Agent: "h2"}, "a netmaster": {Master: "h1"}, "a netmaster of another": {Agent: "h1", Master: "h2"}} {
		if _, err := agent.Depart(ctx, q); err == nil {
			t.Errorf("want h1's agent not to have %s leave", who)
		}
	}
	if _, err := admin.Depart(ctx, model.DepartRequest{Agent: "h2"}); !strings.HasPrefix(enginetest.Say(err), "in-use") {
		t.Errorf("want a host whose agent runs to stay, got %v", err)
	}
	if _, err := admin.Depart(ctx, model.DepartRequest{Master: "m1"}); !strings.Contains(enginetest.Say(err), "netctl leader handover") {
		t.Errorf("want the leader to stay, got %v", err)
	}
	s.world.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "attach blue c1 host=h1", "attach blue c2 host=h2")
	if _, _, err := s.world.Service.Create(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: "h1", EPCommonName: "h1",
		ConfigEP: model.EndpointConfigRequest{Container: "h1", Host: "h1"}}); err != nil { // the host's own
		t.Fatal(err)
	}
	if got, err := agent.HostEndpoints(ctx, "h1"); err != nil || len(got.Endpoints) != 1 || !strings.HasSuffix(got.Endpoints[0], "c1") {
		t.Errorf("want c1 only, got %v, %v", got, err)
	}
	for _, host := range []string{"h2", ""} {
		if got, err := agent.HostEndpoints(ctx, host); err == nil {
			t.Errorf("endpoints of host %q: want h1's agent to be refused, got %v", host, got)
		}
	}
	left, err := agent.Depart(ctx, model.DepartRequest{Agent: "h1"})
	if err != nil || len(left.Revoked) != 2 {
		t.Errorf("want both certificates revoked, got %+v, %v", left, err)
	}
	all, err := admin.Certificates(ctx)
	if err != nil || len(all) != 2 || all[0].Revoked.IsZero() || all[0].RevokedBy != "spiffe://contiv/agent/h1" {
		t.Errorf("want both listed as revoked by the host, got %+v, %v", all, err)
	}
	if err := admin.RemoveJoinToken(ctx, token.ID); err != nil {
		t.Error(err)
	}
	if tokens, err := admin.JoinTokens(ctx); err != nil || len(tokens) != 0 {
		t.Errorf("want no token left, got %v, %v", tokens, err)
	}
}

// Unauthenticated clients, and roles that are no operator's, create no tokens and revoke no certificates.
func TestOperators(t *testing.T) {
	s := newStand(t)
	ctx := t.Context()
	for who, c := range map[string]*client.Client{
		"a visitor": s.as(trust.Visitor(s.holder(trust.User, "x").Trusted())),
		"an agent":  s.as(s.holder(trust.Agent, "h1").Client(trust.Master, "")),
		"a monitor": s.as(s.holder(trust.Monitor, "m").Client(trust.Master, "")),
	} {
		_, made := c.MakeJoinToken(ctx, model.JoinTokenRequest{Masters: true})
		_, ls := c.JoinTokens(ctx)
		_, certs := c.Certificates(ctx)
		_, revoke := c.RevokeCertificates(ctx, model.RevokeRequest{Identity: "spiffe://contiv/master/m1"})
		_, depart := c.Depart(ctx, model.DepartRequest{Agent: "h9", Master: "m9"})
		for what, err := range map[string]error{"make": made, "list": ls, "remove": c.RemoveJoinToken(ctx, "x"), "certificates": certs, "record": c.RecordCertificates(ctx, model.RecordRequest{}),
			"revoke": revoke, "leave": depart} {
			if model.AsError(err).Code != model.CodeDenied {
				t.Errorf("%s: %s: want to be refused, got %v", who, what, err)
			}
		}
	}
}

// A token that is sent without encryption is refused, and the refusal says that it counts as disclosed.
func TestJoinInPlain(t *testing.T) {
	s := newStand(t)
	plain := httptest.NewServer(s.handler)
	defer plain.Close()
	c := &client.Client{Base: plain.URL}
	if _, err := c.Join(t.Context(), model.JoinRequest{Token: "x"}); err == nil || !strings.Contains(err.Error(), "contiv token rm") {
		t.Errorf("want the token to be given up, got %v", err)
	}
}

// A host that is forgotten proves nothing any more.
func TestForgotten(t *testing.T) {
	s := newStand(t)
	h1 := s.holder(trust.Agent, "h1")
	if _, err := s.asked.Enroll.Record(t.Context(), string(trust.CertificatePEM(h1.Certificate())), trust.Identity{}); err != nil {
		t.Fatal(err)
	}
	if revoked, _, err := s.asked.Enroll.Dismiss(t.Context(), trust.Identity{Role: trust.Agent, Name: "h1"}, trust.Identity{}); err != nil || len(revoked) != 1 {
		t.Fatal(err)
	}
	if c := s.asked.certificates(); len(c) != 1 || c[0].Revoked.IsZero() {
		t.Errorf("want the certificate revoked, got %+v", c)
	}
	if revoked, _, err := s.asked.Enroll.Dismiss(t.Context(), trust.Identity{Role: trust.Agent, Name: "h9"}, trust.Identity{}); err != nil || len(revoked) != 0 {
		t.Errorf("want a host without certificates to be success, got %v", err)
	}
}

// FuzzJoin sends any body: whatever it is, the answer is a refusal, and nothing is certified.
func FuzzJoin(f *testing.F) {
	s := newStand(f)
	s.inPods(nil)
	r, err := trust.NewRequest("192.0.2.1")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"token":"` + trust.NewToken(s.authority.Fingerprint()).String() + `","agent":{"name":"h1","request":` + strings.ReplaceAll(`"`+string(r.PEM())+`"`, "\n", `\n`) + `}}`))
	f.Add([]byte(`{"pod":"eyJhbGciOiJSUzI1NiJ9.e30.","agent":{"name":"h1","request":` + strings.ReplaceAll(`"`+string(r.PEM())+`"`, "\n", `\n`) + `}}`))
	f.Add([]byte(`{"master":{"name":"/","request":"","peerURL":"::"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		q := httptest.NewRequest(http.MethodPost, "/api/v1/join", bytes.NewReader(body))
		q.Header.Set("Accept", "application/json")
		q.TLS = &tls.ConnectionState{}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, q)
		if w.Code < 400 || w.Code >= 500 {
			t.Errorf("want a refusal of %q, got %d %s", body, w.Code, w.Body)
		}
		items, _, err := s.world.Store.List(context.Background(), record.Certificates)
		if err != nil || len(items) > 0 {
			t.Errorf("certified: %v, %v", items, err)
		}
	})
}

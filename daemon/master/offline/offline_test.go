// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/master/offline"
	"github.com/contiv/contiv/trust"
)

var admin = trust.Identity{Role: trust.User, Name: "admin"}

// Secrets that the tests put into objects, logs and settings. Each has a unique text, so that a search finds it in any context.
const (
	bgpPassword  = "planted-bgp-8127"
	ldapPassword = "planted-ldap-5521"
	oidcSecret   = "planted-oidc-3309"
	userPassword = "planted-user-7746"
	aciToken     = "planted-log-2204"
	joinToken    = "abcdefgh.planted000000000000000000000000000000000000.planted111111111111111111111111111111111111"
	privateKey   = "-----BEGIN EC PRIVATE KEY-----\nplantedMHcCAQEE\n-----END EC PRIVATE KEY-----"
)

// agent returns the address of a host's agent with secrets in its log and in its driver's state.
func agent(t *testing.T) string {
	t.Helper()
	answers := map[string]any{
		"/status": model.AgentStatus{Host: "h1", Version: "test", Ready: true}, "/inspect/drift": model.Drift{Host: "h1", Now: []model.Difference{}, Found: []model.Difference{}},
		"/inspect/flows":  []model.Flow{{Table: "source", Owner: "endpoint/default:blue:c1", Packets: 7}, {Table: "policy", Owner: "rule/default:in:no", Drop: true}},
		"/inspect/driver": map[string]any{"config": map[string]string{"clientToken": "planted-field-1", "note": "password: planted-note-1"}},
		"/inspect/rules":  []model.RuleStatus{{Rule: "default:in:no", Packets: 3}},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/inspect/log" {
			_, _ = io.WriteString(w, "level=INFO msg=\"session up\" password="+aciToken+" with="+bgpPassword+"\nAuthorization: Bearer "+aciToken+"\n"+privateKey+"\nlevel=INFO msg=joins token="+joinToken+
				" at=https://ann:planted-url-1@x.test/ and \""+joinToken+"\" as it is\n{\"msg\":\"x\",\"secret\":\"planted-json-1\"}\n")
			return
		}
		if v, ok := answers[q.URL.Path]; ok {
			_ = json.NewEncoder(w).Encode(v)
			return
		}
		http.NotFound(w, q)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// cluster starts a cluster of two hosts with a secret in each place that can have one. The second host does not answer.
func cluster(t *testing.T) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{Secure: true, Recent: func() []byte { return []byte("level=INFO msg=login password=" + userPassword + "\n") }})
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.Close()
	m.Registered(t, "h1", agent(t))
	m.Registered(t, "h2", dead.Addr().String())
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24", "policy in", "rule in:no direction=in protocol=tcp port=80 action=deny priority=1", "endpointGroup web networkName=blue policies=in",
		"attach blue c1 host=h1 group=web", "attach blue c2 host=h1", "attach blue c3 host=h2",
		"Bgp h1 as=500 neighbor-as=500 neighbor=50.1.1.1 routerip=50.1.1.2/24 password="+bgpPassword,
		"user planted-name")
	return m
}

// made returns a bundle of a cluster, as a user with only the right to support bundles gets it, and its whole contents.
func made(t *testing.T, c *client.Client) (*bundle.Bundle, string) {
	t.Helper()
	stream, err := c.Bundle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	text, err := io.ReadAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	manifest, _ := json.Marshal(b.Manifest)
	all := string(manifest)
	for _, f := range b.Manifest.Files {
		content, _ := b.File(f.Name)
		all += "\n" + f.Name + ":\n" + string(content)
	}
	return b, all
}

// reader returns a client of a reader of the bundle.
func reader(t *testing.T, b *bundle.Bundle) *client.Client {
	t.Helper()
	r, err := offline.New(b, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return &client.Client{Base: s.URL}
}

// A bundle contains none of the planted secrets. A user needs only the right to support bundles to get one.
func TestSecretsAreTakenOut(t *testing.T) {
	m := cluster(t)
	root := m.As(admin)
	mastertest.Put(t, root.Users(), &model.User{Username: "bob"})
	mastertest.Put(t, root.Authorizations(), &model.Authorization{AuthorizationName: "bob-1", UserName: "bob", Role: "bundle"})
	mastertest.Put(t, root.LdapConfigurations(), &model.LdapConfiguration{Name: "ldap", Server: "ldap.test", BaseDN: "dc=test", BindDN: "cn=planted-dn"})
	mastertest.Put(t, root.OidcConfigurations(), &model.OidcConfiguration{Name: "oidc", Issuer: "https://planted-issuer.test", ClientId: "contiv"})
	for what, err := range map[string]error{
		"user": root.SetPassword(t.Context(), model.PasswordRequest{Username: "bob", Password: userPassword}),
		"ldap": root.SetLDAPPassword(t.Context(), ldapPassword), "oidc": root.SetOIDCSecret(t.Context(), oidcSecret),
	} {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	var session model.Token
	if _, err := m.Stranger().Post(t.Context(), "/api/v1/auth/login", model.Login{Username: "bob", Password: userPassword}, &session); err != nil {
		t.Fatal(err)
	}
	bob := m.Holding(session.Token)
	if list, err := bob.Networks().List(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("bob sees networks: %d, %v", len(list), err)
	}
	b, all := made(t, bob.Client)
	for _, secret := range []string{"planted", session.Token, "argon2", bgpPassword[8:], ldapPassword[8:], oidcSecret[8:]} {
		if i := strings.Index(all, secret); i >= 0 {
			t.Errorf("%q is in the bundle: %.200q", secret, all[max(0, i-100):])
		}
	}
	for _, there := range []string{"default:blue", "session up", "50.1.1.1", `"by":"bob"`, "hosts/h1/log.txt"} {
		if !strings.Contains(all, there) {
			t.Errorf("%q is not in the bundle", there)
		}
	}
	if why := b.Manifest.Gaps("host h2", ""); !strings.Contains(why, "did not answer") {
		t.Errorf("want h2 to be missing, got %q of %+v", why, b.Manifest.Missing)
	}
	for name, c := range map[string]channel.Master{"no one": m.Stranger(), "an agent": m.As(trust.Identity{Role: trust.Agent, Name: "h1"})} {
		if _, err := c.Bundle(t.Context()); !client.IsCode(err, model.CodeDenied) && !client.IsCode(err, model.CodeUnproved) {
			t.Errorf("%s gets a bundle: %v", name, err)
		}
	}
}

// A reader of a bundle answers as the cluster did, and reports everything else as unknown.
func TestRead(t *testing.T) {
	m := cluster(t)
	root, ctx := m.As(admin), t.Context()
	b, _ := made(t, root.Client)
	c := reader(t, b)
	for _, k := range model.Kinds() {
		if k.InspectOnly {
			continue
		}
		live, err := root.List(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		read, err := c.List(ctx, k)
		if k.Guarded {
			if err == nil || !strings.Contains(err.Error(), "it has no "+k.Nouns()) {
				t.Errorf("%s: want unknown, got %d, %v", k.Name, len(read), err)
			}
			continue
		}
		want, _ := json.Marshal(live)
		got, _ := json.Marshal(read)
		if err != nil || string(bytes.ReplaceAll(want, []byte(bgpPassword), []byte("(taken out)"))) != string(got) {
			t.Errorf("%s: want %s, got %s, %v", k.Name, want, got, err)
		}
	}
	was, err := root.History(ctx, client.HistoryQuery{Kind: "network"})
	is, wrong := c.History(ctx, client.HistoryQuery{Kind: "network"})
	if err != nil || wrong != nil || len(is) == 0 || len(is) != len(was) {
		t.Errorf("history: want %d, got %d, %v, %v", len(was), len(is), err, wrong)
	}
	if users, err := c.History(ctx, client.HistoryQuery{}); err != nil || strings.Contains(mustJSON(users), "planted-name") {
		t.Errorf("the history contains users: %v", err)
	}
	for owner, want := range map[string]int{"": 2, "endpoint/c1": 1, "policy/default:in": 1, "rule/default:in:no": 1, "endpoint/c9": 0} {
		if flows, err := c.Flows(ctx, "h1", owner, ""); err != nil || len(flows) != want {
			t.Errorf("flows of %q: want %d, got %d, %v", owner, want, len(flows), err)
		}
	}
	if nodes, err := c.Nodes(ctx); err != nil || len(nodes) == 0 {
		t.Errorf("nodes: %v", err)
	}
	if at, err := c.Addresses(ctx, client.AddressQuery{Tenant: "default", Network: "blue"}); err != nil || len(at) == 0 {
		t.Errorf("addresses: %d, %v", len(at), err)
	}
	if rule, err := c.Rules().Inspect(ctx, "default", "in", "no"); err != nil || !strings.Contains(mustJSON(rule), "h2") {
		t.Errorf("a rule's hits: want h2 unknown, got %s, %v", mustJSON(rule), err)
	}
	if list, err := c.AsOf(strconv.FormatUint(was[len(was)-1].Revision, 10)).Endpoints().List(ctx); err != nil || len(list) != 0 {
		t.Errorf("before there was an endpoint: got %d, %v", len(list), err)
	}
	if events := watched(t, c); events == 0 {
		t.Error("the watch sent nothing")
	}
}

func mustJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// watched returns the number of events that a watch sends first.
func watched(t *testing.T, c *client.Client) (n int) {
	t.Helper()
	for e, err := range c.Watch(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(e.Items)
		if e.Type == model.EventSync {
			break
		}
	}
	return n
}

// The verdict follows from the objects if the switches held their flows; otherwise it is unknown.
func TestWhy(t *testing.T) {
	b, _ := made(t, cluster(t).As(admin).Client)
	c := reader(t, b)
	for _, row := range []struct {
		name, from, to string
		port           int
		verdict        model.Verdict
		text           string
	}{
		{"allowed", "c1", "c2", 80, model.VerdictAllowed, "no rule speaks of tcp 80, so it passes, by the objects of "},
		{"denied", "c2", "c1", 80, model.VerdictDenied, "rule default:in:no denies tcp 80, by the objects of "},
		{"the other host is not in it", "c1", "c3", 80, model.VerdictUnknown, "h2 is not in the bundle: at 127.0.0.1:"},
	} {
		w, err := c.Why(t.Context(), model.WhyRequest{From: row.from, To: row.to, Protocol: "tcp", Port: row.port})
		if err != nil || w.Verdict != row.verdict || !strings.Contains(w.Text, row.text) {
			t.Errorf("%s: want %s, %q, got %s, %q, %v", row.name, row.verdict, row.text, w.Verdict, w.Text, err)
		}
	}
	if _, err := c.Why(t.Context(), model.WhyRequest{From: "c1", To: "absent"}); !client.IsCode(err, model.CodeNotFound) {
		t.Errorf("want not found, got %v", err)
	}
}

// Changes, and requests for data that a bundle does not contain, are refused with the time of the bundle.
func TestRefused(t *testing.T) {
	b, _ := made(t, cluster(t).As(admin).Client)
	c := reader(t, b)
	mark := "this is a support bundle of " + b.Manifest.Made.UTC().Format("2006-01-02T15:04:05Z")
	var out any
	_, put := c.Networks().Put(t.Context(), &model.Network{TenantName: "default", NetworkName: "n", Subnet: "10.0.0.0/24"})
	_, captured := c.Capture(t.Context(), model.CaptureRequest{Of: "c1"})
	_, sent := c.Why(t.Context(), model.WhyRequest{From: "c1", To: "c2", Probe: true})
	_, doctor := c.Doctor(t.Context(), "h1")
	for what, err := range map[string]error{"put": put, "capture": captured, "probe": sent, "doctor of one": doctor, "audit": c.Raw(t.Context(), "/api/v1/audit", &out), "whoami": c.Raw(t.Context(), "/api/v1/auth/whoami", &out)} {
		if err == nil || !strings.Contains(err.Error(), mark) {
			t.Errorf("%s: want %q, got %v", what, mark, err)
		}
	}
	for what, want := range map[string]string{"nameserver": "it was not requested", "trace": "no switch or container can be asked"} {
		if err := c.Inspect(t.Context(), "h1", what, nil, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", what, want, err)
		}
	}
	if _, err := c.Flows(t.Context(), "h2", "", ""); err == nil || !strings.Contains(err.Error(), "does not hold this") {
		t.Errorf("flows of a host that did not answer: %v", err)
	}
}

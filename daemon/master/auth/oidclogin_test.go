// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"context"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/enginetest"
)

// openID says of every code that it is of a user with that name.
type openID struct{}

func (openID) Authorize(context.Context, *model.OidcConfiguration, model.OIDCAuthorize) (string, error) {
	return "https://id/auth", nil
}

func (openID) Device(context.Context, *model.OidcConfiguration, string, model.OIDCDeviceRequest) (model.OIDCDevice, error) {
	return model.OIDCDevice{Code: "d"}, nil
}

func (openID) Login(_ context.Context, _ *model.OidcConfiguration, _ string, q model.OIDCLogin) (auth.Claimed, error) {
	return auth.Claimed{Name: q.Code, Groups: []string{"net", "cn=net,dc=x"}}, nil
}

// A user of the provider is none of the cluster or of the directory, nor are its groups, whatever they are called; and the other way round.
func TestOIDC_Names(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	u := auth.NewUsers(auth.Config{Commit: w.Commit, Catalog: w.Catalog, Directory: anyone{}, Provider: openID{}, Cheap: true})
	for _, line := range []string{"user ann", "user eve", "authorization other userName=eve role=admin", "ldapConfiguration ldap server=ldap baseDN=dc=x", "oidcConfiguration oidc issuer=https://id clientId=contiv",
		"authorization a userName=ann role=admin", "authorization b groupName=cn=net,dc=x role=operator", "authorization c groupName=oidc:net role=viewer", "authorization d groupName=oidc:NET role=capture"} {
		w.Must(t, line)
	}
	s, _, err := u.LoginOIDC(t.Context(), model.OIDCLogin{Code: "ann", Verifier: "v"}, "192.0.2.1")
	if err != nil || s.User != "oidc:ann" {
		t.Fatalf("got %+v, %v", s, err)
	}
	grants := func(token string) string {
		who, err := u.Subject(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		out := string(who.Proof)
		for _, g := range who.Grants {
			out += " " + g.String()
		}
		return out
	}
	if got := grants(s.Token); got != "oidc viewer" {
		t.Errorf("a user of the provider: got %s", got)
	}
	w.Must(t, "user ann disabled=yes") // which concerns the cluster's own
	if got := grants(s.Token); got != "oidc viewer" {
		t.Errorf("with the user of the cluster disabled: got %s", got)
	}
	d, _, err := u.Login(t.Context(), model.Login{Username: "dora", Password: "explorer"}, "192.0.2.1")
	if err != nil || grants(d.Token) != "ldap operator" {
		t.Errorf("a user of the directory with a group oidc:net: %v", err)
	}
	if _, _, err := u.Login(t.Context(), model.Login{Username: "oidc:ann", Password: "explorer"}, "192.0.2.1"); code(err) != model.CodeUnproved {
		t.Errorf("a user of the directory who is called as one of the provider: %v", err)
	}
	for _, name := range []string{"ann smith", "ann/net", "", "änn"} {
		if _, _, err := u.LoginOIDC(t.Context(), model.OIDCLogin{Code: name, Verifier: "v"}, "192.0.2.1"); err == nil {
			t.Errorf("%q is a user", name)
		}
	}
	w.Must(t, "rm oidcConfiguration oidc")
	if _, err := u.Subject(t.Context(), s.Token); code(err) != model.CodeUnproved {
		t.Errorf("a session outlives its provider: %v", err)
	}
	if _, _, err := u.LoginOIDC(t.Context(), model.OIDCLogin{Code: "ann", Verifier: "v"}, "192.0.2.1"); code(err) != model.CodeNotReady {
		t.Errorf("without a provider: %v", err)
	}
	if who := (auth.Subject{Proof: auth.ByProvider, Token: s.ID}); len(u.Grants(&who)) > 0 {
		t.Error("a follower's word for an ended session counts")
	}
}

// anyone is a directory of everyone, with groups that are called as the provider's too.
type anyone struct{}

func (anyone) Check(context.Context, *model.LdapConfiguration, string, string, string) ([]string, error) {
	return []string{"cn=net,dc=x", "net", "oidc:net"}, nil
}

// Questions to the provider are bounded by address, of IPv6 by subnet.
func TestOIDC_Throttle(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	u := auth.NewUsers(auth.Config{Commit: w.Commit, Catalog: w.Catalog, Provider: openID{}, Now: (&clock{}).Now, Cheap: true})
	w.Must(t, "oidcConfiguration oidc issuer=https://id clientId=contiv")
	device := func(from string) model.Code {
		_, err := u.Device(t.Context(), model.OIDCDeviceRequest{Challenge: "c"}, from)
		return code(err)
	}
	for i := range 30 {
		if got := device([]string{"2001:db8::1", "2001:db8::2"}[i%2]); got != "" {
			t.Fatalf("within the bound: %s", got)
		}
	}
	if got := device("2001:db8::3"); got != model.CodeBusy {
		t.Errorf("one too many from a subnet: got %q", got)
	}
	if got := device("2001:db8:0:1::3"); got != "" {
		t.Errorf("from another subnet: got %q", got)
	}
}

// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// recordingDirectory is an LDAP directory that records the password with which netmaster has logged in.
type recordingDirectory struct{ password string }

func (d *recordingDirectory) Check(_ context.Context, _ *model.LdapConfiguration, password, _, _ string) ([]string, error) {
	d.password = password
	return nil, nil
}

// sealOf is the seal of a new authority.
func sealOf(tb testing.TB) func() (*trust.Seal, error) {
	tb.Helper()
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	return a.Seal
}

func noAuthority() (*trust.Seal, error) { return nil, fs.ErrNotExist }

// The bind password is sealed where netmasters have the authority's key. The next leader seals a password that was stored in plain text, and the
// refusal of a seal whose key is gone has a remedy.
func TestSecret(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "ldapConfiguration ldap server=ldap baseDN=dc=x bindDN=cn=contiv")
	first, second := sealOf(t), sealOf(t)
	with := func(seal func() (*trust.Seal, error)) (*auth.Users, *recordingDirectory) {
		d := &recordingDirectory{}
		return auth.NewUsers(auth.Config{Commit: w.Commit, Catalog: w.Catalog, Directory: d, Seal: seal, Cheap: true}), d
	}
	stored := func() (out string) {
		w.Catalog.View(func(v *catalog.View) { out = string(v.Value(record.LDAPKey)) })
		return out
	}
	// expect logs someone in by the directory, and compares how the secret is stored and the password that the directory received.
	expect := func(step string, seal func() (*trust.Seal, error), state, password, refusal string) {
		t.Helper()
		u, d := with(seal)
		_, _, err := u.Login(t.Context(), model.Login{Username: "dora", Password: "explorer"}, "192.0.2.1")
		got := ""
		w.Catalog.View(func(v *catalog.View) { got = u.Secrets()(v, record.LDAPKey) })
		if got != state || d.password != password || (err == nil) != (refusal == "") || err != nil && !strings.Contains(err.Error(), refusal) {
			t.Errorf("%s: want it %s, %q, %q; got %s, %q, %v", step, state, password, refusal, got, d.password, err)
		}
	}
	set := func(seal func() (*trust.Seal, error), text string) {
		t.Helper()
		u, _ := with(seal)
		if _, err := u.SetLDAPPassword(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	expect("nothing was set", first, "none", "", "")
	set(noAuthority, "searching")
	expect("without an authority", noAuthority, "plain", "searching", "")
	u, _ := with(first)
	if _, err := w.Commit.Do(t.Context(), func(tx *commit.Tx) error { return u.SealSecrets(tx) }); err != nil {
		t.Fatal(err)
	}
	expect("sealed by the next leader", first, "sealed", "searching", "")
	if strings.Contains(stored(), "searching") {
		t.Errorf("it shows in the store: %s", stored())
	}
	expect("the authority was replaced", second, "lost", "", "netctl auth ldap-password")
	expect("the authority's key is gone", noAuthority, "lost", "", "netctl auth ldap-password")
	set(second, "finding")
	expect("set again", second, "sealed", "finding", "")
	w.Must(t, "ldapConfiguration ldap server=elsewhere baseDN=dc=x bindDN=cn=contiv")
	expect("another server", second, "none", "", "")
}

// While the authority is replaced, a secret that the previous one has sealed is read, and sealed by the next one.
func TestSecretWhileAuthorityIsReplaced(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "ldapConfiguration ldap server=ldap baseDN=dc=x bindDN=cn=contiv")
	dir := trust.Dir(t.TempDir())
	old, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	next, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	text, key, err := old.PEM()
	nextText, nextKey, wrong := next.PEM()
	if err := errors.Join(err, wrong, dir.SaveAuthority(text, key)); err != nil {
		t.Fatal(err)
	}
	u := auth.NewUsers(auth.Config{Commit: w.Commit, Catalog: w.Catalog, Directory: &recordingDirectory{}, Seal: dir.Seal, Cheap: true})
	if _, err := u.SetLDAPPassword(t.Context(), "searching"); err != nil {
		t.Fatal(err)
	}
	if err := dir.SignBy(nextText, nextKey); err != nil {
		t.Fatal(err)
	}
	by := func() (s record.Secret) {
		w.Catalog.View(func(v *catalog.View) { _ = json.Unmarshal(v.Value(record.LDAPKey), &s) })
		return s
	}
	if got := by(); got.By != old.Fingerprint() {
		t.Errorf("want it sealed by the previous authority, got %s", got.By)
	}
	for range 2 {
		if _, err := w.Commit.Do(t.Context(), u.SealSecrets); err != nil {
			t.Fatal(err)
		}
	}
	seal, err := next.Seal()
	if err != nil {
		t.Fatal(err)
	}
	got := by()
	if text, err := seal.Open(record.LDAPKey, got.Sealed); err != nil || string(text) != "searching" || got.By != next.Fingerprint() {
		t.Errorf("want it sealed by the next authority, got %q, %v, %s", text, err, got.By)
	}
}

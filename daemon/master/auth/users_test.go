// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
)

// clock is a time that tests set. Waiting by it takes no time.
type clock struct {
	now    time.Time
	waited []time.Duration
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.waited = append(c.waited, d)
	out := make(chan time.Time, 1)
	out <- c.now
	return out
}

func (c *clock) Now() time.Time { return c.now }

// start has users over a store in memory, with the user ann, whose password is "correct horse".
func start(tb testing.TB, d auth.Directory) (*auth.Users, *enginetest.World, *clock) {
	tb.Helper()
	w := enginetest.Start(tb, enginetest.Options{})
	c := &clock{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	u := auth.NewUsers(auth.Config{Commit: w.Commit, Catalog: w.Catalog, Directory: d, Now: c.Now, After: c.After, Cheap: true})
	w.Must(tb, "user ann")
	if _, err := u.SetPassword(context.Background(), "ann", "correct horse"); err != nil {
		tb.Fatal(err)
	}
	return u, w, c
}

func code(err error) model.Code {
	if err == nil {
		return ""
	}
	return model.AsError(err).Code
}

func TestLogin(t *testing.T) {
	u, w, _ := start(t, nil)
	w.Must(t, "user bob")
	for _, row := range []struct {
		name, user, password string
		want                 model.Code
	}{
		{"right", "ann", "correct horse", ""}, {"wrong", "ann", "correct hors", model.CodeUnproved}, {"empty", "ann", "", model.CodeUnproved}, {"no user", "", "correct horse", model.CodeUnproved},
		{"unknown", "eve", "correct horse", model.CodeUnproved}, {"a user without a password", "bob", "", model.CodeUnproved}, {"too long", "ann", string(make([]byte, 10000)), model.CodeUnproved},
	} {
		got, _, err := u.Login(t.Context(), model.Login{Username: row.user, Password: row.password}, "192.0.2.1")
		if code(err) != row.want || (got.Token != "") != (row.want == "") {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

// A session ends after its time by the clock, and the sweep removes it from the store.
func TestSessionTime(t *testing.T) {
	u, w, c := start(t, nil)
	s, _, err := u.Login(t.Context(), model.Login{Username: "ann", Password: "correct horse"}, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(auth.SessionTime - time.Second)
	who, err := u.Subject(t.Context(), s.Token)
	if err != nil || who.Name != "ann" || who.Proof != auth.BySession || !who.Valid() {
		t.Fatalf("a second before its end: %+v, %v", who, err)
	}
	c.now = c.now.Add(2 * time.Second)
	if _, err := u.Subject(t.Context(), s.Token); code(err) != model.CodeUnproved || who.Valid() {
		t.Errorf("a second after its end: %v", err)
	}
	if err := u.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Catalog.View(func(v *catalog.View) {
		if len(v.TokensOf("ann")) != 0 {
			t.Error("the sweep leaves an expired session")
		}
	})
}

// Too many attempts from a site are refused there for a while, even with the right password. The user at another site is not refused, and a login
// there does not clear the failures here.
func TestThrottle(t *testing.T) {
	u, _, c := start(t, nil)
	try := func(user, password, from string) model.Code {
		_, _, err := u.Login(t.Context(), model.Login{Username: user, Password: password}, from)
		return code(err)
	}
	for range 10 {
		if got := try("ann", "wrong words", "192.0.2.1"); got != model.CodeUnproved {
			t.Fatalf("within the bound: %s", got)
		}
	}
	for _, name := range []string{"ann", "Ann", " ann"} {
		if got := try(name, "correct horse", "192.0.2.1"); got != model.CodeBusy {
			t.Errorf("the eleventh as %q: want %s, got %q", name, model.CodeBusy, got)
		}
	}
	for range 10 {
		if got := try("ann", "correct horse", "192.0.2.2"); got != "" {
			t.Fatalf("the owner, from elsewhere: got %q", got)
		}
	}
	if got := try("ann", "wrong words", "192.0.2.1"); got != model.CodeBusy {
		t.Errorf("the owner's success has given the other more attempts: got %q", got)
	}
	c.now = c.now.Add(7 * time.Second)
	if got := try("ann", "correct horse", "192.0.2.1"); got != "" {
		t.Errorf("after a pause: got %q", got)
	}
	for range 10 {
		try(strings.Repeat("x", 300), "wrong words", "192.0.2.3")
	}
	if got := try(strings.Repeat("x", 300), "wrong words", "192.0.2.3"); got != model.CodeBusy {
		t.Errorf("names that are too long cost nothing: got %q", got)
	}
}

// As a user whom many sites try to be one waits, and is refused in the end, but for where that user has a session.
func TestThrottle_ManySites(t *testing.T) {
	u, _, c := start(t, nil)
	try := func(password, from string) model.Code {
		_, _, err := u.Login(t.Context(), model.Login{Username: "ann", Password: password}, from)
		return code(err)
	}
	if got := try("correct horse", "192.0.2.2"); got != "" {
		t.Fatal(got)
	}
	for i := range 30 {
		try("wrong words", fmt.Sprint("198.51.100.", i))
	}
	if len(c.waited) != 0 {
		t.Fatalf("within the bound some have waited: %v", c.waited)
	}
	if got := try("correct horse", "192.0.2.9"); got != "" || len(c.waited) != 1 || c.waited[0] > time.Second {
		t.Errorf("the owner, from a new place: got %q, waited %v", got, c.waited)
	}
	for i := range 60 {
		try("wrong words", fmt.Sprint("203.0.113.", i))
	}
	if got := try("correct horse", "192.0.2.10"); got != model.CodeBusy {
		t.Errorf("the owner, from another new place, while the whole world tries: got %q", got)
	}
	waits := len(c.waited)
	if got := try("correct horse", "192.0.2.2"); got != "" || len(c.waited) != waits {
		t.Errorf("the owner, from where there is a session: got %q, waited %v", got, c.waited[waits:])
	}
}

// directory knows the user "dora".
type directory struct{}

func (directory) Check(_ context.Context, _ *model.LdapConfiguration, _, user, password string) ([]string, error) {
	if user == "dora" && password == "explorer" {
		return []string{"CN=Net,DC=x"}, nil
	}
	return nil, model.Errorf(model.CodeUnproved, "", "no")
}

// A user of the directory has the roles of its groups, and none of a user of this cluster, whatever its name; a user of the cluster is not
// asked about there.
func TestDirectory(t *testing.T) {
	u, w, _ := start(t, directory{})
	w.Must(t, "ldapConfiguration ldap server=ldap baseDN=dc=x")
	w.Must(t, "user dora2")
	w.Must(t, "authorization net groupName=cn=net,dc=x role=viewer")
	if _, _, err := u.Login(t.Context(), model.Login{Username: "dora2", Password: "explorer"}, "a"); code(err) != model.CodeUnproved {
		t.Errorf("a user of the cluster without a password: %v", err)
	}
	s, _, err := u.Login(t.Context(), model.Login{Username: "dora", Password: "explorer"}, "a")
	if err != nil {
		t.Fatal(err)
	}
	who, err := u.Subject(t.Context(), s.Token)
	if err != nil || who.Proof != auth.ByDirectory || len(who.Grants) != 1 || who.Grants[0].String() != "viewer" {
		t.Errorf("got %+v, %v", who, err)
	}
}

// A netmaster that is behind a token's revision does not refuse the token as invalid: another netmaster may have it.
func TestTokenOfLaterRevision(t *testing.T) {
	u, w, _ := start(t, nil)
	s, _, err := u.Login(t.Context(), model.Login{Username: "ann", Password: "correct horse"}, "a")
	if err != nil {
		t.Fatal(err)
	}
	secret, _, _ := strings.Cut(s.Token, ".")
	other := strings.Map(func(r rune) rune { // its last letter has bits that must stay 0
		if r == 'A' {
			return 'Q'
		}
		return 'A'
	}, secret)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // Subject does not wait for later revisions
	for _, row := range []struct {
		name string
		text string
		want model.Code
	}{
		{"known", s.Token, ""},
		{"known, of a later revision", secret + "." + later(w, 5), ""},
		{"unknown, of an earlier revision", other + "." + later(w, 0), model.CodeUnproved},
		{"unknown, of a later revision", other + "." + later(w, 5), model.CodeUnavailable},
		{"unknown, of a revision that no netmaster has", other + "." + later(w, 1<<40), model.CodeUnproved},
	} {
		if _, err := u.Subject(ctx, row.text); code(err) != row.want {
			t.Errorf("%s: want code %q, got %v", row.name, row.want, err)
		}
	}
}

// later is a revision after that of a world, as tokens have it.
func later(w *enginetest.World, n uint64) string {
	return strconv.FormatUint(uint64(w.Catalog.Revision())+n, 36)
}

// No arbitrary text is a valid token.
func FuzzToken(f *testing.F) {
	u, _, _ := start(f, nil)
	s, _, err := u.Login(context.Background(), model.Login{Username: "ann", Password: "correct horse"}, "a")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.Token[1:])
	f.Add("")
	f.Add(".zz")
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // what is behind is not waited for
		if who, err := u.Subject(ctx, text); err == nil && text != s.Token || who.Name != "" && err != nil {
			t.Errorf("%q proves %+v, %v", text, who, err)
		}
	})
}

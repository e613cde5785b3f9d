// SPDX-License-Identifier: Apache-2.0

package term_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/netctl/contexts"
	"github.com/contiv/contiv/netctl/term"
	"github.com/contiv/contiv/trust"
)

// The command line comes before the environment, this before the current context, and this before the default.
func TestTarget(t *testing.T) {
	const file = "clusters: {a: {servers: [https://a:9999, https://b:9999]}}\ncontexts: {one: {cluster: a}, two: {}}\n"
	for _, row := range []struct {
		name          string
		file          string
		choice        term.Choice
		env           string // NETMASTER
		servers, want string // and the context
		err           string
	}{
		{"no file", "", term.Choice{Netmaster: "http://d"}, "", "http://d", "", ""},
		{"no current context", file, term.Choice{Netmaster: "http://d"}, "", "http://d", "", ""},
		{"the current context", file + "current-context: one\n", term.Choice{Netmaster: "http://d"}, "", "https://a:9999,https://b:9999", "one", ""},
		{"a context without servers", file + "current-context: two\n", term.Choice{Netmaster: "http://d"}, "", "http://d", "two", ""},
		{"the variable", file + "current-context: one\n", term.Choice{Netmaster: "http://e"}, "http://e", "http://e", "", ""},
		{"the flag", file + "current-context: one\n", term.Choice{Netmaster: "http://f", Explicit: true}, "", "http://f", "", ""},
		{"--context", file, term.Choice{Netmaster: "http://e", Context: "one"}, "http://e", "https://a:9999,https://b:9999", "one", ""},
		{"--context with a flag", file, term.Choice{Netmaster: "http://f", Explicit: true, Context: "one"}, "", "http://f", "one", ""},
		{"an unknown context", file, term.Choice{Context: "on"}, "", "", "", "got no context on, want one of one, two: did you mean one?"},
		{"a missing current one", "current-context: x\n", term.Choice{}, "", "", "", "got no context x"},
		{"a wrong file", "context: {}\n", term.Choice{}, "", "", "", "config.yaml:1: unknown key context: did you mean contexts?"},
		{"a wrong file that does not apply", "context: {}\n", term.Choice{Netmaster: "http://f", Explicit: true}, "", "http://f", "", ""},
	} {
		row.choice.Home = t.TempDir()
		row.choice.Getenv = func(name string) string { return map[string]string{"NETMASTER": row.env}[name] }
		if row.file != "" {
			if err := contexts.WritePrivate(contexts.Path(row.choice.Getenv, row.choice.Home), []byte(row.file)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := row.choice.Target()
		if row.err != "" {
			if err == nil || !strings.Contains(err.Error(), row.err) {
				t.Errorf("%s: want %q, got %v", row.name, row.err, err)
			}
			continue
		}
		name := ""
		if got.Context != nil {
			name = got.Context.Name
		}
		if err != nil || got.Servers != row.servers || name != row.want {
			t.Errorf("%s: want %s of %q, got %s of %q, %v", row.name, row.servers, row.want, got.Servers, name, err)
		}
	}
}

// A login belongs to its context, and is sent to no other cluster.
func TestTarget_Login(t *testing.T) {
	home := t.TempDir()
	choice := term.Choice{Home: home, Context: "one", Getenv: func(string) string { return "" }}
	path := contexts.Path(choice.Getenv, home)
	if err := contexts.WritePrivate(path, []byte("contexts: {one: {}, two: {}}\n")); err != nil {
		t.Fatal(err)
	}
	none, err := term.Choice{Home: home, Netmaster: "x", Explicit: true, Getenv: choice.Getenv}.Target()
	if err != nil {
		t.Fatal(err)
	}
	if err := none.Keep([]byte(`{"token":"default"}`)); err != nil {
		t.Fatal(err)
	}
	one, err := choice.Target()
	if err != nil {
		t.Fatal(err)
	}
	if token, err := one.Token(); token != "" || err != nil {
		t.Errorf("before the login: got %q, %v", token, err)
	}
	for _, token := range []string{"first", "second"} {
		if one, err = choice.Target(); err != nil {
			t.Fatal(err)
		}
		if err := one.Keep([]byte(`{"token":"` + token + `"}`)); err != nil {
			t.Fatal(err)
		}
		if one, err = choice.Target(); err != nil {
			t.Fatal(err)
		}
		if got, err := one.Token(); got != token || err != nil {
			t.Errorf("want %s, got %q, %v", token, got, err)
		}
	}
	if info, err := os.Stat(one.TokenPath()); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(filepath.Dir(one.TokenPath())) != filepath.Dir(path) {
		t.Errorf("got %s, %v, %v", one.TokenPath(), info, err)
	}
	choice.Context = "two"
	two, err := choice.Target()
	if err != nil {
		t.Fatal(err)
	}
	if token, err := two.Token(); token != "" || err != nil {
		t.Errorf("another context: got %q, %v", token, err)
	}
	if token, err := none.Token(); token != "default" || err != nil || none.TokenPath() != term.LoginPath(home) {
		t.Errorf("without a context: got %q, %v", token, err)
	}
}

// A context's authority and certificate count instead of those of the user's directories.
func TestTransport_Context(t *testing.T) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	other, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	master, err := trust.Open(folder(t, a, trust.Master), trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if len(q.TLS.PeerCertificates) > 0 {
			_, _ = w.Write([]byte("certified"))
		}
	}))
	server.TLS = master.Server()
	server.StartTLS()
	defer server.Close()
	user, mine := folder(t, a, trust.User), folder(t, other, trust.User)
	for _, row := range []struct {
		name        string
		context     *contexts.Context
		want, wrong string
	}{
		{"both", &contexts.Context{CA: user.AuthorityFile(), Certificate: user.PairFile(trust.User)}, "certified", ""},
		{"only the authority", &contexts.Context{CA: user.AuthorityFile()}, "", ""},
		{"of another cluster", &contexts.Context{CA: mine.AuthorityFile()}, "", "certificate"},
		{"the user's own directory", &contexts.Context{}, "", "another cluster"},
		{"no file", &contexts.Context{Name: "c", CA: "/nonesuch"}, "", "context c: ca: open /nonesuch"},
		{"no certificate", &contexts.Context{Name: "c", CA: user.AuthorityFile(), Certificate: "/nonesuch"}, "", "context c: certificate: open /nonesuch"},
		{"no authority", &contexts.Context{Name: "c", CA: mine.PairFile(trust.User) + "x"}, "", "no such file"},
	} {
		w := term.Transport{Context: row.context, Getenv: func(name string) string { return map[string]string{term.TrustVariable: string(mine)}[name] }}
		got, err := ask(w, server.URL)
		if row.wrong == "" && (err != nil || !strings.HasPrefix(got, row.want) || row.want == "" && got != "") || row.wrong != "" && (err == nil || !strings.Contains(err.Error(), row.wrong)) {
			t.Errorf("%s: want %q or %q, got %q, %v", row.name, row.want, row.wrong, got, err)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package contexts

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const sample = `# my clusters
clusters:
  prod:
    servers: [https://192.0.2.1:9999, https://192.0.2.2:9999]
    ca: prod.crt # from the first host
users:
  alice: {certificate: /keys/alice.pem, key: /keys/alice.key}
contexts:
  # the one that matters
  prod:
    cluster: prod
    user: alice
    tenant: blue
  bare:
current-context: prod
`

// loaded writes a file and loads it.
func loaded(t *testing.T, text string) (*Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func TestPath(t *testing.T) {
	for _, row := range []struct{ xdg, home, want string }{
		{"/x", "/h", "/x/contiv/config.yaml"}, {"", "/h", "/h/.config/contiv/config.yaml"}, {"relative", "/h", "/h/.config/contiv/config.yaml"}, {"", "", ""},
	} {
		if got := Path(func(string) string { return row.xdg }, row.home); got != row.want {
			t.Errorf("%+v: got %s", row, got)
		}
	}
}

func TestContext(t *testing.T) {
	c, err := loaded(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Context(c.Current())
	want := &Context{Name: "prod", Cluster: "prod", User: "alice", Tenant: "blue", Servers: []string{"https://192.0.2.1:9999", "https://192.0.2.2:9999"},
		CA: filepath.Join(filepath.Dir(c.path), "prod.crt"), Certificate: "/keys/alice.pem", Key: "/keys/alice.key"}
	if err != nil || !reflect.DeepEqual(got, want) || strings.Join(c.Names(), " ") != "bare prod" {
		t.Errorf("want %+v, got %+v, %v, %v", want, got, err, c.Names())
	}
	if _, err := c.Context("prd"); err == nil || !strings.Contains(err.Error(), "got no context prd, want one of bare, prod: did you mean prod?") {
		t.Errorf("an unknown context: got %v", err)
	}
	if got, err := c.Context("bare"); err != nil || !reflect.DeepEqual(got, &Context{Name: "bare"}) {
		t.Errorf("an empty context: got %+v, %v", got, err)
	}
	if none, err := Load(filepath.Join(t.TempDir(), "none")); err != nil || none.Current() != "" || none.Names() != nil {
		t.Errorf("a missing file: got %+v, %v", none, err)
	}
}

func TestLoad_Problems(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a section", "\nclustrs: {}\n", ":2: unknown key clustrs: did you mean clusters?"},
		{"a key", "clusters:\n  a:\n    server: x\n", ":3: unknown key server: did you mean servers? want one of ca, servers"},
		{"servers", "clusters: {a: {servers: x}}\n", ":1: servers: got text (x), want a list"},
		{"a server", "clusters: {a: {servers: [5]}}\n", ":1: servers: got a whole number (5), want text"},
		{"a cluster", "clusters: {a: x}\n", ":1: a: got text (x), want a map"},
		{"contexts", "contexts: [a]\n", ":1: contexts: got a list, want a map"},
		{"a tenant", "contexts: {a: {tenant: 5}}\n", ":1: tenant: got a whole number (5), want text"},
		{"the current one", "current-context: [a]\n", ":1: current-context: got a list, want text"},
		{"a doubled one", "contexts:\n  a:\n  a:\n", ":3: a: got the key twice"},
	} {
		if _, err := loaded(t, row.text); err == nil || !strings.Contains(err.Error(), "config.yaml"+row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
	for text, want := range map[string]string{"contexts: {a: {cluster: x}}\n": "context a: got no cluster x", "contexts: {a: {user: x}}\n": "context a: got no user x"} {
		c, err := loaded(t, text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Context("a"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// Changes keep comments and other entries, and the file is private, also behind a link.
func TestChange(t *testing.T) {
	c, err := loaded(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(c.path, link); err != nil {
		t.Fatal(err)
	}
	file := c.path
	c.path = link
	c.Set(Context{Name: "prod", Tenant: "red", CA: "other.crt"})
	c.Set(Context{Name: "lab", Servers: []string{"https://198.51.100.1:9999"}, Token: "lab.json"})
	if err := c.Use("lab"); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete("bare"); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("ca: prod.crt", "ca: other.crt", "tenant: blue", "tenant: red", "  bare:\n", "  lab:\n    cluster: lab\n    user: lab\n", "current-context: prod", "current-context: lab",
		"users:\n", "  lab:\n    servers: ['https://198.51.100.1:9999']\nusers:\n", "contexts:\n", "  lab:\n    token: lab.json\ncontexts:\n",
		"[https://192.0.2.1:9999, https://192.0.2.2:9999]", "['https://192.0.2.1:9999', 'https://192.0.2.2:9999']").Replace(sample)
	if plain := strings.ReplaceAll(string(text), "'", ""); plain != strings.ReplaceAll(want, "'", "") {
		t.Errorf("want\n%s\ngot\n%s", want, text)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("want the link kept, got %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("want mode 0600, got %v, %v", info, err)
	}
	again, err := Load(link)
	if err != nil || !reflect.DeepEqual(again.contexts, c.contexts) || !reflect.DeepEqual(again.clusters, c.clusters) || !reflect.DeepEqual(again.users, c.users) || again.current != "lab" {
		t.Errorf("read again: got %+v, %v", again, err)
	}
}

// A first context makes the file and its directory; the deletion of the current one leaves none.
func TestFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "config.yaml")
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Set(Context{Name: "a", Tenant: "5"})
	if err := c.Use("a"); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if c, err = Load(path); err != nil || c.Current() != "a" {
		t.Fatalf("got %+v, %v", c, err)
	}
	if got, err := c.Context("a"); err != nil || got.Tenant != "5" {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := c.Delete("b"); err == nil || !strings.Contains(err.Error(), "got no context b") {
		t.Errorf("an unknown one: got %v", err)
	}
	if err := c.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if c, err = Load(path); err != nil || c.Current() != "" || c.Names() != nil {
		t.Errorf("got %+v, %v", c, err)
	}
	if err := (&Config{root: c.root}).Save(); err == nil {
		t.Error("without a path: want an error")
	}
}

// Loading ends for every file, and an accepted file is saved with the same contexts.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{sample, "contexts:\n", "clusters: {a: {servers: []}}\n", "current-context: \"\"\n", "# only\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := loaded(t, text)
		if err != nil {
			return
		}
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := Load(c.path)
		if err != nil || !reflect.DeepEqual(again.contexts, c.contexts) || !reflect.DeepEqual(again.clusters, c.clusters) || again.current != c.current {
			t.Errorf("want %+v, got %+v, %v", c, again, err)
		}
	})
}

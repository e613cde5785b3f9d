package podlabels

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// apiServer answers like an API server that knows one pod and one token.
func apiServer(t *testing.T) (*httptest.Server, []byte) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		case r.Method == http.MethodGet && r.URL.Path == "/api/v1/namespaces/shop/pods/web":
			fmt.Fprint(w, `{"metadata":{"uid":"u1","labels":{"io.contiv.tenant":"blue","app":"web"}}}`)
		default:
			http.Error(w, `{"kind":"Status","code":404}`, http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func TestLabels(t *testing.T) {
	s, ca := apiServer(t)
	rows := []struct {
		name, pod, uid, token string
		want                  string
		err                   error
		fails                 bool
	}{
		{name: "there", pod: "web", uid: "u1", token: "secret", want: "blue"},
		{name: "uid not known", pod: "web", token: "secret", want: "blue"},
		{name: "replaced", pod: "web", uid: "u0", token: "secret", err: ErrOther, fails: true},
		{name: "gone", pod: "db", token: "secret", err: ErrNotFound, fails: true},
		{name: "path characters", pod: "../../secrets/x", token: "secret", err: ErrNotFound, fails: true},
		{name: "not allowed", pod: "web", token: "wrong", fails: true},
	}
	for _, r := range rows {
		c, err := New(Config{Server: s.URL, CA: ca, Token: r.token})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Labels(t.Context(), "shop", r.pod, r.uid)
		if (err != nil) != r.fails || (r.err != nil && !errors.Is(err, r.err)) || got["io.contiv.tenant"] != r.want {
			t.Errorf("%s: want %q error %v, got %q %v", r.name, r.want, r.err, got["io.contiv.tenant"], err)
		}
	}
	c, err := New(Config{Server: s.URL, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Labels(t.Context(), "shop", "web", ""); err == nil {
		t.Error("server whose certificate no authority has signed: want an error, got none")
	}
}

func TestKubeconfig(t *testing.T) {
	s, ca := apiServer(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("token", "secret\n")
	path := write("config", fmt.Sprintf(`
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %s, certificate-authority-data: %s}}]
users: [{name: u, user: {tokenFile: %s/token}}]
`, s.URL, base64.StdEncoding.EncodeToString(ca), dir))
	conf, err := Kubeconfig(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(conf)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Labels(t.Context(), "shop", "web", "u1"); err != nil || got["app"] != "web" {
		t.Errorf("labels through a kubeconfig: want app=web, got %v %v", got, err)
	}
	for _, bad := range []string{"", "a: [", "current-context: x", "clusters: 7",
		"current-context: h\ncontexts: [{name: h, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: x, certificate-authority: none}}]"} {
		if _, err := Kubeconfig(write("bad", bad)); err == nil {
			t.Errorf("kubeconfig %q: want an error, got none", bad)
		}
	}
}

func FuzzKubeconfig(f *testing.F) {
	f.Add([]byte("current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://x'}}]"), []byte(`{"metadata":{"uid":"u","labels":{"a":"b"}}}`))
	f.Fuzz(func(t *testing.T, in, pod []byte) {
		_, _ = parseKubeconfig(in, func(string) ([]byte, error) { return nil, os.ErrNotExist })
		_, _ = decodeLabels(pod, "a/b", "u")
	})
}

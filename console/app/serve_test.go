// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/trust"
)

// served is a console over SSH, of a cluster in which the user ann has the tenant crimson, and the service account robot the tenant azure.
type served struct {
	address string
	robot   ssh.Signer
	begun   func() []model.Token // the sessions of ann
}

func serveConsole(t *testing.T) *served {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{Secure: true})
	admin := m.As(trust.Identity{Role: trust.User, Name: "admin"}).Client
	for _, o := range []model.Object{
		&model.Tenant{TenantName: "crimson"}, &model.Tenant{TenantName: "azure"}, &model.User{Username: "ann"}, &model.User{Username: "robot", Type: "service"},
		&model.Authorization{AuthorizationName: "a", UserName: "ann", Role: "tenant-viewer", Scope: "crimson"}, &model.Authorization{AuthorizationName: "r", UserName: "robot", Role: "tenant-viewer", Scope: "azure"},
	} {
		if _, err := admin.Put(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := admin.SetPassword(t.Context(), model.PasswordRequest{Username: "ann", Password: "correct horse battery"}); err != nil {
		t.Fatal(err)
	}
	token, err := admin.IssueToken(t.Context(), model.TokenRequest{User: "robot"})
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(m.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	pass.FlushInterval = -1
	front := httptest.NewTLSServer(pass) // tokens are sent over TLS only
	t.Cleanup(front.Close)

	out := &served{robot: newKey(t), begun: func() []model.Token {
		all, err := admin.Tokens(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}}
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("robot.json", fmt.Sprintf(`{"token":%q}`, token.Token))
	write(".config/contiv/config.yaml", "clusters: {c: {servers: ["+front.URL+"]}}\nusers: {robot: {token: "+filepath.Join(home, "robot.json")+"}}\ncontexts: {robot: {cluster: c, user: robot}, nobody: {cluster: c}}\n")
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(out.robot.PublicKey())))
	keys := write("keys", "# keys of visitors\ncontext=\"robot\" "+line+"\ncontext=\"nobody\" "+line+"\n")

	ctx, stop := context.WithCancel(t.Context())
	read, printed := io.Pipe()
	cmd := NewCommand(strings.NewReader(""), printed, func(name string) string { return map[string]string{"HOME": home, "INSECURE": "true"}[name] }, func() string { return "" })
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--netmaster", front.URL, "--serve", "127.0.0.1:0", "--authorized-keys", keys})
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = printed.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	first := bufio.NewReader(read)
	said, err := first.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %v", err, <-ended)
	}
	go func() { _, _ = io.Copy(io.Discard, first) }()
	found := regexp.MustCompile(`ssh://(\S+); the key of this server is SHA256:`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("got %q, want the address and the key", said)
	}
	out.address = found[1]
	return out
}

func newKey(t *testing.T) ssh.Signer {
	t.Helper()
	_, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// dial logs in; the session is nil if that is refused.
func (s *served) dial(t *testing.T, user string, by ...ssh.AuthMethod) *ssh.Session {
	t.Helper()
	c, err := ssh.Dial("tcp", s.address, &ssh.ClientConfig{User: user, Auth: by, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	if err != nil {
		if !strings.Contains(err.Error(), "unable to authenticate") {
			t.Fatal(err)
		}
		return nil
	}
	t.Cleanup(func() { _ = c.Close() })
	session, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// A visitor sees what the user of the password, or the context of the key, may see, and others are refused.
func TestServe(t *testing.T) {
	s := serveConsole(t)
	for _, row := range []struct {
		name, user string
		by         []ssh.AuthMethod
		sees, not  string // of the tenants; "": it is refused
	}{
		{"a password", "ann", []ssh.AuthMethod{ssh.Password("correct horse battery")}, "crimson", "azure"},
		{"a key", "robot", []ssh.AuthMethod{ssh.PublicKeys(s.robot)}, "azure", "crimson"},
		{"a key that is refused, and a password", "ann", []ssh.AuthMethod{ssh.PublicKeys(s.robot), ssh.Password("correct horse battery")}, "crimson", "azure"},
		{"a wrong password", "ann", []ssh.AuthMethod{ssh.Password("wrong")}, "", ""},
		{"another's key", "ann", []ssh.AuthMethod{ssh.PublicKeys(s.robot)}, "", ""},
		{"an unknown key", "robot", []ssh.AuthMethod{ssh.PublicKeys(newKey(t))}, "", ""},
		{"a key whose context has no user", "nobody", []ssh.AuthMethod{ssh.PublicKeys(s.robot)}, "context nobody has no user", "azure"},
	} {
		session := s.dial(t, row.user, row.by...)
		if session == nil || row.sees == "" {
			if (session == nil) != (row.sees == "") {
				t.Errorf("%s: came in: %v, want %v", row.name, session != nil, row.sees != "")
			}
			continue
		}
		got, _ := session.CombinedOutput("tenants")
		if !strings.Contains(string(got), row.sees) || strings.Contains(string(got), row.not) {
			t.Errorf("%s: want %s and not %s in\n%s", row.name, row.sees, row.not, got)
		}
	}
	if got := len(s.begun()); got != 2 {
		t.Errorf("ann has begun %d sessions, want 2", got)
	}
}

// In a terminal, the console fills the screen, until q.
func TestServe_Terminal(t *testing.T) {
	session := serveConsole(t).dial(t, "ann", ssh.Password("correct horse battery"))
	if err := session.RequestPty("xterm-256color", 30, 100, ssh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	keys, err := session.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	screen, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Start("tenants"); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(got.String(), "crimson") {
		n, err := screen.Read(buffer)
		got.Write(buffer[:n])
		if err != nil {
			t.Fatalf("%v after\n%q", err, got.String())
		}
	}
	if _, err := io.WriteString(keys, "q"); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, screen) }()
	if err := session.Wait(); err != nil {
		t.Errorf("after q: %v", err)
	}
}

func TestServe_Refused(t *testing.T) {
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"--write"}, "got --serve and --write, want one of them"},
		{[]string{"--authorized-keys", "KEYS"}, `KEYS:1: got the options "", want context="NAME"`},
	} {
		home := t.TempDir()
		keys := filepath.Join(home, "keys")
		if err := os.WriteFile(keys, ssh.MarshalAuthorizedKey(newKey(t).PublicKey()), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := NewCommand(strings.NewReader(""), io.Discard, func(name string) string { return map[string]string{"HOME": home}[name] }, func() string { return "" })
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		args := []string{"--netmaster", "http://127.0.0.1:1", "--serve", "127.0.0.1:0"}
		for _, a := range row.args {
			args = append(args, strings.Replace(a, "KEYS", keys, 1))
		}
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), strings.Replace(row.want, "KEYS", keys, 1)) {
			t.Errorf("%v: got %v, want %s", row.args, err, row.want)
		}
	}
}

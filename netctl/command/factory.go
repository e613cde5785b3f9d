// Package command is netctl's tree of commands. The commands of objects are generic and read model.Kind; what is
// special has a file of its own.
package command

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// Factory is what commands need from outside, so that a command pays only for what it touches.
type Factory struct {
	term.Streams
	Home   string // where .netctl/config.json lies
	Getenv func(string) string
	HTTP   http.RoundTripper // nil: the network
	Self   model.Version
	Actor  string // who types, "user@host", for the history; "" is nobody

	netmaster string
	insecure  bool
}

// client makes the REST client that the global flags ask for.
func (f *Factory) client() (*client.Client, error) {
	base, err := client.Bases(f.netmaster)
	if err != nil {
		return nil, term.Exitf(term.Usage, "%w", err)
	}
	token, err := f.token()
	if err != nil {
		return nil, err
	}
	return f.connect(base, token), nil
}

// connect makes a client of the netmasters at base, whose URLs are valid.
func (f *Factory) connect(base, token string) *client.Client {
	transport := f.HTTP
	if transport == nil {
		dial := &net.Dialer{Timeout: dialPatience}
		pool := &http.Transport{DialContext: dial.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: f.insecure}, Proxy: http.ProxyFromEnvironment}
		transport = &client.Direct{Else: pool, Dial: dial.DialContext, Proxied: func(q *http.Request) bool {
			proxy, err := http.ProxyFromEnvironment(q)
			return proxy != nil || err != nil
		}}
	}
	return &client.Client{Base: base, Token: token, HTTP: &http.Client{Transport: transport}, Patience: patience,
		Actor: f.Actor, Program: "netctl/" + f.Self.Version}
}

const (
	// patience is for how long a command waits while the cluster has no leader.
	patience = 5 * time.Second
	// dialPatience is for how long it waits for a machine that says nothing, before it asks the next.
	dialPatience = 3 * time.Second
)

// tokenPath is where the login is kept.
func (f *Factory) tokenPath() string { return filepath.Join(f.Home, ".netctl", "config.json") }

// token reads what netctl login has left; "" when nobody is logged in.
func (f *Factory) token() (string, error) {
	path := f.tokenPath()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", term.Exitf(term.Server, "read the login of %s: %v", path, err)
	}
	var login struct{ Token string }
	if err := json.Unmarshal(text, &login); err != nil {
		return "", term.Exitf(term.Server, "%s: %v; delete the file and log in again", path, err)
	}
	return login.Token, nil
}

// Package command is netctl's tree of commands. The commands of objects are generic and read model.Kind; what is
// special has a file of its own.
package command

import (
	"net/http"
	"strings"
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
	if !strings.HasPrefix(f.netmaster, "http://") && !strings.HasPrefix(f.netmaster, "https://") {
		return nil, term.Exitf(term.Usage, "netmaster URL %q is not valid: it starts with http:// or https://", f.netmaster)
	}
	token, err := f.token()
	if err != nil {
		return nil, err
	}
	return f.connect(token), nil
}

// connect makes a client of the netmaster that the global flags name, whose URL is valid.
func (f *Factory) connect(token string) *client.Client {
	transport := f.HTTP
	if transport == nil {
		transport = term.Transport(f.insecure)
	}
	return &client.Client{Base: f.netmaster, Token: token, HTTP: &http.Client{Transport: transport}, Patience: patience,
		Actor: f.Actor, Program: "netctl/" + f.Self.Version}
}

// patience is for how long a command waits while the cluster has no leader.
const patience = 5 * time.Second

// token reads what netctl login has left; "" when nobody is logged in.
func (f *Factory) token() (string, error) {
	token, err := term.Token(f.Home)
	if err != nil {
		return "", term.Exitf(term.Server, "%v", err)
	}
	return token, nil
}

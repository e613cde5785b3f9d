// Package command is netctl's tree of commands. The commands of objects are generic and read model.Kind; what is
// special has a file of its own.
package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
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
	Actor  func() string // who types, "user@host", for the history; nil is no one
	// Interrupted makes a context that ends when the person interrupts; nil: no one does. Commands that go on until then, or have
	// something to tell or to put back, ask for it. A signal ends the others: to catch it takes a thread, which would be a good part
	// of their time.
	Interrupted func(context.Context) (context.Context, context.CancelFunc)

	// Browse has the person's browser open a URL; nil: there is no browser.
	Browse func(url string) error
	// After is time.After unless it is set.
	After func(time.Duration) <-chan time.Time

	raw       io.Writer // Out for bytes that are no text
	netmaster string
	insecure  bool
	bundle    string // file to read instead of asking a netmaster; "": none is
	opened    *term.Bundle
}

// interruptible is ctx until the person interrupts. The caller ends it.
func (f *Factory) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.Interrupted == nil {
		return context.WithCancel(ctx)
	}
	return f.Interrupted(ctx)
}

// client makes the REST client that the global flags ask for.
func (f *Factory) client() (*client.Client, error) {
	if f.bundle != "" {
		return f.offline()
	}
	base, err := client.Bases(f.netmaster)
	if err != nil {
		return nil, term.Exitf(term.Usage, "%w", err)
	}
	token, err := f.token()
	if err != nil {
		return nil, err
	}
	return f.connect(base, token)
}

// connect makes a client of the netmasters at base, whose URLs are valid.
func (f *Factory) connect(base, token string) (*client.Client, error) {
	transport := f.HTTP
	if transport == nil {
		t, err := term.Transport{Home: f.Home, Getenv: f.Getenv, Insecure: f.insecure}.Transport(base)
		if err != nil {
			return nil, term.Exitf(term.Server, "%w", err)
		}
		transport = t
	}
	return &client.Client{Base: base, Token: token, HTTP: &http.Client{Transport: transport}, Timeout: timeout, Stale: f.warnStale(),
		Actor: f.Actor, Program: "netctl/" + f.Self.Version}, nil
}

// offline makes a client of the bundle that the global flags name, and says once of what time it is.
func (f *Factory) offline() (*client.Client, error) {
	if f.opened == nil {
		b, err := term.OpenBundle(context.Background(), f.bundle)
		if err != nil {
			return nil, local(fmt.Errorf("--bundle: %w", err))
		}
		f.opened = b
		fmt.Fprintln(f.Err, b)
	}
	return &client.Client{Base: term.BundleBase, HTTP: &http.Client{Transport: f.opened.Transport}, Program: "netctl/" + f.Self.Version}, nil
}

// close ends what commands have opened.
func (f *Factory) close() {
	if f.opened != nil {
		f.opened.Close()
		f.opened = nil
	}
}

// timeout is for how long a command waits while the cluster has no leader.
const timeout = 5 * time.Second

// token reads what netctl login has left; "" when no one is logged in.
func (f *Factory) token() (string, error) {
	token, err := term.Token(f.Home)
	if err != nil {
		return "", term.Exitf(term.Server, "%v", err)
	}
	return token, nil
}

// warnStale returns what reports, once, that answers may be old.
func (f *Factory) warnStale() func(base, reason string) {
	var once sync.Once
	return func(base, reason string) {
		once.Do(func() {
			fmt.Fprintf(f.Err, "warning: netmaster %s may know less than the store has: %s\n", base, reason)
		})
	}
}

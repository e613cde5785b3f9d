// SPDX-License-Identifier: Apache-2.0

// Package command is netctl's tree of commands. The commands of objects are generic and read model.Kind; each special command has its own
// file.
package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// Factory has what commands need from their environment, created on demand so that a command pays only for what it uses.
type Factory struct {
	term.Streams
	Home   string // directory of .netctl/config.json
	Getenv func(string) string
	Host   func() string     // base URLs of the netmasters of this host's cluster, joined by commas; "": it belongs to none; nil: as well
	HTTP   http.RoundTripper // nil: the network
	Self   model.Version
	Actor  func() string // the user, "user@host", for the history; nil: none
	// Interrupted returns a context that ends when the user interrupts; nil: no one does. It is for commands that run until then, or
	// have something to print or restore. A signal ends all others: to catch it takes a thread, which would be a good part of their
	// time.
	Interrupted func(context.Context) (context.Context, context.CancelFunc)

	// Browse opens a URL in the user's browser; nil: there is no browser.
	Browse func(url string) error
	// After is time.After unless it is set.
	After func(time.Duration) <-chan time.Time
	// Tick is when the progress of a command is drawn, in a goroutine of its own: time.After unless it is set.
	Tick func(time.Duration) <-chan time.Time

	raw       io.Writer    // Out, for bytes that are not text
	given     term.Streams // for other programs: they may be a terminal
	netmaster string
	asked     *pflag.Flag  // --netmaster
	context   string       // --context
	target    *term.Target // nil until resolve
	insecure  bool
	utc       bool   // --utc: times are in UTC
	noPager   bool   // --no-pager
	bundle    string // file to read instead of asking a netmaster; "": none
	opened    *term.Bundle
	pager     *pager // nil: none
	progress  *term.Progress
}

// interruptible returns ctx until the user interrupts. The caller must end it.
func (f *Factory) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.Interrupted == nil {
		return context.WithCancel(ctx)
	}
	return f.Interrupted(ctx)
}

// client returns the REST client for the global flags.
func (f *Factory) client() (*client.Client, error) {
	if f.bundle != "" {
		return f.offline()
	}
	if err := f.resolve(); err != nil {
		return nil, err
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

// connect returns a client of the netmasters at base, whose URLs are valid.
func (f *Factory) connect(base, token string) (*client.Client, error) {
	transport := f.HTTP
	if transport == nil {
		t, err := term.Transport{Home: f.Home, Getenv: f.Getenv, Insecure: f.insecure, Context: f.target.Context}.Transport(base)
		if err != nil {
			return nil, term.Exitf(term.Server, "%w", err)
		}
		transport = t
	}
	return &client.Client{Base: base, Token: token, HTTP: &http.Client{Transport: transport}, Timeout: timeout, Stale: f.warnStale(),
		Actor: f.Actor, Program: "netctl/" + f.Self.Version}, nil
}

// resolve finds the netmasters and the context that the command uses, once.
func (f *Factory) resolve() error {
	if f.target != nil {
		return nil
	}
	t, err := term.Choice{Netmaster: f.netmaster, Explicit: f.asked != nil && f.asked.Changed, Context: f.context, Home: f.Home, Getenv: f.Getenv}.Target()
	if err != nil {
		return local(err)
	}
	f.target, f.netmaster = &t, t.Servers
	return nil
}

// offline returns a client of the bundle in the global flags, and prints the bundle's time once.
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

// close closes what commands have opened, and waits for the pager.
func (f *Factory) close() {
	f.progress.End()
	f.pager.end()
	f.pager = nil
	if f.opened != nil {
		f.opened.Close()
		f.opened = nil
	}
}

// timeout is how long a command waits while the cluster has no leader.
const timeout = 5 * time.Second

// token reads the token of netctl login; "" if no one is logged in.
func (f *Factory) token() (string, error) {
	token, err := f.target.Token()
	if err != nil {
		return "", term.Exitf(term.Server, "%v", err)
	}
	return token, nil
}

// warnStale returns a function that warns, once, that answers may be outdated.
func (f *Factory) warnStale() func(base, reason string) {
	var once sync.Once
	return func(base, reason string) {
		once.Do(func() {
			fmt.Fprintf(f.Err, "warning: netmaster %s may know less than the store has: %s\n", base, reason)
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package finder finds netmasters for an agent that knows none yet: those that are named, and, for agents that are configured as the
// original's are, those that are registered in the store. It asks the store one question, without a client of it.
package finder

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/storeconfig"
)

// Times of a Finder.
const (
	askTimeout = 2 * time.Second // timeout of the store's answer
	fresh      = time.Second     // how long an answer of the store is reused
)

// Finder finds netmasters. Its methods are safe for concurrent use.
type Finder struct {
	first  []string // URLs
	scheme string   // of the URLs from the store
	store  storeconfig.Config
	log    *slog.Logger

	mu    sync.Mutex
	found []string // URLs from the store
	until time.Time
	wrong string
}

// New makes a Finder that knows URLs to begin with, as Parse gives them, and asks a store if one is named. URLs of netmasters have the
// scheme.
func New(first []string, scheme string, store storeconfig.Config, log *slog.Logger) *Finder {
	return &Finder{first: first, scheme: scheme, store: store, log: log}
}

// Parse parses the address of a netmaster, "address:port" or a URL, and returns the URL, which must have the scheme.
func Parse(text, scheme string) (string, error) {
	if !strings.Contains(text, "://") {
		text = scheme + "://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || u.Port() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("got %q, want an address like 192.0.2.1:9999 or %s://192.0.2.1:9999", text, scheme)
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), nil
}

// String lists the sources of addresses.
func (f *Finder) String() string {
	places := append([]string(nil), f.first...)
	return strings.Join(append(places, f.store.URLs()...), ", ")
}

// Find returns the known URLs of netmasters. It blocks for at most two seconds.
func (f *Finder) Find(ctx context.Context) []string {
	out := append([]string(nil), f.first...)
	if len(f.store.URLs()) == 0 {
		return out
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !time.Now().Before(f.until) {
		limited, cancel := context.WithTimeout(ctx, askTimeout)
		found, err := f.registered(limited)
		cancel()
		switch {
		case err == nil:
			f.found, f.wrong = found, ""
		case ctx.Err() == nil && err.Error() != f.wrong: // the previous result stays in use
			f.wrong = err.Error()
			f.log.Debug("the store did not return the netmasters", "error", err)
		}
		f.until = time.Now().Add(fresh)
	}
	return append(out, f.found...)
}

// ask queries one member of the store, within its share of the remaining time.
func ask(ctx context.Context, from registry, url string, members int) ([][]byte, error) {
	if until, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(until)/time.Duration(members))
		defer cancel()
	}
	return from.values(ctx, url)
}

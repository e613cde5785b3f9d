// Package finder finds netmasters for who does not know one yet: those that it is told to begin with, and those that are registered in the store.
package finder

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/open"
)

// Times of a Finder.
const (
	askLimit = 2 * time.Second // for the store's answer
	fresh    = time.Second     // for which an answer of the store counts
)

// Finder finds netmasters. Its methods are safe for concurrent use.
type Finder struct {
	first  []string // URLs
	scheme string   // of those that are found
	store  open.Config
	log    *slog.Logger

	mu    sync.Mutex
	found []string // in the store, URLs
	until time.Time
	wrong string
}

// New makes a Finder that knows URLs to begin with, as Parse gives them, and asks a store if one is named. URLs of netmasters have the scheme.
func New(first []string, scheme string, store open.Config, log *slog.Logger) *Finder {
	return &Finder{first: first, scheme: scheme, store: store, log: log}
}

// Parse reads where a netmaster serves, "address:port" or a URL of it, and gives the URL, which has the scheme.
func Parse(text, scheme string) (string, error) {
	if !strings.Contains(text, "://") {
		text = scheme + "://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != scheme || u.Hostname() == "" || u.Port() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("%q is not like 192.0.2.1:9999 or %s://192.0.2.1:9999", text, scheme)
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), nil
}

// String names where it looks.
func (f *Finder) String() string {
	places := append([]string(nil), f.first...)
	return strings.Join(append(places, f.store.URLs()...), ", ")
}

// Find returns the URLs of netmasters that may serve, as far as it can find out now. It blocks for two seconds at the most.
func (f *Finder) Find(ctx context.Context) []string {
	out := append([]string(nil), f.first...)
	if len(f.store.URLs()) == 0 {
		return out
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !time.Now().Before(f.until) {
		found, err := f.ask(ctx)
		switch {
		case err == nil:
			f.found, f.wrong = found, ""
		case ctx.Err() == nil && err.Error() != f.wrong: // what was found before may do
			f.wrong = err.Error()
			f.log.Debug("the store does not tell where netmasters are", "error", err)
		}
		f.until = time.Now().Add(fresh)
	}
	return append(out, f.found...)
}

// ask reads who is registered, by a connection of its own: there is none to the store otherwise.
func (f *Finder) ask(ctx context.Context) (urls []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	db, err := open.Open(f.store, f.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	items, _, err := db.List(ctx, record.Services+record.ServiceMaster+"/")
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		var s record.Service
		if json.Unmarshal(i.Value, &s) == nil && s.HostAddr != "" && s.Port > 0 {
			urls = append(urls, f.scheme+"://"+net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)))
		}
	}
	return urls, nil
}

// SPDX-License-Identifier: Apache-2.0

// Package consul is a store in the key-value part of a Consul cluster.
//
// Keys lose their leading slash. A revision is Consul's index; leases are sessions, whose TTL is at least ten seconds, and which Consul
// ends up to twice their TTL after the last refresh.
package consul

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/idletimeout"
)

// Consul permits 64 operations in a transaction, of which the store needs a few itself, and 512 KiB in a request, of which base64 takes a
// quarter.
const maxOps = 64

var limits = store.Limits{Ops: maxOps - 4, Bytes: 350 << 10}

// Config configures the access to the cluster. Only Endpoints is required.
type Config struct {
	Endpoints []string // agents or servers, "http://127.0.0.1:8500"; if one is away, the next is tried
	TLS       *tls.Config
	Token     string // ACL token

	// Timeout bounds one request whose context has no earlier deadline; after it the store counts as unreachable. A list may take
	// longer, as long as data arrives within the timeout. 0: 3 s.
	Timeout time.Duration
}

// Store is a client of one Consul cluster.
type Store struct {
	config  Config
	clients []*api.Client // one per endpoint
	current atomic.Uint32 // the index of the current one
	ctx     context.Context
	close   func()

	meter idletimeout.Meter
	pace  store.Backoff // of all watches
	large int           // size in bytes above which a watch reads parts

	mu     sync.Mutex
	fences map[string]mark // lock keys as last seen
}

// mark is an incarnation of a key and the index of its last change.
type mark struct{ created, modified store.Revision }

var _ store.Store = (*Store)(nil)

// Open returns a client. It does not wait for the cluster: the first call reports a cluster that is away.
func Open(c Config) (*Store, error) {
	if len(c.Endpoints) == 0 {
		return nil, errors.New("consul: no endpoints are given")
	}
	if c.Timeout == 0 {
		c.Timeout = 3 * time.Second
	}
	s := &Store{config: c, large: large, fences: map[string]mark{}}
	s.ctx, s.close = context.WithCancel(context.Background())
	for _, e := range c.Endpoints {
		u, err := url.Parse(e)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("consul endpoint: got %q, want a URL like http://127.0.0.1:8500", e)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = c.TLS
		transport.Proxy = nil
		transport.DialContext = s.meter.Dial
		client, err := api.NewClient(&api.Config{
			Address: u.Host, Scheme: u.Scheme, Token: c.Token,
			HttpClient: &http.Client{Transport: transport},
		})
		if err != nil {
			return nil, fmt.Errorf("consul %s: %w", e, err)
		}
		s.clients = append(s.clients, client)
	}
	return s, nil
}

// client returns the current client.
func (s *Store) client() *api.Client { return s.clients[int(s.current.Load())%len(s.clients)] }

// path returns Consul's form of a key.
func path(key string) string { return strings.TrimPrefix(key, "/") }

// request returns a context for one request: it ends with the caller's, with Close and after the timeout.
func (s *Store) request(ctx context.Context, timeout time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// lengthy returns a context for a request whose answer may be large: it ends with the caller's, with Close and when nothing has arrived for
// the time silent.
func (s *Store) lengthy(ctx context.Context, silent time.Duration) (context.Context, func()) {
	ctx, cancel := s.meter.Limit(ctx, silent)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// fault converts an error of a request to the store's errors. ctx is the caller's own.
func (s *Store) fault(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	var status api.StatusError
	switch {
	case s.ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, store.ErrClosed)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, ctx.Err())
	case strings.Contains(err.Error(), "invalid session"):
		return fmt.Errorf("%s: %w: %w", what, store.ErrLeaseLost, err)
	case errors.As(err, &status) && status.Code == http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%s: %w: %w", what, store.ErrTooLarge, err)
	case errors.As(err, &status) && status.Code < 500:
		return fmt.Errorf("%s: %s: %w", what, s, err)
	}
	s.current.Add(1)
	return fmt.Errorf("%s: %s: %w: %w", what, s, store.ErrUnavailable, err)
}

// options returns those of a read that sees every earlier commit.
func options(ctx context.Context) *api.QueryOptions {
	return (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx)
}

// get reads one key with Consul's own fields, or nil if it is absent. It uses a transaction, which carries any key unchanged; a URL does
// not.
func (s *Store) get(ctx context.Context, key string) (*api.KVPair, error) {
	rctx, cancel := s.request(ctx, s.config.Timeout)
	defer cancel()
	ops := api.TxnOps{{KV: &api.KVTxnOp{Verb: api.KVGet, Key: path(key)}}}
	ok, resp, _, err := s.client().Txn().Txn(ops, options(rctx))
	switch {
	case err != nil:
		return nil, s.fault(ctx, "read "+key, err)
	case ok && len(resp.Results) == 1:
		return resp.Results[0].KV, nil
	case len(resp.Errors) == 1 && strings.Contains(resp.Errors[0].What, "doesn't exist"):
		return nil, nil
	}
	return nil, fmt.Errorf("read %s: %w", key, refusal(resp.Errors))
}

// refusal returns Consul's error for a transaction that it did not apply.
func refusal(list api.TxnErrors) error {
	var text []string
	for _, e := range list {
		text = append(text, e.What)
	}
	return errors.New(strings.Join(text, "; "))
}

func item(key string, kv *api.KVPair) store.Item {
	value := kv.Value
	if value == nil {
		value = []byte{}
	}
	return store.Item{Key: key, Value: value, Revision: store.Revision(kv.ModifyIndex), Created: store.Revision(kv.CreateIndex)}
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, key string) (store.Item, error) {
	kv, err := s.get(ctx, key)
	if err != nil {
		return store.Item{}, err
	}
	if kv == nil {
		return store.Item{}, fmt.Errorf("read %s: %w", key, store.ErrNotFound)
	}
	return item(key, kv), nil
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, prefix string) ([]store.Item, store.Revision, error) {
	rctx, cancel := s.lengthy(ctx, s.config.Timeout)
	defer cancel()
	items, index, err := s.list(prefix, options(rctx))
	if err != nil {
		return nil, 0, s.fault(ctx, "list "+prefix, err)
	}
	return items, store.Revision(index), nil
}

func (s *Store) list(prefix string, o *api.QueryOptions) ([]store.Item, uint64, error) {
	pairs, meta, err := s.client().KV().List(path(prefix), o)
	if err != nil {
		return nil, 0, err
	}
	slash := prefix[:len(prefix)-len(path(prefix))]
	var items []store.Item
	for _, kv := range pairs {
		items = append(items, item(slash+kv.Key, kv))
	}
	return items, meta.LastIndex, nil
}

// Limits implements store.Store.
func (s *Store) Limits() store.Limits { return limits }

// String names the kind of store and its endpoints.
func (s *Store) String() string { return "consul " + strings.Join(s.config.Endpoints, ",") }

// Close implements store.Store. Calling it again is harmless.
func (s *Store) Close() error {
	s.close()
	return nil
}

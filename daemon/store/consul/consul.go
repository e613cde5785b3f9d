// Package consul is a store in the key-value part of a Consul cluster.
//
// Keys lose their leading slash. A revision is Consul's index; leases are sessions, which Consul grants for no less than
// ten seconds and ends up to twice their TTL after the last sign of life.
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

// Consul permits 64 operations in a transaction, of which the store needs a few itself, and 512 KiB in a request, of
// which base64 takes a quarter.
const maxOps = 64

var limits = store.Limits{Ops: maxOps - 4, Bytes: 350 << 10}

// Config says where the cluster is and how to reach it. Only Endpoints is required.
type Config struct {
	Endpoints []string // agents or servers, "http://127.0.0.1:8500"; the next is tried when one is away
	TLS       *tls.Config
	Token     string // ACL token

	// Timeout bounds one request while its caller's context does not; the store counts as unreachable after it. A list may take
	// longer, as long as something of it comes within the timeout. 0: 3 s.
	Timeout time.Duration
}

// Store is a client of one Consul cluster.
type Store struct {
	config  Config
	clients []*api.Client // one an endpoint
	current atomic.Uint32 // which of them is used
	ctx     context.Context
	close   func()

	meter idletimeout.Meter
	pace  store.Backoff // of all watches
	large int           // bytes, from which on a watch asks for parts

	mu     sync.Mutex
	fences map[string]mark // lock keys as last seen
}

// mark is an incarnation of a key and the index of its last change.
type mark struct{ created, modified store.Revision }

var _ store.Store = (*Store)(nil)

// Open makes a client. It does not wait for the cluster: a cluster that is away is reported by the first call.
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
			return nil, fmt.Errorf("consul endpoint %q: a URL like http://127.0.0.1:8500 is wanted", e)
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

// client is the client in use.
func (s *Store) client() *api.Client { return s.clients[int(s.current.Load())%len(s.clients)] }

// path is a key as Consul has it.
func path(key string) string { return strings.TrimPrefix(key, "/") }

// request is a context for one request: it ends with the caller's, with Close and after the timeout.
func (s *Store) request(ctx context.Context, timeout time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// lengthy is a context for a request whose answer may be large: it ends with the caller's, with Close and when nothing has come
// for as long as silent.
func (s *Store) lengthy(ctx context.Context, silent time.Duration) (context.Context, func()) {
	ctx, cancel := s.meter.Limit(ctx, silent)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// fault names an error of a request in the store's terms. ctx is the caller's own.
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

// options are those of a read that sees every commit before it.
func options(ctx context.Context) *api.QueryOptions {
	return (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx)
}

// get reads one key with Consul's own fields, or nil when it is absent. A transaction carries every key as it is, which
// a URL does not.
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

// refusal is what Consul says about a transaction that it did not apply.
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

// Read is store.Store's.
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

// List is store.Store's.
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

// Limits is store.Store's.
func (s *Store) Limits() store.Limits { return limits }

// String names the kind of store and its endpoints.
func (s *Store) String() string { return "consul " + strings.Join(s.config.Endpoints, ",") }

// Close is store.Store's. It may be called again.
func (s *Store) Close() error {
	s.close()
	return nil
}

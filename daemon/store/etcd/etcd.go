// SPDX-License-Identifier: Apache-2.0

// Package etcd is a store in an etcd cluster, through the v3 API.
package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/idletimeout"
)

// limits are those of an etcd server by default: --max-txn-ops 128, and --max-request-bytes 1.5 MiB with space left for the protocol.
var limits = store.Limits{Ops: 128, Bytes: 1400 << 10}

// Windows of HTTP/2 flow control (RFC 9113, 5.2), in bytes. Fixed windows save a ping, and its answer, for nearly every message, with which
// gRPC measures the path to adapt windows that start at 64 KiB.
const (
	streamWindow = 4 << 20
	connWindow   = 16 << 20
)

// Config configures the access to the cluster. Only Endpoints is required.
type Config struct {
	Endpoints []string // all members, "http://10.0.0.1:2379"; https uses TLS
	TLS       *tls.Config
	Username  string
	Password  string

	// Local serves reads and transactions in place of the endpoints: a member in this process. nil: the endpoints do.
	Local pb.KVClient

	// Timeout bounds one request whose context has no earlier deadline; after it the store counts as unreachable. A list may take
	// longer, as long as data arrives within the timeout. 0: 3 s.
	Timeout time.Duration
	// Log receives only outages and their ends. nil: they are discarded.
	Log *slog.Logger
}

// Store is a client of one etcd cluster.
type Store struct {
	config Config
	client *clientv3.Client
	ctx    context.Context // ends with Close
	close  func()
	once   sync.Once
	away   atomic.Bool // the last request did not reach the cluster

	meter   *idletimeout.Meter
	watches *watches
	history *history
	pace    store.Backoff // of all watches
}

var _ store.Store = (*Store)(nil)

// Open returns a client. It does not wait for the cluster: the first call reports a cluster that is away.
func Open(c Config) (*Store, error) {
	if len(c.Endpoints) == 0 {
		return nil, errors.New("etcd: no endpoints are given")
	}
	for _, e := range c.Endpoints {
		u, err := url.Parse(e)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("etcd endpoint: got %q, want a URL like http://10.0.0.1:2379", e)
		}
		if u.Scheme == "https" && c.TLS == nil {
			c.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
	}
	if c.Timeout == 0 {
		c.Timeout = 3 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	meter := &idletimeout.Meter{}
	// A short reconnect interval, because a store that is back must be used at once.
	pace := backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            c.Endpoints,
		TLS:                  c.TLS,
		Username:             c.Username,
		Password:             c.Password,
		DialTimeout:          c.Timeout,
		DialKeepAliveTime:    c.Timeout,
		DialKeepAliveTimeout: c.Timeout,
		MaxCallSendMsgSize:   16 << 20,
		Logger:               zap.NewNop(), // every relevant outcome is returned
		DialOptions: []grpc.DialOption{
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: pace, MinConnectTimeout: c.Timeout}),
			grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(connWindow),
			grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) { return meter.Dial(ctx, "tcp", address) }),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("etcd %s: %w", strings.Join(c.Endpoints, ","), err)
	}
	if c.Local != nil {
		client.KV = clientv3.NewKVFromKVClient(c.Local, client)
	}
	s := &Store{config: c, client: client, meter: meter, watches: newWatches(client), history: newHistory()}
	s.ctx, s.close = context.WithCancel(context.Background())
	return s, nil
}

// request returns a context for one request: it ends with the caller's, with Close and after the timeout.
func (s *Store) request(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// fault converts an error of a request to the store's errors. ctx is the caller's own.
func (s *Store) fault(ctx context.Context, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, store.ErrClosed)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, ctx.Err())
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return fmt.Errorf("%s: %w", what, store.ErrLeaseLost)
	case errors.Is(err, rpctypes.ErrNoSpace):
		return fmt.Errorf("%s: %s: %w: %w", what, s, store.ErrNoSpace, err)
	case errors.Is(err, rpctypes.ErrTooManyOps), errors.Is(err, rpctypes.ErrRequestTooLarge):
		return fmt.Errorf("%s: %w: %w", what, store.ErrTooLarge, err)
	case refused(err):
		return fmt.Errorf("%s: %s: %w", what, s, err)
	}
	if s.away.CompareAndSwap(false, true) {
		s.config.Log.Warn("the store is unreachable", "store", s.String(), "error", err)
	}
	return fmt.Errorf("%s: %s: %w: %w", what, s, store.ErrUnavailable, err)
}

// reached records that the cluster has answered.
func (s *Store) reached() {
	if s.away.CompareAndSwap(true, false) {
		s.config.Log.Info("the store is back", "store", s.String())
	}
}

// refused reports whether the server understood a request and will never grant it, so that a retry is useless.
func refused(err error) bool {
	code := status.Code(err)
	if e, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = e.Code()
	}
	switch code {
	case codes.PermissionDenied, codes.Unauthenticated, codes.InvalidArgument, codes.Unimplemented:
		return true
	}
	return false
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, key string) (store.Item, error) {
	rctx, cancel := s.request(ctx)
	defer cancel()
	resp, err := s.client.Get(rctx, key)
	if err != nil {
		return store.Item{}, s.fault(ctx, "read "+key, err)
	}
	s.reached()
	if len(resp.Kvs) == 0 {
		return store.Item{}, fmt.Errorf("read %s: %w", key, store.ErrNotFound)
	}
	return item(resp.Kvs[0]), nil
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	if err := limits.Check(tx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	var conditions []clientv3.Cmp
	var otherwise []clientv3.Op
	if f := tx.Fence(); f != nil {
		conditions = append(conditions, clientv3.Compare(clientv3.CreateRevision(f.Key), "=", int64(f.Created)))
		otherwise = append(otherwise, clientv3.OpGet(f.Key, clientv3.WithKeysOnly()))
	}
	for _, g := range tx.Guards() {
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(g.Key), "=", int64(g.Revision)))
	}
	changes := make([]clientv3.Op, 0, len(tx.Ops()))
	for _, op := range tx.Ops() {
		change, err := operation(op)
		if err != nil {
			return 0, fmt.Errorf("commit: %w", err)
		}
		changes = append(changes, change)
	}
	rctx, cancel := s.request(ctx)
	defer cancel()
	resp, err := s.client.Txn(rctx).If(conditions...).Then(changes...).Else(otherwise...).Commit()
	if err != nil {
		return 0, s.fault(ctx, "commit", err)
	}
	s.reached()
	if resp.Succeeded {
		return store.Revision(resp.Header.Revision), nil
	}
	if f := tx.Fence(); f != nil {
		kvs := resp.Responses[0].GetResponseRange().GetKvs()
		if len(kvs) == 0 || kvs[0].CreateRevision != int64(f.Created) {
			return 0, fmt.Errorf("commit: %s: %w", f.Key, store.ErrFenced)
		}
	}
	return 0, fmt.Errorf("commit: %w", store.ErrConflict)
}

func operation(op store.Op) (clientv3.Op, error) {
	switch {
	case op.Delete:
		return clientv3.OpDelete(op.Key), nil
	case op.Lease == nil:
		return clientv3.OpPut(op.Key, string(op.Value)), nil
	}
	l, ok := op.Lease.(*lease)
	if !ok {
		return clientv3.Op{}, fmt.Errorf("put %s: lease %s is of another store", op.Key, op.Lease.ID())
	}
	return clientv3.OpPut(op.Key, string(op.Value), clientv3.WithLease(l.id)), nil
}

// Limits implements store.Store.
func (s *Store) Limits() store.Limits { return limits }

// String names the kind of store and its endpoints.
func (s *Store) String() string { return "etcd " + strings.Join(s.config.Endpoints, ",") }

// Close implements store.Store. Calling it again is harmless.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		s.close()
		_ = s.watches.Close()
		if err = s.client.Close(); errors.Is(err, context.Canceled) {
			err = nil
		}
	})
	return err
}

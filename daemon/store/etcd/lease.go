// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/contiv/contiv/daemon/store"
)

// lease is an etcd lease. Its number is never reused.
type lease struct {
	store *Store
	id    clientv3.LeaseID
	ttl   time.Duration
}

// Grant implements store.Store. etcd counts whole seconds and grants no less than one and a half election timeouts.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (store.Lease, error) {
	rctx, cancel := s.request(ctx)
	defer cancel()
	resp, err := s.client.Grant(rctx, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return nil, s.fault(ctx, "grant a lease", err)
	}
	return &lease{store: s, id: resp.ID, ttl: time.Duration(resp.TTL) * time.Second}, nil
}

// ID returns the lease's number as etcdctl prints it.
func (l *lease) ID() string         { return strconv.FormatInt(int64(l.id), 16) }
func (l *lease) TTL() time.Duration { return l.ttl }

// KeepAlive implements store.Lease.
func (l *lease) KeepAlive(ctx context.Context) error {
	return store.KeepAlive(ctx, l, l.store.ctx.Done(), l.refresh)
}

func (l *lease) refresh(ctx context.Context) error {
	rctx, cancel := l.store.request(ctx)
	defer cancel()
	_, err := l.store.client.KeepAliveOnce(rctx, l.id)
	return l.store.fault(ctx, "keep lease "+l.ID(), err)
}

// Revoke implements store.Lease.
func (l *lease) Revoke(ctx context.Context) error {
	rctx, cancel := l.store.request(ctx)
	defer cancel()
	_, err := l.store.client.Revoke(rctx, l.id)
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return nil
	}
	return l.store.fault(ctx, "revoke lease "+l.ID(), err)
}

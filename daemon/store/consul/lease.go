// SPDX-License-Identifier: Apache-2.0

package consul

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/contiv/contiv/daemon/store"
)

// Consul's bounds of a session's TTL.
const (
	minTTL = 10 * time.Second
	maxTTL = 24 * time.Hour
)

// lease is a session that deletes its keys when it ends.
type lease struct {
	store *Store
	id    string
	ttl   time.Duration
}

// Grant implements store.Store.
func (s *Store) Grant(ctx context.Context, ttl time.Duration) (store.Lease, error) {
	ttl = min(max(ttl, minTTL), maxTTL).Round(time.Second)
	rctx, cancel := s.request(ctx, s.config.Timeout)
	defer cancel()
	id, _, err := s.client().Session().CreateNoChecks(&api.SessionEntry{
		Name: "contiv", Behavior: api.SessionBehaviorDelete, TTL: ttl.String(), LockDelay: time.Millisecond,
	}, (&api.WriteOptions{}).WithContext(rctx))
	if err != nil {
		return nil, s.fault(ctx, "grant a lease", err)
	}
	return &lease{store: s, id: id, ttl: ttl}, nil
}

func (l *lease) ID() string         { return l.id }
func (l *lease) TTL() time.Duration { return l.ttl }

// KeepAlive implements store.Lease.
func (l *lease) KeepAlive(ctx context.Context) error {
	return store.KeepAlive(ctx, l, l.store.ctx.Done(), l.refresh)
}

func (l *lease) refresh(ctx context.Context) error {
	rctx, cancel := l.store.request(ctx, l.store.config.Timeout)
	defer cancel()
	entry, _, err := l.store.client().Session().Renew(l.id, (&api.WriteOptions{}).WithContext(rctx))
	if err == nil && entry == nil {
		return fmt.Errorf("keep lease %s: %w", l.id, store.ErrLeaseLost)
	}
	return l.store.fault(ctx, "keep lease "+l.id, err)
}

// Revoke implements store.Lease.
func (l *lease) Revoke(ctx context.Context) error {
	rctx, cancel := l.store.request(ctx, l.store.config.Timeout)
	defer cancel()
	_, err := l.store.client().Session().Destroy(l.id, (&api.WriteOptions{}).WithContext(rctx))
	return l.store.fault(ctx, "revoke lease "+l.id, err)
}

// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// lease ends by its timer unless KeepAlive resets that.
type lease struct {
	id     string
	ttl    time.Duration
	client *Store
	expiry *time.Timer         // guarded, like keys, by data.mu
	keys   map[string]struct{} // put under this lease
	end    time.Time           // when expiry fires; guarded by data.mu
}

func (l *lease) ID() string         { return l.id }
func (l *lease) TTL() time.Duration { return l.ttl }

// KeepAlive implements store.Lease.
func (l *lease) KeepAlive(ctx context.Context) error {
	return store.KeepAlive(ctx, l, nil, l.refresh)
}

func (l *lease) refresh(ctx context.Context) error {
	if err := l.client.enter(ctx); err != nil {
		return fmt.Errorf("keep lease %s: %w", l.id, err)
	}
	defer l.client.data.mu.Unlock()
	if l.client.data.leases[l.id] == nil {
		return fmt.Errorf("keep lease %s: %w", l.id, store.ErrLeaseLost)
	}
	l.expiry.Reset(l.ttl)
	l.end = time.Now().Add(l.ttl)
	return nil
}

// Revoke implements store.Lease.
func (l *lease) Revoke(ctx context.Context) error {
	if err := l.client.enter(ctx); err != nil {
		return fmt.Errorf("revoke lease %s: %w", l.id, err)
	}
	defer l.client.data.mu.Unlock()
	l.client.data.end(l)
	return nil
}

// end removes the lease and its keys. A second call is harmless.
func (d *data) end(l *lease) {
	if d.leases[l.id] == nil {
		return
	}
	l.expiry.Stop()
	delete(d.leases, l.id)
	var ops []store.Op
	for key := range l.keys {
		ops = append(ops, store.Op{Key: key, Delete: true})
	}
	d.apply(ops)
}

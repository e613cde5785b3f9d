package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// lease ends by its timer unless KeepAlive puts that off.
type lease struct {
	id     string
	ttl    time.Duration
	client *Store
	expiry *time.Timer         // guarded, like keys, by data.mu
	keys   map[string]struct{} // put under this lease
	end    time.Time           // when expiry fires, guarded too
}

func (l *lease) ID() string         { return l.id }
func (l *lease) TTL() time.Duration { return l.ttl }

// KeepAlive is store.Lease's.
func (l *lease) KeepAlive(ctx context.Context) error {
	tick := time.NewTicker(max(l.ttl/3, time.Millisecond))
	defer tick.Stop()
	deadline := time.Now().Add(l.ttl)
	for {
		err := l.refresh(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			deadline = time.Now().Add(l.ttl)
		case !errors.Is(err, store.ErrUnavailable):
			return fmt.Errorf("keep lease %s: %w", l.id, err)
		case time.Now().After(deadline):
			return fmt.Errorf("keep lease %s: not refreshed for %s: %w", l.id, l.ttl, store.ErrLeaseLost)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (l *lease) refresh(ctx context.Context) error {
	if err := l.client.enter(ctx); err != nil {
		return err
	}
	defer l.client.data.mu.Unlock()
	if l.client.data.leases[l.id] == nil {
		return store.ErrLeaseLost
	}
	l.expiry.Reset(l.ttl)
	l.end = time.Now().Add(l.ttl)
	return nil
}

// Revoke is store.Lease's.
func (l *lease) Revoke(ctx context.Context) error {
	if err := l.client.enter(ctx); err != nil {
		return fmt.Errorf("revoke lease %s: %w", l.id, err)
	}
	defer l.client.data.mu.Unlock()
	l.client.data.end(l)
	return nil
}

// end takes the lease and its keys away. Ending it twice is harmless.
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

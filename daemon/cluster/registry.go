// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

// ServiceTTL is how long the registration of a silent process lasts.
const ServiceTTL = 10 * time.Second

// Registry keeps a process's services registered, all under one lease: it registers them again after a lost lease and after an outage of
// the store, and removes them when it stops. It is a task.
type Registry struct {
	store store.Store
	ttl   time.Duration
	log   *slog.Logger
	ready chan struct{}
	wake  chan struct{}

	mu     sync.Mutex
	wanted map[string]record.Service
}

var _ task.Task = (*Registry)(nil)

// NewRegistry returns the registry of one process. ttl 0 is ServiceTTL.
func NewRegistry(s store.Store, ttl time.Duration, log *slog.Logger, services ...record.Service) *Registry {
	if ttl == 0 {
		ttl = ServiceTTL
	}
	r := &Registry{store: s, ttl: ttl, log: log, ready: make(chan struct{}), wake: make(chan struct{}, 1)}
	r.Set(services...)
	return r
}

// Set sets the registered services; it removes those that are not in the list. It does not block and may be called at any time. TTL is
// filled in.
func (r *Registry) Set(services ...record.Service) {
	r.mu.Lock()
	r.wanted = map[string]record.Service{}
	for _, s := range services {
		s.TTL = int(r.ttl / time.Second)
		r.wanted[s.Key()] = s
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Ready is closed when the services are registered for the first time.
func (r *Registry) Ready() <-chan struct{} { return r.ready }

func (r *Registry) String() string { return "service registry" }

// Run keeps the services registered until ctx ends, then removes them and returns nil.
func (r *Registry) Run(ctx context.Context) error {
	for failed := false; ctx.Err() == nil; {
		lease, err := r.store.Grant(ctx, r.ttl)
		if err == nil {
			err = r.keep(ctx, lease)
		}
		if ctx.Err() != nil {
			break
		}
		if !failed || !errors.Is(err, store.ErrUnavailable) {
			r.log.Warn("cannot register services; retrying", "error", err)
		}
		failed = errors.Is(err, store.ErrUnavailable)
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
	return nil
}

// keep registers under lease until that is lost or the store refuses something (why), or ctx ends.
func (r *Registry) keep(ctx context.Context, lease store.Lease) error {
	kctx, cancel := context.WithCancel(ctx)
	lost := make(chan error, 1)
	go func() { lost <- lease.KeepAlive(kctx) }()
	keeping := true
	defer func() {
		cancel()
		if keeping {
			<-lost
		}
		rctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTime)
		defer cancel()
		if err := lease.Revoke(rctx); err != nil {
			r.log.Debug("leaving registrations to expire", "error", err)
		}
	}()
	have := map[string]record.Service{}
	for {
		if err := r.register(ctx, lease, have); err != nil {
			return err
		}
		select {
		case <-r.ready:
		default:
			close(r.ready)
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-lost:
			keeping = false
			return err
		case <-r.wake:
		}
	}
}

// register makes the store hold the desired registrations, given that it holds have, and updates have.
func (r *Registry) register(ctx context.Context, lease store.Lease, have map[string]record.Service) error {
	r.mu.Lock()
	wanted := maps.Clone(r.wanted)
	r.mu.Unlock()
	var tx store.Tx
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		if old, ok := have[key]; ok && old == wanted[key] {
			continue
		}
		value, err := json.Marshal(wanted[key])
		if err != nil {
			return err
		}
		tx.PutLeased(key, value, lease)
	}
	for key := range have {
		if _, ok := wanted[key]; !ok {
			tx.Delete(key)
		}
	}
	if len(tx.Ops()) > 0 {
		if _, err := r.store.Commit(ctx, &tx); err != nil {
			return err
		}
	}
	clear(have)
	maps.Copy(have, wanted)
	return nil
}

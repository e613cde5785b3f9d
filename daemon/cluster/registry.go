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

// ServiceTTL is how long a registration outlives a silent process.
const ServiceTTL = 10 * time.Second

// Admission lets the process be registered. Admit adds to the first transaction under a lease what must hold, and what goes with it;
// its error refuses, with ErrNotAdmitted when others are in the way. Admitted says that the transaction was carried out.
type Admission interface {
	Admit(ctx context.Context, tx *store.Tx, lease store.Lease) error
	Admitted()
}

// ErrNotAdmitted says that an Admission refuses for now. It has been told of by who refuses.
var ErrNotAdmitted = errors.New("not admitted to the cluster")

// admitPause is how long a Registry waits before it asks for admission again.
const admitPause = time.Second

// Registry keeps a process's services registered, all under one lease: it registers them again after a lost lease and
// after an outage of the store, and takes them away when it stops. It is a task.
type Registry struct {
	store store.Store
	ttl   time.Duration
	log   *slog.Logger
	ready chan struct{}
	wake  chan struct{}
	admit Admission // nil: no one is asked

	mu     sync.Mutex
	wanted map[string]record.Service
}

var _ task.Task = (*Registry)(nil)

// NewRegistry makes the registry of one process. ttl 0 is ServiceTTL.
func NewRegistry(s store.Store, ttl time.Duration, log *slog.Logger, services ...record.Service) *Registry {
	if ttl == 0 {
		ttl = ServiceTTL
	}
	r := &Registry{store: s, ttl: ttl, log: log, ready: make(chan struct{}), wake: make(chan struct{}, 1)}
	r.Set(services...)
	return r
}

// Under has an Admission asked whenever the services are registered under a new lease. It is called before Run.
func (r *Registry) Under(a Admission) { r.admit = a }

// Set says what is to be registered from now on; what was and is not in the list is taken away. It does not block and
// may be called at any time. TTL is filled in.
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

// Run keeps the services registered until ctx ends, then takes them away and returns nil.
func (r *Registry) Run(ctx context.Context) error {
	for failed := false; ctx.Err() == nil; {
		lease, err := r.store.Grant(ctx, r.ttl)
		if err == nil {
			err = r.keep(ctx, lease)
		}
		if ctx.Err() != nil {
			break
		}
		pause := retryPause
		switch {
		case errors.Is(err, ErrNotAdmitted):
			pause = admitPause
		case !failed || !errors.Is(err, store.ErrUnavailable):
			r.log.Warn("registering services again", "error", err)
		}
		failed = errors.Is(err, store.ErrUnavailable)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
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
			r.log.Debug("registrations are left to expire", "error", err)
		}
	}()
	have := map[string]record.Service{}
	for admit := r.admit; ; admit = nil {
		if err := r.register(ctx, lease, have, admit); err != nil {
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

// register makes the store hold what is wanted, given that it has what have says, and updates have. With admit, only as that
// permits.
func (r *Registry) register(ctx context.Context, lease store.Lease, have map[string]record.Service, admit Admission) error {
	r.mu.Lock()
	wanted := maps.Clone(r.wanted)
	r.mu.Unlock()
	var tx store.Tx
	if admit != nil {
		if err := admit.Admit(ctx, &tx, lease); err != nil {
			return err
		}
	}
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
	if admit != nil {
		admit.Admitted()
	}
	clear(have)
	maps.Copy(have, wanted)
	return nil
}

// Package desired keeps the desired state of this host's switch equal to what the store says: it watches, translates and
// updates. It acts on levels, never on an event alone, and a host that falls silent keeps its endpoints.
package desired

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/table"
)

// Bridge is the part of *bridge.Reconciler that the Engine needs.
type Bridge interface {
	// Update changes the desired state, as of store revision rev.
	Update(rev uint64, change func(s *ofnet.State))
	// Rewind says that the store was made again: revisions of later updates are another store's.
	Rewind()
	// Wait returns when everything up to rev is in the switch.
	Wait(ctx context.Context, rev uint64) error
	// Owner says how the flows of one owner fare; ok is false when it wants none.
	Owner(k ofnet.Key) (status bridge.OwnerStatus, ok bool)
	// Outcome is Owner once the owner's flows are no longer on their way.
	Outcome(ctx context.Context, k ofnet.Key) (status bridge.OwnerStatus, ok bool, err error)
}

// Options are what an Engine needs.
type Options struct {
	Store  store.Store
	Bridge Bridge
	Self   ofnet.Host  // this host
	Fixed  ofnet.Ports // the fixed ports of its switch
	Hear   []Listener  // further readers of the records
	// Restore is called once, when all records are known and have been heard: what it returns is part of the first
	// Update. nil: nothing else is.
	Restore func() (put func(s *ofnet.State))
	// ForeignServices leaves the services of Kubernetes to another proxy.
	ForeignServices bool
	Log             *slog.Logger
}

// Engine is the watch-translate-update loop. Its methods are safe for concurrent use.
type Engine struct {
	Options

	mu      sync.Mutex
	mirrors map[string]*mirror.Mirror // by watched prefix
	listed  map[string]struct{}       // prefixes that have been listed
	records *records
	given   *records                             // as the bridge has them; empty until all has been listed
	bad     map[string]struct{}                  // keys whose record is malformed
	told    uint64                               // revision of the last update of record.State
	seen    uint64                               // the same, as long as what comes by the other watches belongs to it
	late    map[string]struct{}                  // endpoints whose port changed after their record was translated
	live    bool                                 // the first update has been made
	stale   []string                             // prefixes whose watch is interrupted
	served  *table.Table[string, *ofnet.Service] // what the bridge has been told; nil until it has been told anything
	changed chan struct{}                        // closed with the next change
	moved   chan struct{}                        // closed with the next change of the surroundings
	ready   chan struct{}
	heard   time.Time
}

// watched are the prefixes that concern an agent.
func watched() []string { return []string{record.State, record.Config, record.Services} }

// New returns an Engine; Run makes it live.
func New(o Options) *Engine {
	e := &Engine{Options: o, mirrors: map[string]*mirror.Mirror{}, listed: map[string]struct{}{}, records: newRecords(o.Self.Label), given: newRecords(o.Self.Label),
		bad: map[string]struct{}{}, late: map[string]struct{}{}, changed: make(chan struct{}), moved: make(chan struct{}), ready: make(chan struct{})}
	e.records.kube.foreign = o.ForeignServices
	for _, prefix := range watched() {
		e.mirrors[prefix] = mirror.Sums()
	}
	return e
}

// String names the engine for logs.
func (e *Engine) String() string { return "store watch" }

// Ready is closed when everything has been read once and handed to the bridge.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Seen is the last store revision that was received, and when.
func (e *Engine) Seen() (revision uint64, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen, e.heard
}

// Interrupted names the prefixes whose watch has lost the store.
func (e *Engine) Interrupted() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.stale)
}

// Global returns the cluster's forwarding configuration as last heard.
func (e *Engine) Global() record.Global {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records.global
}

// Changed is closed when something has been heard after the call.
func (e *Engine) Changed() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// Run watches until ctx ends; then it returns nil.
func (e *Engine) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, prefix := range watched() {
		wg.Go(func() { e.watch(ctx, prefix) })
	}
	wg.Wait()
	return nil
}

// watch follows one prefix. A watch that ends before ctx is begun again.
func (e *Engine) watch(ctx context.Context, prefix string) {
	for ctx.Err() == nil {
		for u, err := range e.Store.Watch(ctx, prefix) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				e.interrupt(prefix, err)
				continue
			}
			e.take(prefix, u)
		}
		t := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
	}
}

func (e *Engine) interrupt(prefix string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.stale, prefix) {
		e.stale = append(e.stale, prefix)
		e.Log.Warn("the store is away: forwarding goes on as it is", "prefix", prefix, "error", err)
	}
}

// take carries out one update of a watch.
func (e *Engine) take(prefix string, u store.Update) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.stale, prefix); i >= 0 {
		e.stale = slices.Delete(e.stale, i, i+1)
		e.Log.Info("the store is back", "prefix", prefix)
	}
	e.heard = time.Now()
	before := e.given
	if !e.live {
		before = e.records.clone()
	}
	if e.absorb(prefix, u) {
		e.tell(before)
		e.notify(e.records.moves(before))
	}
	if prefix == record.State {
		e.told = max(e.told, uint64(u.Revision))
	}
	if !e.records.torn() {
		e.seen = e.told
	}
	if u.Full {
		e.listed[prefix] = struct{}{}
	}
	if !e.live && len(e.listed) == len(e.mirrors) { // the bridge takes its first state for the whole
		e.live = true
		defer close(e.ready)
		if e.Restore != nil {
			e.update(e.Restore())
			return
		}
	}
	e.update()
}

// absorb takes an update into the records, and reports whether it says anything new. e.mu is held.
func (e *Engine) absorb(prefix string, u store.Update) bool {
	m := e.mirrors[prefix]
	changes, err := m.Watched(u)
	if errors.Is(err, mirror.ErrReset) {
		m.Rewind()
		changes, err = m.Watched(u)
		if prefix == record.State {
			e.Log.Warn("the store was made anew: its revisions begin again", "store", e.Store.String(), "was", e.told, "is", u.Revision)
			e.told, e.seen = 0, 0
			e.Bridge.Rewind()
		}
	}
	if err != nil {
		e.Log.Error("cannot take in an update of the store", "prefix", prefix, "revision", u.Revision, "error", err)
	}
	for _, c := range changes {
		_, known := e.bad[c.Key]
		delete(e.bad, c.Key)
		if !c.Has {
			e.records.del(c.Key)
		} else if err := e.records.put(c.After); err != nil {
			e.bad[c.Key] = struct{}{}
			if !known {
				e.Log.Warn("malformed record", "key", c.Key, "error", err)
			}
		}
	}
	return len(changes) > 0
}

// update hands changes to the bridge, and those of others that belong with them. e.mu is held, so that updates reach it in
// order.
func (e *Engine) update(others ...func(*ofnet.State)) {
	if !e.live {
		return // the first update tells
	}
	e.Bridge.Update(e.seen, func(s *ofnet.State) {
		s.Self, s.Local, s.Private, s.Direct = e.Self.Label, e.Fixed, e.records.private(), e.records.direct()
		s.Own = e.records.own(e.Self.Addrs()...)
		set(s.Hosts, e.Self.Label, &e.Self)
		e.records.translate(e.given, s)
		for _, put := range others {
			put(s)
		}
		e.served = s.Services.Clone()
	})
	e.given = e.records.clone()
}

// SetPort says at which OpenFlow port an endpoint is attached here; 0: nowhere.
func (e *Engine) SetPort(endpoint string, port uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.records.ports.Get(endpoint) == port {
		return
	}
	if port == 0 {
		e.records.ports.Delete(endpoint)
		delete(e.late, endpoint)
	} else {
		e.records.ports.Set(endpoint, port)
	}
	if e.records.endpoints.Get(endpoint) != nil && e.live {
		if port != 0 {
			e.late[endpoint] = struct{}{}
		}
		e.update()
		e.notify(true)
	}
}

// notify wakes those who wait for a change, and those who wait for one of the surroundings if it is one. e.mu is held.
func (e *Engine) notify(moved bool) {
	close(e.changed)
	e.changed = make(chan struct{})
	if moved {
		close(e.moved)
		e.moved = make(chan struct{})
	}
}

// Wait returns when the switch has the flows of an endpoint as of store revision rev, or refuses them, or ctx ends.
func (e *Engine) Wait(ctx context.Context, endpoint string, rev uint64) error {
	if err := e.Bridge.Wait(ctx, rev); err != nil {
		return fmt.Errorf("wait until the switch has revision %d: %w", rev, err)
	}
	key := ofnet.Key{Kind: ofnet.KindEndpoint, Name: endpoint}
	e.mu.Lock()
	_, late := e.late[endpoint]
	delete(e.late, endpoint)
	e.mu.Unlock()
	status, ok := e.Bridge.Owner(key)
	if late { // its revision passed before its port was known
		var err error
		if status, ok, err = e.Bridge.Outcome(ctx, key); err != nil {
			return err
		}
	}
	if ok && status.Phase == bridge.Failed {
		return fmt.Errorf("the switch refuses the flows of %s: %s", endpoint, status.Err)
	}
	return nil
}

// Network returns a network: as last heard, or else straight from the store.
func (e *Engine) Network(ctx context.Context, id identity.Network) (n record.Network, err error) {
	e.mu.Lock()
	known := e.records.networks.Get(id.String())
	e.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	item, err := e.Store.Read(ctx, record.Networks+id.String())
	if errors.Is(err, store.ErrNotFound) {
		item, err = e.Store.Read(ctx, record.LegacyNetworks+record.Dotted(id))
	}
	if err != nil {
		return n, fmt.Errorf("network %s: %w", id, err)
	}
	if err := json.Unmarshal(item.Value, &n); err != nil {
		return n, fmt.Errorf("network %s: %w", id, err)
	}
	if n.ID != id { // the legacy key of two networks may be the same
		return n, fmt.Errorf("network %s: %w", id, store.ErrNotFound)
	}
	return n, nil
}

// Endpoint returns an endpoint by the text of its identity, as last heard.
func (e *Engine) Endpoint(id string) (record.Endpoint, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ep := e.records.endpoints.Get(id); ep != nil {
		return *ep, true
	}
	return record.Endpoint{}, false
}

// Local returns the endpoints whose homing host is this one, ordered by id.
func (e *Engine) Local() []record.Endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []record.Endpoint
	for ep := range endpointsOfHost.In(e.records.endpoints, e.Self.Label).Values() {
		out = append(out, *ep)
	}
	slices.SortFunc(out, func(a, b record.Endpoint) int { return a.ID.Compare(b.ID) })
	return out
}

// Services returns the services of the tenants that have members here, ordered by name, as of the last update. They are not to be changed.
func (e *Engine) Services() []*ofnet.Service {
	e.mu.Lock()
	served := e.served
	e.mu.Unlock()
	if served == nil {
		return []*ofnet.Service{}
	}
	return slices.SortedFunc(served.Values(), func(a, b *ofnet.Service) int { return strings.Compare(a.Name, b.Name) })
}

// Selectors returns the selectors of a tenant's services, in no order. They are not to be changed.
func (e *Engine) Selectors(tenant string) (out []map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for v := range servicesOfTenant.In(e.records.services, tenant).Values() {
		out = append(out, v.Selectors)
	}
	return out
}

// Malformed returns the keys of records that could not be read, ordered.
func (e *Engine) Malformed() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.bad))
}

// Package sync keeps the desired state of this host's switch equal to what the store says: it watches, translates and
// updates. It acts on levels, never on an event alone, and a host that falls silent keeps its endpoints.
package sync

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
)

// Bridge is the part of *bridge.Reconciler that the Engine needs.
type Bridge interface {
	// Update changes the desired state, as of store revision rev.
	Update(rev uint64, change func(s *ofnet.State) (touched []ofnet.Key))
	// Rewind says that the store was made anew: revisions of later updates are another store's.
	Rewind()
	// Wait returns when everything up to rev is in the switch.
	Wait(ctx context.Context, rev uint64) error
	// Owner says how the flows of one owner fare; ok is false when it wants none.
	Owner(k ofnet.Key) (status bridge.OwnerStatus, ok bool)
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
	Restore func() (put func(s *ofnet.State) []ofnet.Key)
	Log     *slog.Logger
}

// Engine is the watch-translate-update loop. Its methods are safe for concurrent use.
type Engine struct {
	Options

	mu      sync.Mutex
	records *records
	ports   ports
	known   map[string]map[string]bool // keys by watched prefix; nil until listed
	bad     map[string]bool            // keys whose record is malformed
	told    uint64                     // revision of the last update of record.State
	seen    uint64                     // the same, as long as what comes by the other watches belongs to it
	late    map[string]bool            // endpoints whose port changed after their record was translated
	live    bool                       // the first full Update has been made
	stale   []string                   // prefixes whose watch is interrupted
	changed chan struct{}              // closed with the next change
	ready   chan struct{}
	heard   time.Time
}

// watched are the prefixes that concern an agent.
func watched() []string { return []string{record.State, record.Config, record.Services} }

// New returns an Engine; Run makes it live.
func New(o Options) *Engine {
	return &Engine{Options: o, records: newRecords(o.Self.Label, o.Hear), ports: ports{}, known: map[string]map[string]bool{},
		bad: map[string]bool{}, late: map[string]bool{}, changed: make(chan struct{}), ready: make(chan struct{})}
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
	dirty := e.absorb(prefix, u)
	if len(dirty) > 0 {
		e.notify()
	}
	if prefix == record.State {
		if u.Full && uint64(u.Revision) < e.told {
			e.Log.Warn("the store was made anew: its revisions begin again", "store", e.Store.String(), "was", e.told, "is", u.Revision)
			e.told, e.seen = 0, 0
			e.Bridge.Rewind()
		}
		e.told = max(e.told, uint64(u.Revision))
	}
	if !e.records.torn() {
		e.seen = e.told
	}
	if !e.live {
		if len(e.known) < len(watched()) {
			return // the bridge takes its first state for the whole
		}
		e.live = true
		defer close(e.ready)
		dirty = e.everything()
		if e.Restore != nil {
			e.update(dirty, e.Restore())
			return
		}
	}
	e.update(dirty)
}

// absorb takes the items into the records and returns what they may change. e.mu is held.
func (e *Engine) absorb(prefix string, u store.Update) []ofnet.Key {
	var dirty []ofnet.Key
	gone := u.Gone
	if u.Full {
		now := make(map[string]bool, len(u.Items))
		for _, item := range u.Items {
			now[item.Key] = true
		}
		for key := range e.known[prefix] {
			if !now[key] {
				gone = append(gone, key)
			}
		}
		e.known[prefix] = now
	}
	// New things first: what replaces something must not find it missing in between.
	items := u.Items
	if prefix == record.Services { // a list comes in the order of keys
		items = slices.SortedFunc(slices.Values(items), func(a, b store.Item) int { return cmp.Compare(a.Revision, b.Revision) })
	}
	for _, item := range items {
		list(e.known, prefix, item.Key)
		keys, err := e.records.put(item.Key, item.Value)
		if err != nil {
			if !e.bad[item.Key] {
				e.Log.Warn("malformed record", "key", item.Key, "error", err)
			}
			e.bad[item.Key] = true
		} else {
			delete(e.bad, item.Key)
		}
		dirty = append(dirty, keys...)
	}
	for _, key := range gone {
		delete(e.known[prefix], key)
		delete(e.bad, key)
		dirty = append(dirty, e.records.del(key)...)
	}
	return dirty
}

// update hands changes to the bridge, and those of others that belong with them. e.mu is held, so that updates reach it in
// order.
func (e *Engine) update(dirty []ofnet.Key, others ...func(*ofnet.State) []ofnet.Key) {
	if len(dirty) == 0 {
		e.Bridge.Update(e.seen, nil)
		return
	}
	e.Bridge.Update(e.seen, func(s *ofnet.State) []ofnet.Key {
		var own []ofnet.Key
		s.Self, s.Local = e.Self.Label, e.Fixed
		if private := e.records.private(); s.Private != private {
			s.Private = private
			own = append(own, ofnet.Key{Kind: ofnet.KindSwitch})
		}
		if set(s.Hosts, e.Self.Label, &e.Self) {
			own = append(own, ofnet.Key{Kind: ofnet.KindHost, Name: e.Self.Label}, ofnet.Key{Kind: ofnet.KindSwitch})
		}
		own = append(own, translate(e.records, e.ports, s, dirty)...)
		for _, put := range others {
			own = append(own, put(s)...)
		}
		return own
	})
}

// everything names all objects. e.mu is held.
func (e *Engine) everything() []ofnet.Key {
	var out []ofnet.Key
	for label := range e.records.hosts {
		out = append(out, ofnet.Key{Kind: ofnet.KindHost, Name: label})
	}
	for name := range e.records.tenants {
		out = append(out, ofnet.Key{Kind: ofnet.KindTenant, Name: name})
	}
	for _, keys := range e.records.ofTenant {
		out = slices.AppendSeq(out, maps.Keys(keys))
	}
	// One key at least: the bridge must learn of this host even when the store is empty.
	return append(out, ofnet.Key{Kind: ofnet.KindHost, Name: e.Self.Label})
}

// SetPort says at which OpenFlow port an endpoint is attached here; 0: nowhere.
func (e *Engine) SetPort(endpoint string, port uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ports[endpoint] == port {
		return
	}
	if port == 0 {
		delete(e.ports, endpoint)
		delete(e.late, endpoint)
	} else {
		e.ports[endpoint] = port
	}
	if _, ok := e.records.endpoints[endpoint]; ok && e.live {
		if port != 0 {
			e.late[endpoint] = true
		}
		e.update([]ofnet.Key{{Kind: ofnet.KindEndpoint, Name: endpoint}})
		e.notify()
	}
}

// notify wakes those who wait for a change. e.mu is held.
func (e *Engine) notify() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// Wait returns when the switch has the flows of an endpoint as of store revision rev, or refuses them, or ctx ends.
func (e *Engine) Wait(ctx context.Context, endpoint string, rev uint64) error {
	if err := e.Bridge.Wait(ctx, rev); err != nil {
		return fmt.Errorf("wait until the switch has revision %d: %w", rev, err)
	}
	key := ofnet.Key{Kind: ofnet.KindEndpoint, Name: endpoint}
	e.mu.Lock()
	late := e.late[endpoint]
	delete(e.late, endpoint)
	e.mu.Unlock()
	if late { // its revision passed before its port was known
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for e.pending(key) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("wait for the flows of %s: %w", endpoint, ctx.Err())
			}
		}
	}
	if s, ok := e.Bridge.Owner(key); ok && s.Phase == bridge.Failed {
		return fmt.Errorf("the switch refuses the flows of %s: %s", endpoint, s.Err)
	}
	return nil
}

func (e *Engine) pending(k ofnet.Key) bool {
	s, ok := e.Bridge.Owner(k)
	return ok && s.Phase == bridge.Pending
}

// Network returns a network by id "network.tenant": as last heard, or else straight from the store.
func (e *Engine) Network(ctx context.Context, id string) (record.Network, error) {
	e.mu.Lock()
	n, ok := e.records.networks[id]
	e.mu.Unlock()
	if ok {
		return n, nil
	}
	item, err := e.Store.Read(ctx, record.Networks+id)
	if err != nil {
		return n, fmt.Errorf("network %s: %w", id, err)
	}
	if err := json.Unmarshal(item.Value, &n); err != nil {
		return n, fmt.Errorf("network %s: %w", id, err)
	}
	return n, nil
}

// Endpoint returns an endpoint by state id, as last heard.
func (e *Engine) Endpoint(id string) (record.Endpoint, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ep, ok := e.records.endpoints[id]
	return ep, ok
}

// Local returns the endpoints whose homing host is this one, ordered by id.
func (e *Engine) Local() []record.Endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []record.Endpoint
	for id := range e.records.host(e.Self.Label).endpoints {
		out = append(out, e.records.endpoints[id])
	}
	slices.SortFunc(out, func(a, b record.Endpoint) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Rules returns the rules of the tenants that have members here, ordered by id.
func (e *Engine) Rules() []ofnet.Rule {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := []ofnet.Rule{}
	for _, r := range e.records.rules {
		if e.records.present(r.Tenant) {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b ofnet.Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Services returns the services of the tenants that have members here, ordered by name.
func (e *Engine) Services() []ofnet.Service {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := []ofnet.Service{}
	for name := range e.records.balancers {
		if v := e.records.wantService(name); v != nil {
			out = append(out, *v)
		}
	}
	slices.SortFunc(out, func(a, b ofnet.Service) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Malformed returns the keys of records that could not be read, ordered.
func (e *Engine) Malformed() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.bad))
}

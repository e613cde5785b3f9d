// SPDX-License-Identifier: Apache-2.0

// Package desired keeps the desired state of this host's switch equal to the records that netmasters send: it receives, translates and
// updates. It acts on levels, never on single events, and a host that falls silent keeps its endpoints.
package desired

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/table"
)

// Bridge is the part of *bridge.Reconciler that the Engine needs.
type Bridge interface {
	// Update changes the desired state, as of revision rev.
	Update(rev uint64, change func(s *ofnet.State))
	// Rewind reports that the store was recreated: revisions of later updates are another store's.
	Rewind()
	// Wait returns when everything up to rev is in the switch.
	Wait(ctx context.Context, rev uint64) error
	// Owner returns the status of the flows of one owner; ok is false if it needs none.
	Owner(k ofnet.Key) (status bridge.OwnerStatus, ok bool)
	// Outcome is Owner once the owner's flows have been applied or refused.
	Outcome(ctx context.Context, k ofnet.Key) (status bridge.OwnerStatus, ok bool, err error)
}

// Source yields the records that concern this host.
type Source interface {
	// Follow yields all records, then their changes, until ctx ends; an outage yields one error.
	Follow(ctx context.Context) iter.Seq2[channel.Batch, error]
}

// Options are what an Engine needs.
type Options struct {
	Bridge Bridge
	Self   ofnet.Host  // this host
	Fixed  ofnet.Ports // the fixed ports of its switch
	// ForeignServices leaves the services of Kubernetes to another proxy.
	ForeignServices bool
	Log             *slog.Logger
}

// Following has the source that an Engine follows, and what the first Update includes.
type Following struct {
	Source Source
	// Restore is called once, when all records have arrived and before the first Update, which includes its result. It may read from the
	// Engine. nil: there is nothing to restore.
	Restore func() (put func(s *ofnet.State))
	// Closed is called once, when all records have arrived and before the first Update, which includes its result: what the switch
	// closes to endpoints. It may read from the Engine. SetClosed changes it later. nil: the first Update closes nothing.
	Closed func() *ofnet.Closed
}

// Engine is the follow-translate-update loop. Its methods are safe for concurrent use.
type Engine struct {
	Options
	following Following

	mu          sync.Mutex
	shards      shards
	records     *records
	given       *records                             // the records that the bridge has; empty until all have arrived
	bad         map[string]struct{}                  // keys whose record is malformed
	mark        channel.Mark                         // of the last batch
	seen        uint64                               // everything up to this revision has been applied
	late        map[string]struct{}                  // endpoints whose port changed after their record was translated
	unsupported ofnet.Abilities                      // by the switch's datapath
	closed      *ofnet.Closed                        // what the switch closes to endpoints; nil: nothing
	live        bool                                 // the first update has been made
	away        string                               // why no netmaster is connected; "" if one is
	changed     chan struct{}                        // closed at the next change
	served      *table.Table[string, *ofnet.Service] // the services that the bridge has; nil before the first update
	moved       chan struct{}                        // closed at the next change of the surroundings
	joined      chan struct{}                        // closed when hosts or netmasters change
	reports     reports                              // of hosts, as last judged
	ready       chan struct{}
	lastBatch   time.Time

	names atomic.Pointer[names.Snapshot] // of the records that the bridge has
}

// New returns an Engine; Run starts it.
func New(o Options) *Engine {
	e := &Engine{Options: o, shards: newShards(), records: newRecords(o.Self.Label), given: newRecords(o.Self.Label),
		bad: map[string]struct{}{}, late: map[string]struct{}{}, changed: make(chan struct{}), moved: make(chan struct{}), joined: make(chan struct{}), ready: make(chan struct{})}
	e.records.kube.foreign = o.ForeignServices
	e.names.Store(e.given.names())
	return e
}

// String names the engine for logs.
func (e *Engine) String() string { return "records of the cluster" }

// Ready is closed when all records have arrived and are in the bridge.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Seen returns the revision of the last batch, and when it arrived.
func (e *Engine) Seen() (revision uint64, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen, e.lastBatch
}

// Held returns the mark of the applied records, and the digest of each shard that has records, by the values as they arrived from a
// netmaster or from the file of the previous agent.
func (e *Engine) Held() (channel.Mark, map[channel.Shard]channel.Digest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mark, e.shards.held()
}

// Away returns why no netmaster is connected, or "".
func (e *Engine) Away() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.away
}

// Global returns the cluster's forwarding configuration as last received.
func (e *Engine) Global() record.Global {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.records.global
}

// Names returns the records with names, as last passed to the bridge: none until all records have arrived. It does not block.
func (e *Engine) Names() *names.Snapshot { return e.names.Load() }

// Changed returns a channel that is closed when the next records arrive.
func (e *Engine) Changed() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// Run follows until ctx ends; then it returns nil. It must be called once.
func (e *Engine) Run(ctx context.Context, f Following) error {
	e.following = f
	for b, err := range f.Source.Follow(ctx) {
		if err != nil {
			e.interrupt(err)
			continue
		}
		if first := e.apply(b); first {
			e.begin()
		}
	}
	return nil
}

func (e *Engine) interrupt(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.away == "" {
		e.Log.Warn("no netmaster reachable: forwarding continues unchanged", "error", err)
	}
	e.away = err.Error()
}

// apply applies one batch, and reports whether it is the first, for which begin makes the Update.
func (e *Engine) apply(b channel.Batch) (first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.away != "" {
		e.away = ""
		e.Log.Info("reconnected to netmaster", "revision", b.Revision)
	}
	e.lastBatch = time.Now()
	if b.Reset && b.Revision < e.seen {
		e.Log.Warn("the store was recreated: its revisions start again", "was", e.seen, "is", b.Revision)
		e.seen = 0
		e.Bridge.Rewind()
	}
	before := e.given
	if !e.live {
		before = e.records.clone()
	}
	if e.absorb(b) {
		e.notify(e.records.moves(before))
		if e.records.joins(before) {
			close(e.joined)
			e.joined = make(chan struct{})
		}
	}
	e.seen, e.mark = max(e.seen, b.Revision), b.Mark
	e.update()
	return !e.live
}

// begin makes the first Update. The bridge treats its first state as complete: flows that it lacks are deleted from the switch.
func (e *Engine) begin() {
	var closed *ofnet.Closed
	if e.following.Closed != nil {
		closed = e.following.Closed()
	}
	var restored []func(*ofnet.State)
	if e.following.Restore != nil {
		restored = append(restored, e.following.Restore())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed, e.live = closed, true
	e.update(restored...)
	close(e.ready)
}

// absorb adds a batch to the records, and reports whether it has anything new. The caller holds e.mu.
func (e *Engine) absorb(b channel.Batch) bool {
	come, gone := e.shards.apply(b)
	for _, key := range gone {
		delete(e.bad, key)
		e.records.del(key)
	}
	for at, i := range come {
		come[at] = channel.Item{} // its value is not needed once it has been decoded
		_, known := e.bad[i.Key]
		delete(e.bad, i.Key)
		if err := e.records.put(i); err != nil {
			e.bad[i.Key] = struct{}{}
			if !known {
				e.Log.Warn("malformed record", "key", i.Key, "error", err)
			}
		}
	}
	return len(come)+len(gone) > 0
}

// update passes changes to the bridge, with related ones of other parts. The caller holds e.mu, so that updates are passed in order.
func (e *Engine) update(others ...func(*ofnet.State)) {
	if !e.live {
		return // the first Update has it
	}
	e.Bridge.Update(e.seen, func(s *ofnet.State) {
		s.Self, s.Local, s.Private, s.Direct = e.Self.Label, e.Fixed, e.records.private(), e.records.direct()
		s.Missing, s.Closed = e.unsupported, e.closed
		s.Own = e.records.own(e.Self.Addrs()...)
		set(s.Hosts, e.Self.Label, &e.Self)
		e.records.translate(e.given, s)
		for _, put := range others {
			put(s)
		}
		e.served = s.Services.Clone()
	})
	e.given = e.records.clone()
	e.names.Store(e.given.names())
}

// SetPort sets the OpenFlow port of an endpoint; 0: not attached.
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

// notify wakes callers that wait for a change, and with moved those that wait for a change of the surroundings. The caller holds e.mu.
func (e *Engine) notify(moved bool) {
	close(e.changed)
	e.changed = make(chan struct{})
	if moved {
		close(e.moved)
		e.moved = make(chan struct{})
	}
}

// Wait returns when the switch has or refuses the flows of an endpoint as of revision rev, or ctx ends.
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
	if late { // its revision was applied before its port was known
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

// ErrNoNetwork reports that the record of a network has not arrived.
var ErrNoNetwork = errors.New("this host has not received its record")

// networkTimeout bounds the wait for the network of an endpoint of this host: all records of a tenant arrive with its first endpoint.
const networkTimeout = 10 * time.Second

// Network returns a network. It blocks until the record arrives; ErrNoNetwork after ten seconds.
func (e *Engine) Network(ctx context.Context, id identity.Network) (record.Network, error) {
	n, err := await(ctx, e, networkTimeout, ErrNoNetwork, func(r *records) *record.Network { return r.networks.Get(id.String()) })
	if err != nil {
		err = fmt.Errorf("network %s: %w", id, err)
	}
	return n, err
}

// await returns a row as soon as it arrives, and late if that takes longer than limit.
func await[V any](ctx context.Context, e *Engine, limit time.Duration, late error, look func(*records) *V) (v V, err error) {
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		e.mu.Lock()
		known, changed := look(e.records), e.changed
		e.mu.Unlock()
		if known != nil {
			return *known, nil
		}
		select {
		case <-changed:
		case <-end.C:
			return v, late
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// Endpoint returns an endpoint by the text of its identity, as last received.
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

// Services returns the services of the tenants that have members here, ordered by name, as of the last update. The caller must not change
// them.
func (e *Engine) Services() []*ofnet.Service {
	e.mu.Lock()
	served := e.served
	e.mu.Unlock()
	if served == nil {
		return []*ofnet.Service{}
	}
	return slices.SortedFunc(served.Values(), func(a, b *ofnet.Service) int { return strings.Compare(a.Name, b.Name) })
}

// Selectors returns the selectors of a tenant's services, in no order. The caller must not change them.
func (e *Engine) Selectors(tenant string) (out []map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for v := range servicesOfTenant.In(e.records.services, tenant).Values() {
		out = append(out, v.Selectors)
	}
	return out
}

// Malformed returns the keys of malformed records, ordered.
func (e *Engine) Malformed() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.bad))
}

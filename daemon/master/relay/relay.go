// SPDX-License-Identifier: Apache-2.0

// Package relay sends agents the part of the catalog that concerns their hosts: each change is encoded once, however many agents receive
// it, and changes within a moment share one message. Every netmaster runs a relay, so more netmasters serve more agents.
//
// A stream has no queue. It remembers its position in each shard, and finds newer changes in the shard's log, or, if the log no longer
// reaches back, starts again with a snapshot that streams share. So a slow agent costs no memory, and delays no one.
package relay

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/table"
)

// How long changes are collected, after one that was sent at once. It grows with the number of agents, because each batch has a cost for
// each of them.
const (
	Window    = 10 * time.Millisecond // at most
	perStream = 20 * time.Microsecond
)

// Bounds of the memory for agents that come from other netmasters.
const (
	maxLandmarks = 16      // those of an hour
	maxPassed    = 1 << 15 // revisions
)

// Relay keeps the shards. Its methods are safe for concurrent use.
type Relay struct {
	catalog     *catalog.Catalog
	incarnation string        // id of the store's incarnation
	awaited     func() string // why agents receive nothing yet; "": they do
	away        func() string // why the store does not answer; "" if it does
	ready       chan struct{}

	mu        sync.Mutex
	items     *table.Table[string, store.Item] // as sent
	known     catalog.Snapshot                 // the same state
	legacy    int                              // records of earlier builds; while some exist, nothing is sent
	seq       uint64                           // numbers the steps
	began     uint64                           // revision of the first
	mark      channel.Mark
	landmarks []channel.Landmark // the newest at different times
	shards    map[channel.Shard]*shard
	endpoints map[tenantOnHost]int           // number of endpoints
	tenants   map[string]map[string]struct{} // tenants with endpoints on a host
	direct    bool                           // every host has all tenants
	streams   map[*Stream]struct{}
	late      map[*shard]struct{} // shards whose streams have not been woken for the last change
	passed    map[uint64]struct{} // revisions at which the state was complete
	order     []uint64            // these, in order of arrival
	gap       bool                // revisions may have been skipped since the last step
	lost      time.Time           // when the store stopped answering; zero while it answers
	statuses  uint64              // numbers the statuses of agents

	resent atomic.Uint64 // number of shards, since agents held something else
	log    *slog.Logger
}

// New returns a Relay of a catalog, for the store's incarnation id; Run starts it. away returns why the store does not answer, "" if it
// does.
func New(known *catalog.Catalog, incarnation string, away func() string, log *slog.Logger) *Relay {
	return &Relay{catalog: known, awaited: func() string { return "" }, incarnation: incarnation, mark: channel.Mark{Incarnation: incarnation}, away: away, log: log, ready: make(chan struct{}),
		items: table.New[string, store.Item](), shards: map[channel.Shard]*shard{}, endpoints: map[tenantOnHost]int{},
		tenants: map[string]map[string]struct{}{}, streams: map[*Stream]struct{}{}, late: map[*shard]struct{}{}, passed: map[uint64]struct{}{}, statuses: uint64(time.Now().UnixNano())}
}

// Await makes agents receive nothing while why returns a reason. Agents of earlier builds are exempt, since they follow at once. It must be
// called before Run.
func (r *Relay) Await(why func() string) { r.awaited = why }

// String names the task.
func (r *Relay) String() string { return "the channel to agents" }

// Ready is closed when agents receive the contents of the store.
func (r *Relay) Ready() <-chan struct{} { return r.ready }

// Streams returns the number of connected agents.
func (r *Relay) Streams() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.streams)
}

// Run follows the catalog until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	var last time.Time
	for {
		told, moved := r.step()
		if told {
			last = time.Now()
		}
		for waits := true; waits; {
			late := r.wakeLate(time.Now())
			select {
			case <-moved:
				waits = false
			case <-late:
			case <-ctx.Done():
				return nil
			}
		}
		if rest := min(Window, time.Duration(r.Streams())*perStream) - time.Since(last); rest > 0 {
			select {
			case <-time.After(rest):
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// Sync applies the current state of the catalog, so that Wanted is up to date.
func (r *Relay) Sync() { r.step() }

// step applies the changes since the previous step, and reports whether any agent may receive some. moved is closed at the next change.
func (r *Relay) step() (told bool, moved <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, moved := r.catalog.Snapshot()
	if known.Complete == 0 {
		return false, moved
	}
	g := changeSet{relay: r, updates: map[channel.Shard]*channel.Update{}}
	for c := range table.Changes(r.items, known.Items) {
		g.change(&c)
	}
	if r.legacy+g.legacy > 0 { // the next step finds the changes again
		r.gap = true
		return false, moved
	}
	r.legacy += g.legacy
	for key := range known.Deleted {
		g.addTransient(key, known.Items)
	}
	return r.carry(g.updates, known), moved
}

// carry applies the changes of a step.
func (r *Relay) carry(updates map[channel.Shard]*channel.Update, known catalog.Snapshot) (told bool) {
	first := r.seq == 0
	r.seq++
	r.mark.Revision, r.mark.Complete = uint64(known.Newest), uint64(known.Complete)
	if first {
		r.began = r.mark.Revision
	}
	r.addLandmark(known.Items.Get(record.Landmark))
	r.pass(known)
	moved := r.updateCounts(r.known, known)
	r.items, r.known = known.Items, known
	for _, name := range slices.Sorted(maps.Keys(updates)) {
		s, is := r.shards[name]
		if !is {
			s = r.shard(name)
			moved = moved || r.direct
		}
		s.apply(updates[name], r.seq, r.mark.Revision, first)
		r.wake(s, time.Now())
	}
	if moved {
		for st := range r.streams {
			st.notify()
		}
	}
	if first {
		close(r.ready)
	}
	return len(updates) > 0 && !first
}

// pass records a revision at which an agent of another netmaster may be, and from which it can continue here. After a list, no earlier
// revision qualifies: the store may have been restored.
func (r *Relay) pass(known catalog.Snapshot) {
	if known.Gap || r.gap {
		r.gap = false
		clear(r.passed)
		r.order = nil
	}
	for _, rev := range append(known.Passed, known.Complete) {
		if _, is := r.passed[uint64(rev)]; !is {
			r.passed[uint64(rev)] = struct{}{}
			r.order = append(r.order, uint64(rev))
		}
	}
	for len(r.order) > maxPassed {
		delete(r.passed, r.order[0])
		r.order = r.order[1:]
	}
}

// addLandmark remembers a new landmark.
func (r *Relay) addLandmark(item store.Item) {
	now := channel.Landmark{Text: string(item.Value), Revision: uint64(item.Revision)}
	if now == r.mark.Landmark || now.Text == "" {
		return
	}
	r.mark.Landmark = now
	r.landmarks = append(r.landmarks, now)
	r.landmarks = r.landmarks[max(0, len(r.landmarks)-maxLandmarks):]
}

// stale returns an error if the state may be old because the store has not answered for a while. Another netmaster may know more.
func (r *Relay) stale(now time.Time) error {
	why := r.away()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case why == "":
		r.lost = time.Time{}
	case r.lost.IsZero():
		r.lost = now
	case now.Sub(r.lost) >= staleAfter:
		return fmt.Errorf("this netmaster has lost %s", why)
	}
	return nil
}

// shard returns the shard with a name, and creates it if necessary.
func (r *Relay) shard(name channel.Shard) *shard {
	s := r.shards[name]
	if s == nil {
		s = newShard(name, r.began)
		r.shards[name] = s
	}
	return s
}

// changeSet has the updates of the shards in one step.
type changeSet struct {
	relay   *Relay
	updates map[channel.Shard]*channel.Update
	legacy  int
}

// change adds a change.
func (g *changeSet) change(c *table.Change[string, store.Item]) {
	if isLegacy(c.Key) {
		if c.Has && !c.Had {
			g.legacy++
		} else if !c.Has {
			g.legacy--
		}
		return
	}
	var before, after []channel.Shard
	if c.Had {
		before = shardsOf(c.Key, c.Before.Value)
	}
	if c.Has {
		after = shardsOf(c.Key, c.After.Value)
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			u := g.update(name)
			u.Gone = append(u.Gone, c.Key)
		}
	}
	if len(after) == 0 {
		return
	}
	value := valueForAgents(c.Key, c.After.Value)
	for _, name := range after {
		u := g.update(name)
		u.Items = append(u.Items, channel.Item{Key: c.Key, Value: value, Revision: uint64(c.After.Revision)})
	}
}

// addTransient adds the deletion of a key created and deleted since the last step: an agent may know the key from another netmaster.
func (g *changeSet) addTransient(key string, now *table.Table[string, store.Item]) {
	if _, was := g.relay.items.Lookup(key); was {
		return
	}
	if _, is := now.Lookup(key); is || isLegacy(key) {
		return
	}
	shards := shardsOf(key, nil)
	switch { // shards that depend on the deleted value
	case strings.HasPrefix(key, record.Networks):
		shards = append(shards, channel.Cluster)
	case strings.HasPrefix(key, record.Certificates):
		shards = append(shards, channel.Trust)
	case strings.HasPrefix(key, record.DockerNetworks):
		for name := range g.relay.shards {
			if strings.HasPrefix(string(name), string(channel.Host(""))) {
				shards = append(shards, name)
			}
		}
	}
	for _, name := range shards {
		u := g.update(name)
		u.Gone = append(u.Gone, key)
	}
}

func (g *changeSet) update(name channel.Shard) *channel.Update {
	u := g.updates[name]
	if u == nil {
		u = &channel.Update{Shard: name}
		g.updates[name] = u
	}
	return u
}

// isLegacy reports whether an earlier build kept a record under a key. A leader moves these records before anything else.
func isLegacy(key string) bool {
	for _, prefix := range []string{record.LegacyNetworks, record.LegacyEndpoints, record.LegacyGroups, record.LegacyServiceLBs, record.LegacyProviders,
		record.LegacyRules, record.LegacyAttachments} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// Package relay tells agents what concerns their hosts, out of the catalog: each change is encoded once, whoever is to hear of it, and what comes within
// a moment goes in one message. Every netmaster does this, so more of them serve more agents.
//
// A stream has no queue. It remembers how far it has told each shard, and finds what came since in the shard's log, or, when that no longer
// reaches back, begins again with a snapshot that it shares with others. So a slow agent costs no memory, and holds no one up.
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

// For how long changes are gathered, after one that went out at once: the longer the more agents there are, since each batch has a cost for each of them.
const (
	Window    = 10 * time.Millisecond // at the most
	perStream = 20 * time.Microsecond
)

// How much is remembered for agents that come from other netmasters.
const (
	maxLandmarks = 16      // those of an hour
	maxPassed    = 1 << 15 // revisions
)

// Relay keeps the shards. Its methods are safe for concurrent use.
type Relay struct {
	catalog     *catalog.Catalog
	incarnation string        // id of that of the store
	awaited     func() string // why agents are sent nothing yet; "": they are
	away        func() string // why the store does not answer; "" while it does
	ready       chan struct{}

	mu        sync.Mutex
	items     *table.Table[string, store.Item] // as told
	known     catalog.Snapshot                 // the same
	legacy    int                              // records of earlier builds; while there are some nothing is told
	seq       uint64                           // numbers the steps
	began     uint64                           // revision of the first
	mark      channel.Mark
	landmarks []channel.Landmark // that were the newest at times
	shards    map[channel.Shard]*shard
	endpoints map[tenantOnHost]int           // endpoints
	tenants   map[string]map[string]struct{} // that have endpoints on a host
	direct    bool                           // every host meets all tenants
	streams   map[*Stream]struct{}
	late      map[*shard]struct{} // whose streams have not been woken for the last change
	passed    map[uint64]struct{} // revisions up to which everything was known at a time
	order     []uint64            // of these, as they came
	gap       bool                // something may have been passed over since the last step
	lost      time.Time           // since when the store has not answered; zero while it does

	resent atomic.Uint64 // shards, since agents held something else
	log    *slog.Logger
}

// New makes a Relay of what a catalog knows of a store, by the id of its incarnation; Run makes it live. away says why the store does not answer, "" while it does.
func New(known *catalog.Catalog, incarnation string, away func() string, log *slog.Logger) *Relay {
	return &Relay{catalog: known, awaited: func() string { return "" }, incarnation: incarnation, mark: channel.Mark{Incarnation: incarnation}, away: away, log: log, ready: make(chan struct{}),
		items: table.New[string, store.Item](), shards: map[channel.Shard]*shard{}, endpoints: map[tenantOnHost]int{},
		tenants: map[string]map[string]struct{}{}, streams: map[*Stream]struct{}{}, late: map[*shard]struct{}{}, passed: map[uint64]struct{}{}}
}

// Await has agents sent nothing as long as why is not "", but for those of earlier builds, which follow at once. It is called before Run.
func (r *Relay) Await(why func() string) { r.awaited = why }

// String names the task.
func (r *Relay) String() string { return "the channel to agents" }

// Ready is closed when agents are told what there is.
func (r *Relay) Ready() <-chan struct{} { return r.ready }

// Streams is how many agents are told.
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

// Sync takes in what the catalog knows now, so that Wanted is up to date.
func (r *Relay) Sync() { r.step() }

// step takes in what has changed since the step before, and reports whether any agent may be to hear of it. moved is closed when there is more.
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
	if r.legacy+g.legacy > 0 { // what has changed is found again
		r.gap = true
		return false, moved
	}
	r.legacy += g.legacy
	for key := range known.Deleted {
		g.addTransient(key, known.Items)
	}
	return r.carry(g.updates, known), moved
}

// carry takes in the changes of a step.
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

// pass notes where an agent of another netmaster may be, to continue from there. After a list nothing from before it is such a place: the store may have
// been restored.
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

// addLandmark remembers a landmark that is new.
func (r *Relay) addLandmark(item store.Item) {
	now := channel.Landmark{Text: string(item.Value), Revision: uint64(item.Revision)}
	if now == r.mark.Landmark || now.Text == "" {
		return
	}
	r.mark.Landmark = now
	r.landmarks = append(r.landmarks, now)
	r.landmarks = r.landmarks[max(0, len(r.landmarks)-maxLandmarks):]
}

// stale says why what is known here may be old: the store has not answered for a while. Another netmaster may know more.
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

// shard is the shard of a name, which is made if there is none.
func (r *Relay) shard(name channel.Shard) *shard {
	s := r.shards[name]
	if s == nil {
		s = newShard(name, r.began)
		r.shards[name] = s
	}
	return s
}

// changeSet is what the changes of one step are to the shards.
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

// addTransient adds a key that has been deleted, if it was there neither before nor is now: an agent may know it from another netmaster.
func (g *changeSet) addTransient(key string, now *table.Table[string, store.Item]) {
	if _, was := g.relay.items.Lookup(key); was {
		return
	}
	if _, is := now.Lookup(key); is || isLegacy(key) {
		return
	}
	shards := shardsOf(key, nil)
	switch { // those that depend on what it was
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

// isLegacy tells a key under which an earlier build kept a record. A leader moves these before it does anything else.
func isLegacy(key string) bool {
	for _, prefix := range []string{record.LegacyNetworks, record.LegacyEndpoints, record.LegacyGroups, record.LegacyServiceLBs, record.LegacyProviders,
		record.LegacyRules, record.LegacyAttachments} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

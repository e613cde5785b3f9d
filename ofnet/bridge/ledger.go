package bridge

import (
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// account is one owner in the ledger.
type account struct {
	owner    ofnet.Key
	set      flow.Set // what the owner wants
	phase    Phase
	revision uint64
	err      string
	retryAt  time.Time     // when a failed owner is tried again
	backoff  time.Duration // the wait after the next failure
	rivalry  int           // places that a smaller owner has
}

// body is a flow without its Key.
type body struct {
	cookie  flow.Cookie
	actions flow.Actions
}

// ledger holds, place by place, what should be in the switch, who wants it, and what is believed to be there.
type ledger struct {
	accounts map[ofnet.Key]*account
	byNumber map[uint64]ofnet.Key // owners by the number in cookies
	pending  map[*account]struct{}
	failed   map[*account]struct{}
	flows    book[flow.Key, body]
	groups   book[uint32, flow.Group]
	meters   book[uint32, flow.Meter]
}

func newLedger() *ledger {
	return &ledger{
		accounts: map[ofnet.Key]*account{},
		byNumber: map[uint64]ofnet.Key{},
		pending:  map[*account]struct{}{},
		failed:   map[*account]struct{}{},
		flows:    newBook[flow.Key, body](),
		groups:   newBook[uint32, flow.Group](),
		meters:   newBook[uint32, flow.Meter](),
	}
}

// set replaces what owner wants. An owner that wants nothing any more is struck off.
func (l *ledger) set(owner ofnet.Key, want flow.Set, rev uint64) {
	a := l.accounts[owner]
	empty := len(want.Flows) == 0 && len(want.Groups) == 0 && len(want.Meters) == 0
	if a == nil {
		if empty {
			return
		}
		a = &account{owner: owner}
		l.accounts[owner] = a
		l.byNumber[flow.Owner(owner)] = owner
	}
	old := a.set
	a.set = want
	a.revision = rev
	l.move(a, Pending)
	a.err, a.backoff = "", 0
	replace(&l.flows, a, old.Flows, want.Flows, func(f *flow.Flow) (flow.Key, body) { return f.Key, body{f.Cookie, f.Actions} })
	replace(&l.groups, a, old.Groups, want.Groups, func(g *flow.Group) (uint32, flow.Group) { return g.ID, *g })
	replace(&l.meters, a, old.Meters, want.Meters, func(m *flow.Meter) (uint32, flow.Meter) { return m.ID, *m })
	if empty {
		delete(l.accounts, owner)
		delete(l.byNumber, flow.Owner(owner))
		delete(l.pending, a)
		delete(l.failed, a)
	}
}

// move puts an account into a phase.
func (l *ledger) move(a *account, p Phase) {
	delete(l.pending, a)
	delete(l.failed, a)
	switch p {
	case Pending:
		l.pending[a] = struct{}{}
	case Failed:
		l.failed[a] = struct{}{}
	}
	a.phase = p
}

// replace books new claims before it releases old ones, so that a place is never free in between.
func replace[T any, K, V comparable](b *book[K, V], a *account, old, want []T, entry func(*T) (K, V)) {
	for i := range want {
		k, v := entry(&want[i])
		b.claim(a, k, v)
	}
	if len(old) == 0 {
		return
	}
	keep := make(map[K]struct{}, len(want))
	for i := range want {
		k, _ := entry(&want[i])
		keep[k] = struct{}{}
	}
	for i := range old {
		if k, _ := entry(&old[i]); !contains(keep, k) {
			b.release(a, k)
		}
	}
}

func contains[K comparable](m map[K]struct{}, k K) bool {
	_, ok := m[k]
	return ok
}

// wake marks everything of an account as to be compared again.
func (l *ledger) wake(a *account) {
	for i := range a.set.Flows {
		l.flows.dirty[a.set.Flows[i].Key] = struct{}{}
	}
	for i := range a.set.Groups {
		l.groups.dirty[a.set.Groups[i].ID] = struct{}{}
	}
	for i := range a.set.Meters {
		l.meters.dirty[a.set.Meters[i].ID] = struct{}{}
	}
}

// observe records what the switch really has, and returns how many places differ from what was believed.
func (l *ledger) observe(have flow.Set) (drift int) {
	drift += observe(&l.flows, have.Flows, func(f *flow.Flow) (flow.Key, body) { return f.Key, body{f.Cookie, f.Actions} })
	drift += observe(&l.groups, have.Groups, func(g *flow.Group) (uint32, flow.Group) { return g.ID, *g })
	drift += observe(&l.meters, have.Meters, func(m *flow.Meter) (uint32, flow.Meter) { return m.ID, *m })
	return drift
}

// batch is a Delta with what to write down when the switch has carried it out.
type batch struct {
	delta  flow.Delta
	owners map[*account]bool // nil: entries that nobody wants
	flows  []flow.Key
	groups []uint32
	meters []uint32
}

// take makes a Delta of the dirty places that only admits, and clears their marks. Places of failed owners are left
// as they are, until wake. only gets nil for places that nobody wants.
func (l *ledger) take(only func(*account) bool) *batch {
	b := &batch{owners: map[*account]bool{}}
	var want, have flow.Set
	b.flows = l.flows.take(only, func(k flow.Key, c *cell[body]) {
		if c.wanted {
			want.Add(flow.Flow{Key: k, Cookie: c.want.cookie, Actions: c.want.actions})
		}
		if c.there {
			have.Add(flow.Flow{Key: k, Cookie: c.have.cookie, Actions: c.have.actions})
		}
		b.owners[c.owner] = true
	})
	b.groups = l.groups.take(only, func(_ uint32, c *cell[flow.Group]) {
		if c.wanted {
			want.AddGroup(c.want)
		}
		if c.there {
			have.AddGroup(c.have)
		}
		b.owners[c.owner] = true
	})
	b.meters = l.meters.take(only, func(_ uint32, c *cell[flow.Meter]) {
		if c.wanted {
			want.AddMeter(c.want)
		}
		if c.there {
			have.AddMeter(c.have)
		}
		b.owners[c.owner] = true
	})
	b.delta = flow.Diff(want, have)
	return b
}

// done writes down that the switch has carried out b.
func (l *ledger) done(b *batch) {
	d := &b.delta
	for _, list := range [][]flow.Flow{d.AddFlows, d.ModFlows} {
		for i := range list {
			l.flows.is(list[i].Key, body{list[i].Cookie, list[i].Actions})
		}
	}
	for i := range d.DelFlows {
		l.flows.gone(d.DelFlows[i].Key)
	}
	for _, list := range [][]flow.Group{d.AddGroups, d.ModGroups} {
		for i := range list {
			l.groups.is(list[i].ID, list[i])
		}
	}
	for i := range d.DelGroups {
		l.groups.gone(d.DelGroups[i].ID)
	}
	for _, list := range [][]flow.Meter{d.AddMeters, d.ModMeters} {
		for i := range list {
			l.meters.is(list[i].ID, list[i])
		}
	}
	for i := range d.DelMeters {
		l.meters.gone(d.DelMeters[i].ID)
	}
}

// again marks the places of b as dirty: the switch has not carried it out.
func (l *ledger) again(b *batch) {
	for _, k := range b.flows {
		l.flows.dirty[k] = struct{}{}
	}
	for _, k := range b.groups {
		l.groups.dirty[k] = struct{}{}
	}
	for _, k := range b.meters {
		l.meters.dirty[k] = struct{}{}
	}
}

// culprit finds who wants the refused entry; nil when nobody does.
func (l *ledger) culprit(r *Refusal) *account {
	switch {
	case r.Flow != nil:
		if c := l.flows.cells[r.Flow.Key]; c != nil {
			return c.owner
		}
	case r.Group != nil:
		if c := l.groups.cells[r.Group.ID]; c != nil {
			return c.owner
		}
	case r.Meter != nil:
		if c := l.meters.cells[r.Meter.ID]; c != nil {
			return c.owner
		}
	}
	return nil
}

// clean says that nothing waits to be sent.
func (l *ledger) clean() bool {
	return len(l.flows.dirty) == 0 && len(l.groups.dirty) == 0 && len(l.meters.dirty) == 0
}

// less orders owners; of two that want one place the smaller one gets it.
func less(a, b *account) bool {
	if a.owner.Kind != b.owner.Kind {
		return a.owner.Kind < b.owner.Kind
	}
	return strings.Compare(a.owner.Name, b.owner.Name) < 0
}

// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// body is a flow without its Key.
type body struct {
	cookie  flow.Cookie
	actions flow.Actions
}

// shadow holds, for each place, the desired content, its owner, and the recorded content of the switch.
type shadow struct {
	accounts map[ofnet.Key]*ownerState
	byNumber map[uint64]*ownerState // by the number in cookies
	pending  map[*ownerState]struct{}
	failed   map[*ownerState]struct{}
	flows    entryTable[flow.Key, body]
	groups   entryTable[uint32, flow.Group]
	meters   entryTable[uint32, flow.Meter]
	closed   bool // the first table stays empty until all others have their flows: apply leaves it out
}

// firstTable is the table that every packet enters first (OpenFlow 1.3.5 section 5.1).
const firstTable flow.TableID = 0

// forwardsNothing reports whether the switch has no flow in its first table, so that no packet passes it.
func (l *shadow) forwardsNothing() bool { return l.flows.inTable[firstTable] == 0 }

func newShadow() *shadow {
	return &shadow{
		accounts: map[ofnet.Key]*ownerState{},
		byNumber: map[uint64]*ownerState{},
		pending:  map[*ownerState]struct{}{},
		failed:   map[*ownerState]struct{}{},
		flows:    newEntryTable(func(b body) flow.Cookie { return b.cookie }, func(k flow.Key) flow.TableID { return k.Table }),
		groups:   newEntryTable[uint32, flow.Group](nil, nil),
		meters:   newEntryTable[uint32, flow.Meter](nil, nil),
	}
}

// set replaces what owner wants. An owner that wants nothing is removed.
func (l *shadow) set(owner ofnet.Key, want flow.Set, rev uint64) {
	a := l.accounts[owner]
	empty := len(want.Flows) == 0 && len(want.Groups) == 0 && len(want.Meters) == 0
	if a == nil {
		if empty {
			return
		}
		a = &ownerState{owner: owner}
		l.accounts[owner] = a
		l.byNumber[flow.Owner(owner)] = a
	}
	a.revision = rev
	l.move(a, Pending)
	a.failure = nil
	a.flows = replace(&l.flows, a, a.flows, want.Flows, flowEntry)
	groups := replace(&l.groups, a, a.groups(), want.Groups, groupEntry)
	a.hold(groups, replace(&l.meters, a, a.meters(), want.Meters, meterEntry))
	if empty {
		delete(l.accounts, owner)
		delete(l.byNumber, flow.Owner(owner))
		delete(l.pending, a)
		delete(l.failed, a)
	}
}

// behind returns the owner of a flow: the one that its cookie names or, if that is a part of an owner, the one that wants it; zero if there
// is none.
func (l *shadow) behind(f *flow.Flow) ofnet.Key {
	if a := l.byNumber[f.Cookie.Owner()]; a != nil {
		return a.owner
	}
	if c := l.flows.places.find(f.Key); c != nil && c.owner != nil && c.desired.cookie == f.Cookie {
		return c.owner.owner
	}
	return ofnet.Key{}
}

// move puts an owner into a phase.
func (l *shadow) move(a *ownerState, p Phase) {
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

// replace reserves new places before it releases old ones, so that a place is never free in between. It returns the places reserved now.
func replace[T any, K, V comparable](b *entryTable[K, V], a *ownerState, old []*entry[K, V], want []T, read func(*T) (K, V)) (now []*entry[K, V]) {
	if len(want) > 0 {
		now = make([]*entry[K, V], len(want))
	}
	for i := range want {
		k, v := read(&want[i])
		now[i] = b.reserve(a, k, v)
		now[i].seen = true
	}
	for _, c := range old {
		if !c.seen {
			b.release(a, c)
		}
	}
	for _, c := range now {
		c.seen = false
	}
	return now
}

// wake marks all places of an owner for comparison.
func (l *shadow) wake(a *ownerState) {
	for _, c := range a.flows {
		l.flows.mark(c)
	}
	for _, c := range a.groups() {
		l.groups.mark(c)
	}
	for _, c := range a.meters() {
		l.meters.mark(c)
	}
}

// observe records the switch's content of a share, as Switch.Dump lists it, and returns the number of places that differ from the recorded
// content. It records places that are not as they should be.
func (l *shadow) observe(have flow.Set, share flow.Share, n *warnings) (drift int) {
	drift += observe(&l.flows, have.Flows, share, flowEntry, func(c *entry[flow.Key, body]) { warning(n, c, sortFlows()) })
	if !share.First() {
		return drift
	}
	drift += observe(&l.groups, have.Groups, flow.Share{}, groupEntry, func(c *entry[uint32, flow.Group]) { warning(n, c, sortGroups()) })
	drift += observe(&l.meters, have.Meters, flow.Share{}, meterEntry, func(c *entry[uint32, flow.Meter]) { warning(n, c, sortMeters()) })
	return drift
}

func flowEntry(f *flow.Flow) (flow.Key, body)       { return f.Key, body{f.Cookie, f.Actions} }
func groupEntry(g *flow.Group) (uint32, flow.Group) { return g.ID, *g }
func meterEntry(m *flow.Meter) (uint32, flow.Meter) { return m.ID, *m }

// batch is a Delta with the places that it changes. A batch merged from pieces has no Delta.
type batch struct {
	delta  flow.Delta
	flows  changes[flow.Key, body]
	groups changes[uint32, flow.Group]
	meters changes[uint32, flow.Meter]
}

// apply makes a Delta of the dirty places that only admits, and clears their marks. Places of failed owners stay as they are until wake.
// only receives nil for places that no owner wants.
func (l *shadow) apply(only func(*ownerState) bool) *batch {
	b := &batch{
		flows: l.flows.add(func(c *entry[flow.Key, body]) bool {
			return only(c.owner) && !(l.closed && c.key.Table == firstTable)
		}),
		groups: l.groups.add(func(c *entry[uint32, flow.Group]) bool { return only(c.owner) }),
		meters: l.meters.add(func(c *entry[uint32, flow.Meter]) bool { return only(c.owner) }),
	}
	d := &b.delta
	d.AddFlows, d.ModFlows = flowsOf(b.flows.add), flowsOf(b.flows.mod)
	d.Part(func(k flow.Key) flow.Cookie { return l.flows.places.find(k).actual().cookie })
	d.DelFlows = make([]flow.Flow, len(b.flows.del))
	for i, x := range b.flows.del {
		was := x.entry.actual()
		d.DelFlows[i] = flow.Flow{Key: x.entry.key, Cookie: was.cookie, Actions: was.actions}
	}
	d.AddGroups, d.ModGroups, d.DelGroups = newValues(b.groups.add), newValues(b.groups.mod), oldValues(b.groups.del)
	d.AddMeters, d.ModMeters, d.DelMeters = newValues(b.meters.add), newValues(b.meters.mod), oldValues(b.meters.del)
	d.Order()
	return b
}

// applyMeters is apply for new meters only.
func (l *shadow) applyMeters() *batch {
	b := &batch{meters: l.meters.add(func(c *entry[uint32, flow.Meter]) bool { return c.owner != nil && !c.there })}
	b.delta.AddMeters = newValues(b.meters.add)
	return b
}

func flowsOf(list []change[flow.Key, body]) []flow.Flow {
	out := make([]flow.Flow, len(list))
	for i := range list {
		out[i] = flow.Flow{Key: list[i].entry.key, Cookie: list[i].to.cookie, Actions: list[i].to.actions}
	}
	return out
}

func newValues[K, V comparable](list []change[K, V]) []V {
	out := make([]V, len(list))
	for i := range list {
		out[i] = list[i].to
	}
	return out
}

func oldValues[K, V comparable](list []change[K, V]) []V {
	out := make([]V, len(list))
	for i := range list {
		out[i] = list[i].entry.actual()
	}
	return out
}

// owners lists the owners of the batch; nil stands for entries that no owner wants.
func (b *batch) owners() []*ownerState {
	seen := map[*ownerState]bool{}
	for x := range b.flows.each {
		seen[x.entry.owner] = true
	}
	for x := range b.groups.each {
		seen[x.entry.owner] = true
	}
	for x := range b.meters.each {
		seen[x.entry.owner] = true
	}
	return slices.Collect(maps.Keys(seen))
}

// merge appends the places of o, without its Delta.
func (b *batch) merge(o *batch) {
	b.flows.merge(&o.flows)
	b.groups.merge(&o.groups)
	b.meters.merge(&o.meters)
}

// len counts the changes.
func (b *batch) len() int { return b.flows.len() + b.groups.len() + b.meters.len() }

// done records that the switch has carried out b.
func (l *shadow) done(b *batch) {
	l.flows.done(&b.flows)
	l.groups.done(&b.groups)
	l.meters.done(&b.meters)
}

// again marks the places of b: the switch has not carried it out.
func (l *shadow) again(b *batch) {
	l.flows.again(&b.flows)
	l.groups.again(&b.groups)
	l.meters.again(&b.meters)
}

// atFault returns the owner that wants the refused entry, or nil.
func (l *shadow) atFault(r *Refusal) *ownerState {
	switch {
	case r.Flow != nil:
		if c := l.flows.places.find(r.Flow.Key); c != nil {
			return c.owner
		}
	case r.Group != nil:
		if c := l.groups.places.find(r.Group.ID); c != nil {
			return c.owner
		}
	case r.Meter != nil:
		if c := l.meters.places.find(r.Meter.ID); c != nil {
			return c.owner
		}
	}
	return nil
}

// clean reports whether nothing waits to be sent.
func (l *shadow) clean() bool { return l.flows.clean() && l.groups.clean() && l.meters.clean() }

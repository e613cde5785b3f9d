// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Kind is a kind of entry in a switch.
type Kind string

// The kinds.
const (
	KindFlow  Kind = "flow"
	KindGroup Kind = "group"
	KindMeter Kind = "meter"
)

// Difference is one entry that the switch did not hold as it should, although the Reconciler had sent it.
type Difference struct {
	At    time.Time
	Kind  Kind
	Owner ofnet.Key // the owner that wants it, or whose cookie it has; zero: none
	Was   *Entry    // the entry found; nil: it was missing
	Want  *Entry    // the desired entry; nil: none
}

// Entry is an entry of a switch: exactly one field is set.
type Entry struct {
	Flow  *flow.Flow
	Group *flow.Group
	Meter *flow.Meter
}

// Text is the entry as ovs-ofctl prints it, with the names of tables.
func (e *Entry) Text(names flow.Tables) string {
	switch {
	case e.Flow != nil:
		return e.Flow.Text(names)
	case e.Group != nil:
		return e.Group.Text(names)
	case e.Meter != nil:
		return e.Meter.String()
	}
	return ""
}

// maxKept is the number of differences kept.
const maxKept = 256

// warnings collects the differences that one comparison finds.
type warnings struct {
	at       time.Time
	byNumber func(number uint64) ofnet.Key
	hold     bool // do not repair them
	list     []Difference
	counts   map[Kind]uint64
}

// sort describes how a kind of entries is reported.
type sort[K, V comparable] struct {
	name  Kind
	entry func(K, V) *Entry
	owner func(V) uint64 // number of the owner that an entry names; 0: none
}

func sortFlows() sort[flow.Key, body] {
	return sort[flow.Key, body]{KindFlow,
		func(k flow.Key, b body) *Entry {
			return &Entry{Flow: &flow.Flow{Key: k, Cookie: b.cookie, Actions: b.actions}}
		},
		func(b body) uint64 { return b.cookie.Owner() }}
}

func sortGroups() sort[uint32, flow.Group] {
	return sort[uint32, flow.Group]{KindGroup, func(_ uint32, g flow.Group) *Entry { return &Entry{Group: &g} }, func(flow.Group) uint64 { return 0 }}
}

func sortMeters() sort[uint32, flow.Meter] {
	return sort[uint32, flow.Meter]{KindMeter, func(_ uint32, m flow.Meter) *Entry { return &Entry{Meter: &m} }, func(flow.Meter) uint64 { return 0 }}
}

// warning records a place that is not as it should be.
func warning[K, V comparable](n *warnings, c *entry[K, V], s sort[K, V]) {
	if !c.differs() {
		return
	}
	if n.hold {
		c.dirty = false
	}
	n.counts[s.name]++
	if len(n.list) >= maxKept {
		return
	}
	d := Difference{At: n.at, Kind: s.name}
	if c.there {
		was := c.actual()
		d.Was = s.entry(c.key, was)
		d.Owner = n.byNumber(s.owner(was))
	}
	if c.wanted() {
		d.Want = s.entry(c.key, c.desired)
		d.Owner = c.owner.owner
		if k := n.byNumber(s.owner(c.desired)); k != (ofnet.Key{}) {
			d.Owner = k // flows of rules belong to a tier and are reported by rule
		}
	}
	n.list = append(n.list, d)
}

// warnings returns an empty list. The caller holds the lock.
func (r *Reconciler) warnings(hold bool) *warnings {
	var rules map[uint64]ofnet.Key // filled at the first difference
	return &warnings{at: time.Now(), hold: hold, counts: map[Kind]uint64{}, byNumber: func(number uint64) ofnet.Key {
		if number == 0 {
			return ofnet.Key{}
		}
		if rules == nil {
			rules = r.ruleNumbers()
		}
		return r.ownerOf(number, rules)
	}}
}

// order sorts the list: flows as tables list them, then groups, then meters.
func (n *warnings) order() {
	slices.SortStableFunc(n.list, func(a, b Difference) int {
		x, y := cmp.Or(a.Want, a.Was), cmp.Or(b.Want, b.Was)
		switch {
		case a.Kind != b.Kind:
			return strings.Compare(string(a.Kind), string(b.Kind))
		case x.Flow != nil:
			return x.Flow.Compare(y.Flow.Key)
		case x.Group != nil:
			return cmp.Compare(x.Group.ID, y.Group.ID)
		}
		return cmp.Compare(x.Meter.ID, y.Meter.ID)
	})
}

// keep records the result of a comparison. The caller holds the lock.
func (r *Reconciler) keep(n *warnings) {
	n.order()
	r.drifted = append(r.drifted, n.list...)
	if extra := len(r.drifted) - maxKept; extra > 0 {
		r.drifted = slices.Delete(r.drifted, 0, extra)
	}
	for name, count := range n.counts {
		r.driftOf[name] += count
	}
}

// Drifted lists the latest differences that comparisons found, the oldest first.
func (r *Reconciler) Drifted() []Difference {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.drifted)
}

// DriftByKind counts the differences that comparisons found, since the Reconciler was made.
func (r *Reconciler) DriftByKind() map[Kind]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[Kind]uint64{KindFlow: 0, KindGroup: 0, KindMeter: 0}
	maps.Copy(out, r.driftOf)
	return out
}

// errBusy is returned by Check if the switch is changed all the time.
var errBusy = errors.New("the switch is being changed all the time; ask again")

// Check compares the switch with the desired state and changes neither the switch nor the list of Drifted. Changes in flight are no
// difference. It blocks for a dump of the switch.
func (r *Reconciler) Check(ctx context.Context) ([]Difference, error) {
	const tries = 5
	for range tries {
		before := r.Counters()
		sw, err := r.answering()
		if err != nil {
			return nil, err
		}
		have, err := sw.Dump(ctx, flow.Share{})
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		if r.counters.Bundles != before.Bundles || r.sending {
			r.mu.Unlock()
			continue // the dump may be older
		}
		n := r.warnings(false)
		l := r.shadow
		check(&l.flows, have.Flows, flowEntry, n, sortFlows())
		check(&l.groups, have.Groups, groupEntry, n, sortGroups())
		check(&l.meters, have.Meters, meterEntry, n, sortMeters())
		r.mu.Unlock()
		n.order()
		return n.list, nil
	}
	return nil, errBusy
}

// check records the places of a table at which list is not as it should be.
func check[T any, K, V comparable](b *entryTable[K, V], list []T, read func(*T) (K, V), n *warnings, s sort[K, V]) {
	seen := make(map[K]struct{}, len(list))
	for i := range list {
		k, v := read(&list[i])
		seen[k] = struct{}{}
		found := entry[K, V]{key: k}
		if c := b.places.find(k); c != nil {
			if c.dirty || c.owner.aside() {
				continue
			}
			found = *c
		}
		found.have(v, true)
		warning(n, &found, s)
	}
	for c := range b.places.all {
		if _, ok := seen[c.key]; ok || c.dirty || c.owner.aside() {
			continue
		}
		found := *c
		var none V
		found.have(none, false)
		warning(n, &found, s)
	}
}

// Repair compares and repairs all differences now, even if Options.Observe is set. It blocks until the repair has passed the switch's
// barrier, or ctx ends.
func (r *Reconciler) Repair(ctx context.Context) error {
	if _, err := r.answering(); err != nil {
		return err
	}
	done := make(chan struct{})
	r.mu.Lock()
	r.synced = false
	r.repairs = append(r.repairs, done)
	r.mu.Unlock()
	r.wakeUp()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// repaired wakes the callers of Repair once the repair is complete.
func (r *Reconciler) repaired() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.synced {
		return // another repair was requested meanwhile
	}
	for _, done := range r.repairs {
		close(done)
	}
	r.repairs = nil
}

// remark marks all places that are not as they should be, including those left unrepaired.
func (l *shadow) remark() {
	for c := range l.flows.places.all {
		l.flows.update(c)
	}
	for c := range l.groups.places.all {
		l.groups.update(c)
	}
	for c := range l.meters.places.all {
		l.meters.update(c)
	}
}

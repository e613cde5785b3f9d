// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// errLost means that the connection has ended.
var errLost = errors.New("connection closed")

// unsync makes the next sync compare with the switch.
func (r *Reconciler) unsync() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.synced = false
}

// isFresh reports whether a comparison has finished since its last call.
func (r *Reconciler) isFresh() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := r.fresh
	r.fresh = false
	return fresh
}

// sync does everything that is due: it compares, applies changes and retries failures. After an error the connection is unusable.
func (r *Reconciler) sync(ctx context.Context) error {
	r.mu.Lock()
	ready, synced, sw := r.complete, r.synced, r.sw
	r.mu.Unlock()
	if !ready {
		return nil // the switch's flows may be right: the State is not complete yet
	}
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	if !synced {
		if err := r.compare(ctx, sw); err != nil {
			return err
		}
	}
	return r.send(ctx, sw)
}

// send sends pending changes and retries refused owners that are due.
func (r *Reconciler) send(ctx context.Context, sw Switch) error {
	r.setSending(true)
	defer r.setSending(false)
	if err := r.flush(ctx, sw); err != nil {
		return err
	}
	return r.retry(ctx, sw)
}

// setSending records whether changes may be in flight.
func (r *Reconciler) setSending(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sending = yes
}

// compileTouched brings the shadow table up to date with the State, for the owners that were touched.
func (r *Reconciler) compileTouched() {
	keys := make([]ofnet.Key, 0, len(r.touched))
	for k := range r.touched {
		keys = append(keys, k)
	}
	for part := range slices.Chunk(keys, manyOwners) { // compiled flows occupy memory until they are in the table
		r.compile(part)
	}
	if len(keys) >= manyOwners {
		r.touched = map[ofnet.Key]struct{}{} // an empty map keeps its memory
	}
}

// compile brings the shadow table up to date with the State, for the owners with the keys.
func (r *Reconciler) compile(keys []ofnet.Key) {
	const few = 256 // fewer are not worth a goroutine
	sets := make([]flow.Set, len(keys))
	part := func(from, to int) {
		for i := from; i < to; i++ {
			sets[i] = r.compiler.Compile(r.state, keys[i])
		}
	}
	size := max(few, len(keys)/runtime.GOMAXPROCS(0)+1)
	var workers sync.WaitGroup
	at := 0
	for ; at+size < len(keys); at += size {
		from := at
		workers.Go(func() { part(from, from+size) })
	}
	part(at, len(keys))
	workers.Wait()
	for i, k := range keys {
		delete(r.touched, k)
		r.shadow.set(k, sets[i], r.latest)
		if len(sets[i].Flows) == 0 {
			r.dropGuard(k)
		}
	}
}

// flush sends dirty entries until none is left, and advances the revision.
func (r *Reconciler) flush(ctx context.Context, sw Switch) error {
	for {
		r.mu.Lock()
		if len(r.touched) >= manyOwners {
			meters := r.ownMeters()
			pieces := r.inPieces()
			r.mu.Unlock()
			if err := r.sendMeters(ctx, sw, meters); err != nil {
				return err
			}
			if err := r.stream(ctx, sw, pieces); err != nil {
				return err
			}
			continue // with changes and refusals of the meantime
		}
		r.compileTouched()
		rev, era := r.latest, r.era
		gone := r.drainForgotten()
		b := r.shadow.apply(func(*ownerState) bool { return true })
		r.mu.Unlock()
		refused, err := r.apply(ctx, sw, b)
		if err != nil || refused {
			r.keepForgotten(gone)
		}
		if err != nil {
			return err
		}
		if refused {
			continue // the owners at fault are set aside, and the other entries are dirty again
		}
		// Their flows are gone, so they are not recorded again, and the change has not been reported as done.
		if err := r.sendForgotten(ctx, sw, gone); err != nil {
			return err
		}
		r.mu.Lock()
		r.markDone()
		if era == r.era && rev > r.passed {
			r.passed, r.passedAt = rev, time.Now()
			announce(&r.progress)
		}
		again := len(r.touched) > 0 || !r.shadow.clean()
		r.mu.Unlock()
		if !again {
			return nil
		}
	}
}

// markDone sets the phase of every owner without pending changes to Done.
func (r *Reconciler) markDone() {
	if len(r.touched) > 0 || !r.shadow.clean() {
		return // the next round marks the others
	}
	for a := range r.shadow.pending {
		r.shadow.move(a, Done)
		r.dropGuard(a.owner)
	}
	announce(&r.outcomes)
}

// announce wakes the waiters of a channel by closing it. The caller holds the lock that guards the channel.
func announce(c *chan struct{}) {
	close(*c)
	*c = make(chan struct{})
}

// apply sends one batch. If the switch refuses it, the owners at fault become Failed, all other entries are dirty again and refused is
// true. An error means that the connection failed.
func (r *Reconciler) apply(ctx context.Context, sw Switch, b *batch) (refused bool, err error) {
	if b.delta.Empty() {
		select {
		case <-sw.Done(): // with nothing to send, nothing else detects this
			return false, errLost
		default:
		}
		return false, nil
	}
	return r.applied(ctx, sw, b, sw.Apply(ctx, &b.delta))
}

// applied handles the switch's answer to a batch, as described for apply.
func (r *Reconciler) applied(ctx context.Context, sw Switch, b *batch, err error) (refused bool, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var no *RefusedError
	switch {
	case err == nil:
		r.shadow.done(b)
		r.counters.Bundles++
		r.counters.FlowMods += uint64(b.len())
		return false, nil
	case !errors.As(err, &no):
		r.shadow.again(b)
		r.synced = false // it is unknown how much of it the switch has carried out
		return false, fmt.Errorf("apply %d changes: %w", b.len(), err)
	}
	r.counters.Refused++
	r.shadow.again(b)
	found := false
	for i := range no.Refusals {
		if a := r.shadow.atFault(&no.Refusals[i]); a != nil && !a.aside() {
			r.fail(a, no.Refusals[i].String())
			found = true
		}
	}
	if found {
		return true, nil
	}
	return true, r.halve(ctx, sw, b, no)
}

// fail sets an owner aside until its next attempt.
func (r *Reconciler) fail(a *ownerState, why string) {
	if r.shadow.accounts[a.owner] != a {
		return // removed while its flows were in flight
	}
	wait := r.options.RetryFirst
	if a.failure != nil {
		wait = min(2*a.failure.backoff, r.options.MaxRetry)
	}
	r.shadow.move(a, Failed)
	a.failure = &failure{err: why, backoff: wait, retryAt: time.Now().Add(wait)}
	r.options.Log.Warn("switch refused an owner's flows", "owner", a.owner.String(), "error", why, "retry", wait)
	r.putGuard(a.owner)
	announce(&r.outcomes)
}

// halve finds an owner at fault if the switch did not name an entry: it sends the batch owner by owner, in halves. It is called and returns
// with the lock held.
func (r *Reconciler) halve(ctx context.Context, sw Switch, b *batch, why error) error {
	owners := b.owners()
	if len(owners) == 1 {
		if owners[0] == nil {
			// The switch refuses a deletion. Clearing the marks leaves it to the next comparison.
			r.shadow.apply(func(a *ownerState) bool { return a == nil })
			r.options.Log.Error("switch refused to delete", "error", why)
			return nil
		}
		r.fail(owners[0], why.Error())
		return nil
	}
	for _, half := range [][]*ownerState{owners[:len(owners)/2], owners[len(owners)/2:]} {
		part := r.shadow.apply(func(a *ownerState) bool { return slices.Contains(half, a) })
		r.mu.Unlock()
		_, err := r.apply(ctx, sw, part)
		r.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

// retry sends each failed owner that is due by itself.
func (r *Reconciler) retry(ctx context.Context, sw Switch) error {
	for {
		r.mu.Lock()
		now := time.Now()
		var due *ownerState
		for a := range r.shadow.failed {
			if !a.failure.retryAt.After(now) {
				due = a
				break
			}
		}
		if due == nil {
			r.mu.Unlock()
			return nil
		}
		due.failure.trying = true
		r.shadow.wake(due)
		b := r.shadow.apply(func(a *ownerState) bool { return a == due })
		r.mu.Unlock()
		refused, err := r.apply(ctx, sw, b)
		if err != nil {
			return err
		}
		r.mu.Lock()
		switch {
		case refused:
			if due.trying() {
				r.fail(due, due.failure.err) // another owner was at fault: this one waits again
			}
			// Entries that apply marked again belong to a failed owner, which waits for its next attempt.
			r.shadow.apply(func(a *ownerState) bool { return a == due })
		case due.trying() && r.shadow.accounts[due.owner] == due:
			r.shadow.move(due, Done)
			due.failure = nil
			r.dropGuard(due.owner)
			r.options.Log.Info("switch accepted an owner's flows after a refusal", "owner", due.owner.String())
		}
		r.mu.Unlock()
	}
}

// Owner returns the status of one owner; ok is false if it wants nothing.
func (r *Reconciler) Owner(k ofnet.Key) (st OwnerStatus, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.shadow.accounts[k]
	if a == nil {
		_, waits := r.touched[k]
		return OwnerStatus{Owner: k, Phase: Pending, Revision: r.latest}, waits
	}
	return r.status(a), true
}

// Outcome blocks while an owner's flows are in flight and then returns the same as Owner. It returns an error if ctx ends first.
func (r *Reconciler) Outcome(ctx context.Context, k ofnet.Key) (st OwnerStatus, ok bool, err error) {
	for {
		r.mu.Lock()
		outcomes := r.outcomes
		r.mu.Unlock()
		if st, ok = r.Owner(k); !ok || st.Phase != Pending {
			return st, ok, nil
		}
		select {
		case <-outcomes:
		case <-ctx.Done():
			return st, ok, fmt.Errorf("the flows of %s are not in the switch yet: %w", k, ctx.Err())
		}
	}
}

func (r *Reconciler) status(a *ownerState) OwnerStatus {
	st := OwnerStatus{Owner: a.owner, Phase: a.phase, Revision: a.revision, Flows: len(a.flows)}
	if a.failure != nil {
		st.Err = a.failure.err
	}
	if a.conflicts > 0 && a.phase == Done {
		st.Phase = Failed
		st.Err = fmt.Sprintf("%d entries have the same table, priority and match as those of another owner", a.conflicts)
	}
	return st
}

// Status lists all owners that want something, sorted.
func (r *Reconciler) Status() []OwnerStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*ownerState, 0, len(r.shadow.accounts))
	for _, a := range r.shadow.accounts {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *ownerState) int {
		if less(a, b) {
			return -1
		}
		return 1
	})
	out := make([]OwnerStatus, len(list))
	for i, a := range list {
		out[i] = r.status(a)
	}
	return out
}

// Summary is the state in a few numbers.
func (r *Reconciler) Summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Summary{Connected: r.sw != nil && r.sw.Silent() == 0, Revision: r.passed, Passed: r.passedAt, Owners: len(r.shadow.accounts)}
	for _, a := range r.shadow.accounts {
		s.Flows += len(a.flows)
		s.Groups += len(a.groups())
		s.Meters += len(a.meters())
		switch r.status(a).Phase {
		case Pending:
			s.Pending++
		case Failed:
			s.Failed++
		}
	}
	for k := range r.touched {
		if r.shadow.accounts[k] == nil {
			s.Pending++
		}
	}
	return s
}

// Counters returns the totals so far.
func (r *Reconciler) Counters() Counters {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counters
}

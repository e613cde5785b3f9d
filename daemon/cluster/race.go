// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// The times of the race.
const (
	retryPause       = 200 * time.Millisecond // after an outage of the store
	contendPause     = time.Second            // after a failed lead, and between checks without an event
	resignTime       = 2 * time.Second        // to release the lock
	successorTimeout = time.Second            // how long the others leave the lock to a successor

	// The first attempt to change the lock has the limit shortAttempt, and every further one twice the time up to longAttempt. The death of
	// a leader is often the death of a member of the store: a request of that moment may never be answered, and a retry is quicker than
	// waiting. Every change is guarded, so a retry is safe.
	shortAttempt = 250 * time.Millisecond
	longAttempt  = 4 * time.Second
)

// Run contends until ctx ends, releases the lock if it has it, and returns nil.
func (c *candidate) Run(ctx context.Context) error {
	e := c.Election
	r := &race{Election: e, does: c.lead, attempt: shortAttempt, log: e.c.Log.With("id", e.c.ID)}
	sightings := make(chan sighting)
	wctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { e.watch(wctx, sightings) })
	defer wg.Wait()
	defer cancel()
	defer r.work.Wait()
	defer r.stopProbe()
	timer := time.NewTimer(contendPause)
	defer timer.Stop()
	for {
		var probed <-chan struct{}
		if r.probe != nil {
			probed = r.probe.dead
		}
		var ended <-chan struct{}
		if r.lead != nil {
			ended = r.lead.ended
		}
		select {
		case <-ctx.Done():
			r.resign(ctx)
			return nil
		case s := <-sightings:
			r.see(s)
		case <-probed:
			r.stopProbe()
			r.expiring = r.lock.Created
		case <-ended:
			r.resign(ctx)
			r.notBefore = time.Now().Add(contendPause)
		case o := <-r.orders:
			o.done <- r.stepDown(ctx, o.successor)
		case <-timer.C:
		}
		timer.Reset(r.act(ctx))
	}
}

// vacant is the reason of a term whose lock was free.
const vacant = "the lock was free: given back, expired, or never taken"

// race is the state of the goroutine of Run.
type race struct {
	*Election
	does      Lead
	log       *slog.Logger
	seen      bool // the store has answered
	at        store.Revision
	lock      store.Item
	notBefore time.Time // earliest time to contend
	attempt   time.Duration
	expiring  store.Revision // the term whose leader is known to be dead
	why       string         // why the lock was taken away; "": this process did not do it
	successor Successor      // the latest
	ended     store.Revision // the term that ended by itself, so that the lock is free; 0: none
	free      time.Time      // since when
	lead      *lead
	excluded  string // why this process may not lead; "": it may
	probe     *prober
	work      sync.WaitGroup // ending leases
}

// brief returns a context for one attempt to change the lock.
func (r *race) brief(ctx context.Context) (context.Context, func()) {
	return context.WithTimeout(ctx, r.attempt)
}

// tried sets the time of the next attempt by the outcome of one.
func (r *race) tried(err error) {
	if err == nil || errors.Is(err, store.ErrConflict) {
		r.attempt = shortAttempt
	} else {
		r.attempt = min(2*r.attempt, longAttempt)
	}
}

// starve records whether an attempt failed because the store has used up its quota, which is logged once.
func (r *race) starve(err error) (full bool) {
	full = errors.Is(err, store.ErrNoSpace)
	if full != r.starved.Swap(full) && full {
		r.log.Error("no netmaster can lead until the store has space again", "error", err)
	}
	return full
}

func (r *race) see(s sighting) {
	if s.at < r.at {
		return // older than this process's own change
	}
	if r.lock.Key != "" && s.lock.Key == "" {
		r.ended, r.free = r.lock.Created, time.Now()
	}
	r.seen, r.at, r.lock, r.successor = true, s.at, s.lock, s.successor
}

// bar checks whether this process may lead, and logs a change.
func (r *race) bar() (barred bool) {
	was := r.excluded
	switch r.excluded = r.c.Excluded(); {
	case r.excluded != "" && was == "":
		r.log.Error("this process no longer leads", "reason", r.excluded)
	case r.excluded == "" && was != "":
		r.log.Info("this process may lead again")
	}
	return r.excluded != ""
}

// act acts on the last seen state of the lock and returns the maximum time until the next check.
func (r *race) act(ctx context.Context) time.Duration {
	if !r.seen || ctx.Err() != nil {
		return contendPause
	}
	if r.bar() {
		r.resign(ctx)
	}
	if r.lead != nil {
		if r.lock.Key != "" && r.lock.Created == r.lead.term.Fence.Created {
			r.follow("")
			return contendPause
		}
		r.log.Warn("lost leadership: another process has the lock")
		r.resign(ctx)
	}
	holder := string(r.lock.Value)
	r.set(Holder{Address: holder, Created: r.lock.Created, Revision: r.lock.Revision}, nil)
	if r.excluded != "" {
		r.follow("")
		return contendPause
	}
	reason := ""
	switch {
	case holder == r.c.ID:
		reason = "it names this process, which has restarted"
	case holder != "" && r.lock.Created == r.expiring:
		reason = "the leader's process is dead"
	}
	if reason != "" {
		if err := r.evict(ctx, reason); err != nil {
			return retryPause / 4
		}
		if r.lock.Key != "" {
			return contendPause // it changed meanwhile: the watch will report it
		}
		holder = ""
	}
	if holder != "" {
		r.why = ""
		r.follow(holder)
		return contendPause
	}
	r.follow("")
	if wait := max(time.Until(r.notBefore), r.courtesy()); wait > 0 {
		return wait
	}
	err := r.acquire(ctx)
	if r.starve(err) {
		return contendPause
	}
	if err != nil && ctx.Err() == nil {
		if r.attempt > 4*shortAttempt {
			r.log.Warn("cannot contend for leadership", "error", err)
		}
		return retryPause / 4
	}
	return contendPause
}

// evict deletes the lock if it is still in the last seen state.
func (r *race) evict(ctx context.Context, why string) error {
	r.stopProbe()
	var tx store.Tx
	tx.Require(r.c.Key, r.lock.Revision)
	tx.Delete(r.c.Key)
	bctx, cancel := r.brief(ctx)
	defer cancel()
	rev, err := r.c.Store.Commit(bctx, &tx)
	r.tried(err)
	switch {
	case err == nil:
		r.log.Info("removed the leader's lock", "holder", string(r.lock.Value), "reason", why)
		r.at, r.lock, r.why, r.ended = rev, store.Item{}, why, 0
	case errors.Is(err, store.ErrConflict):
		return nil // the watch will report it
	case ctx.Err() == nil:
		r.log.Warn("cannot remove the leader's lock", "error", err)
	}
	return err
}

// acquire takes the lock if it is free and starts the term. Losing against another process is no error.
func (r *race) acquire(ctx context.Context) error {
	bctx, cancel := r.brief(ctx)
	defer cancel()
	lease, err := r.c.Store.Grant(bctx, r.c.TTL)
	if err != nil {
		r.tried(err)
		return err
	}
	var tx store.Tx
	tx.Require(r.c.Key, 0)
	tx.PutLeased(r.c.Key, []byte(r.c.ID), lease)
	rev, err := r.c.Store.Commit(bctx, &tx)
	r.tried(err)
	if err != nil {
		// After an unknown outcome the lock may still be ours: then the watch shows it and act takes it over.
		r.work.Go(func() { r.end(ctx, lease) })
		if errors.Is(err, store.ErrConflict) {
			return nil
		}
		return err
	}
	r.at, r.lock = rev, store.Item{Key: r.c.Key, Value: []byte(r.c.ID), Revision: rev, Created: rev}
	r.begin(ctx, lease, Term{Leader: r.c.ID, Since: time.Now(), Fence: store.Fence{Key: r.c.Key, Created: rev}, Why: cmp.Or(r.why, r.bequest(), vacant)})
	r.why, r.ended = "", 0
	return nil
}

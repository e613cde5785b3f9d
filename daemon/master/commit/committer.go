// SPDX-License-Identifier: Apache-2.0

// Package commit turns requests into store transactions. Requests that arrive while a transaction is in flight share the next one, so that
// a busy master pays one durable write for many endpoints.
package commit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/tracing"
)

// Limits of one transaction, below what stores permit, so that no single one delays the others for long.
const (
	maxRequests   = 64
	commitTimeout = 10 * time.Second // how long the store may take for one transaction
	stuckTimeout  = 15 * time.Second // how long requests may compute, and the store take, before another netmaster should try
	fullPause     = time.Second      // before the first requests of a term are retried in a store that has used up its quota
)

// Committer is the only writer of a master's decisions. It works while Run does.
type Committer struct {
	db      store.Store
	catalog *catalog.Catalog
	keep    history.Keep
	log     *slog.Logger
	queue   chan *request
	trying  chan struct{} // holds one token while a Try computes
	term    atomic.Pointer[term]
	last    atomic.Uint64 // revision of the last fenced write
	stats   Stats
	full    atomic.Bool   // the store has used up its quota
	stuck   time.Duration // how long a batch may take before the term ends
}

// Stats counts committed transactions and failures.
type Stats struct {
	Transactions atomic.Uint64 // committed
	Requests     atomic.Uint64 // carried by them
	Bytes        atomic.Uint64 // keys and values
	Failed       atomic.Uint64 // transactions that were not committed
	Stale        atomic.Uint64 // those of them that the fence rejected: this master no longer led
}

// term is one run of the committer; over is closed at its end.
type term struct {
	over chan struct{}
	turn *turn
}

type result struct {
	rev store.Revision
	err error
}

// New returns a committer, which also writes the history; keep bounds that.
func New(db store.Store, c *catalog.Catalog, keep history.Keep, log *slog.Logger) *Committer {
	return &Committer{db: db, catalog: c, keep: keep.WithDefaults(), log: log, queue: make(chan *request, 4*maxRequests), trying: make(chan struct{}, 1), stuck: stuckTimeout}
}

// Stats returns the counters.
func (c *Committer) Stats() *Stats { return &c.stats }

// Limits returns the limits of one transaction.
func (c *Committer) Limits() store.Limits { return c.db.Limits() }

// LastWrite returns the revision of the last fenced write, 0 before the first.
func (c *Committer) LastWrite() uint64 { return c.last.Load() }

// Do runs fn in a transaction of its own and returns the revision of the change, or of the view if fn changes nothing. It blocks until the
// change is durable or ctx ends; the error then states whether the outcome is unknown, or the request was never in a transaction. fn must
// not block.
func (c *Committer) Do(ctx context.Context, fn func(*Tx) error) (store.Revision, error) {
	return c.do(ctx, fn, exclusive)
}

// InTurn is Do for requests that may share a transaction, but none that writes a key that another writes: as if each had a transaction of
// its own, in order of arrival. fn may be called again if its transaction turns out to have no space for it.
func (c *Committer) InTurn(ctx context.Context, fn func(*Tx) error) (store.Revision, error) {
	return c.do(ctx, fn, inTurn)
}

// Join is Do for requests that may share a transaction in any order, each of which sees the changes of those before it. A refusal, or a
// result without changes, may depend on them, so it is returned only after their transaction commits. fn may be called again, as for
// InTurn.
func (c *Committer) Join(ctx context.Context, fn func(*Tx) error) (store.Revision, error) {
	return c.do(ctx, fn, joined)
}

func (c *Committer) do(ctx context.Context, fn func(*Tx) error, t sharing) (rev store.Revision, err error) {
	term := c.term.Load()
	if term == nil {
		return 0, notLeading()
	}
	ctx, end := tracing.Step(ctx, "store transaction")
	defer func() { end(err) }()
	r := &request{ctx: ctx, fn: fn, sharing: t, done: make(chan result, 1)}
	select {
	case c.queue <- r:
	case <-ctx.Done():
		return 0, notStarted(ctx.Err())
	case <-term.over:
		return 0, notLeading()
	}
	var refusal error
	select {
	case out := <-r.done:
		return out.rev, out.err
	case <-ctx.Done():
		if r.cancel() {
			return 0, notStarted(ctx.Err())
		}
		refusal = outcomeUnknown(ctx.Err())
	case <-term.over:
		refusal = notLeading()
	}
	select {
	case out := <-r.done: // answered before that
		return out.rev, out.err
	default:
		return 0, refusal
	}
}

// Active reports whether Run works, that is, whether this master may write.
func (c *Committer) Active() bool { return c.term.Load() != nil }

// Full reports whether the store has used up its quota, as of the last transaction.
func (c *Committer) Full() bool { return c.full.Load() }

// Starved reports whether the first requests of a term wait for space in the store, and all other requests with them.
func (c *Committer) Starved() bool { return c.Full() && !c.Active() }

// Run commits requests under the fence until ctx ends (nil), the fence no longer holds (store.ErrFenced), or the outcome of a transaction
// is unknown. In the last case the caller must give up this fence and start again under another one, after it has read the store again:
// only that prevents a late transaction from being applied unnoticed. Requests that wait at the end are refused with CodeUnavailable;
// clients retry them at the new leader.
func (c *Committer) Run(ctx context.Context, fence store.Fence) error {
	return c.RunFrom(ctx, fence, func(*Tx) error { return nil })
}

// RunFrom is Run after the new leader's own first requests, before all others: first is called repeatedly until it changes nothing. Its
// error ends the run. The functions beside run during the term, may make requests, and have ended when RunFrom returns.
func (c *Committer) RunFrom(ctx context.Context, fence store.Fence, first func(*Tx) error, beside ...func(context.Context)) error {
	b := &batcher{c: c, fence: fence}
	defer c.full.Store(false)
	for more := true; more; {
		if c.full.Load() && !pause(ctx, fullPause) {
			return nil
		}
		own := &request{ctx: Own(ctx, "a netmaster begins to lead"), done: make(chan result, 1), fn: func(tx *Tx) error {
			err := first(tx)
			more = len(tx.ops) > 0
			return err
		}}
		b.queued = []*request{own}
		if err := b.commit(ctx); err != nil {
			return err
		}
		if out := <-own.done; errors.Is(out.err, store.ErrNoSpace) {
			more = true // retry until the store has space
		} else if out.err != nil {
			return fmt.Errorf("make the first objects: %w", out.err)
		}
	}
	now := &term{over: make(chan struct{}), turn: &b.turn}
	c.term.Store(now)
	var duties sync.WaitGroup
	defer duties.Wait()
	while, end := context.WithCancel(ctx)
	defer end()
	defer close(now.over)
	defer c.term.Store(nil)
	for _, duty := range beside {
		duties.Go(func() { duty(while) })
	}
	return c.watchOver(b, while)
}

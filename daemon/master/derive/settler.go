package derive

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/store"
)

const (
	// lookAgain is how often everything is compared, whatever was noticed.
	lookAgain = 5 * time.Minute
	// pauseAfterFailure is how long to wait before a failed transaction is tried again.
	pauseAfterFailure = time.Second
)

// Settler writes the records that changes left to be derived. It is used by the leader alone.
type Settler struct {
	commit  *commit.Committer
	catalog *catalog.Catalog
	log     *slog.Logger
	pending atomic.Int64
	written atomic.Uint64
	aside   aside

	mu     sync.Mutex
	upTo   store.Revision        // what changed up to here is settled
	last   store.Revision        // of the records written so far
	moved  chan struct{}         // closed and replaced when upTo changes
	wakeUp *catalog.Subscription // nil while Run does not work, or settles everything for the first time
}

// NewSettler makes a Settler.
func NewSettler(c *commit.Committer, known *catalog.Catalog, log *slog.Logger) *Settler {
	return &Settler{commit: c, catalog: known, log: log, moved: make(chan struct{})}
}

// Stuck says which groups and policies have records that cannot be written, or rules that cannot be removed, and why; empty: none has.
func (s *Settler) Stuck() []string { return s.aside.list() }

// Pending is the number of records that are still to be written or removed.
func (s *Settler) Pending() int64 { return s.pending.Load() }

// Written counts the records that were written or removed behind the changes that caused them.
func (s *Settler) Written() uint64 { return s.written.Load() }

// Run settles everything, and then what changes, until ctx ends. Call it once a term, while the committer runs.
func (s *Settler) Run(ctx context.Context) {
	changes := s.catalog.Subscribe()
	defer changes.Close()
	defer s.move(0, nil)
	s.aside.clear()
	if !s.settle(ctx, nil, 0, changes) {
		return
	}
	looked := time.Now()
	for dirty, rev := range changes.Changes(ctx, lookAgain) {
		if time.Since(looked) > lookAgain {
			dirty, looked = nil, time.Now()
		}
		if !s.settle(ctx, dirty, rev, changes) {
			return
		}
	}
}

// settle carries out a plan for the objects that changed up to a revision, as far as it can; nil is everything, up to now. What changes
// meanwhile is not in the plan, be its revision lower than those of the plan's own records. False: ctx has ended.
func (s *Settler) settle(ctx context.Context, dirty map[catalog.Ref]struct{}, upTo store.Revision, changes *catalog.Subscription) bool {
	var steps []step
	now := time.Now()
	s.catalog.View(func(v *catalog.View) {
		if steps = plan(v, s.aside.due(dirty, now)); dirty == nil {
			upTo = v.Revision()
		}
	})
	defer func() { s.pending.Store(int64(s.aside.steps())) }()
	steps = s.aside.hold(steps, upTo, now)
	tried := owners(steps)
	most := s.commit.Limits().Ops * 3 / 4 // beside the fence, and what history tells of rules that go
	for room := most; len(steps) > 0; {
		s.pending.Store(int64(len(steps) + s.aside.steps()))
		some := steps[:min(room, len(steps))]
		rev, err := s.commit.Do(ctx, func(tx *commit.Tx) error {
			for _, one := range some {
				if err := carryOut(tx, one); err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case err == nil:
			s.wrote(rev)
			s.written.Add(uint64(len(some)))
			steps, room = steps[len(some):], min(most, 2*room)
		case ctx.Err() != nil:
			return false
		case away(err):
			s.log.Warn("records of policy rules wait", "records", len(steps), "err", err)
			select {
			case <-ctx.Done():
				return false
			case <-time.After(pauseAfterFailure):
			}
		case len(some) > 1: // one of them is to blame
			room = len(some) / 2
		default:
			var pause time.Duration
			owner := some[0].owner()
			steps, pause = s.aside.put(steps, owner, err, upTo, time.Now())
			delete(tried, owner)
			s.log.Error("records of policy rules cannot be written; the others are", "of", owner, "again", pause, "err", err)
			time.AfterFunc(pause, changes.Nudge)
		}
	}
	s.aside.done(tried, now)
	s.move(upTo, changes)
	return true
}

// away tells whether a transaction failed for a reason that is none of its own: the store is away, or the term is over.
func away(err error) bool {
	return model.AsError(err).Code == model.CodeUnavailable && !errors.Is(err, store.ErrTooLarge)
}

// wrote notes the revision of records that were written.
func (s *Settler) wrote(rev store.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = rev
}

func (s *Settler) move(upTo store.Revision, wakeUp *catalog.Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.upTo, s.wakeUp = upTo, wakeUp
	close(s.moved)
	s.moved = make(chan struct{})
}

// Wait blocks until the records that follow from the changes up to rev are stored, and returns the revision of the last
// of them. It gives up when ctx or the term ends; then a new leader goes on.
func (s *Settler) Wait(ctx context.Context, rev store.Revision) (store.Revision, error) {
	for {
		s.mu.Lock()
		upTo, last, wakeUp, moved := s.upTo, s.last, s.wakeUp, s.moved
		s.mu.Unlock()
		if wakeUp != nil && upTo >= rev {
			return max(upTo, last), s.aside.since(rev)
		}
		if wakeUp != nil {
			wakeUp.Nudge() // not every revision brings a change of objects
		}
		if !s.commit.Active() {
			return 0, unfinished("the term of this leader has ended")
		}
		select {
		case <-ctx.Done():
			return 0, unfinished(ctx.Err().Error())
		case <-moved:
		}
	}
}

func unfinished(why string) error {
	return model.Errorf(model.CodeUnavailable, "", "the change is stored; its rules for agents are still being written: %s", why).
		Try("repeat the request; the leader goes on with it")
}

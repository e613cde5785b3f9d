// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Compiler compiles a State into flows, owner by owner; pipeline.Pipeline is one.
type Compiler interface {
	Owners(s *ofnet.State) []ofnet.Key
	Compile(s *ofnet.State, owner ofnet.Key) flow.Set
	// Affected calls to with each owner whose flows may differ between two States, possibly several times.
	Affected(before, after *ofnet.State, to func(owner ofnet.Key))
}

// Options are the settings of a Reconciler; a zero value selects the default.
type Options struct {
	Log        *slog.Logger  // nil: no log
	Resync     time.Duration // between full comparisons; 30 s, plus or minus a fifth
	RetryFirst time.Duration // before a refused owner is tried again; 100 ms, doubled with each failure
	MaxRetry   time.Duration // the longest such wait; 10 s
	Redial     time.Duration // between attempts to connect; 10 ms: while the switch is away, nothing is forwarded
	Observe    bool          // do not repair what others changed in the switch, until Repair is called
	Glance     time.Duration // between checks for missing flows, which cost next to nothing; 1 s
	Timeout    time.Duration // for a connection attempt, and for the answer to a bundle or a dump; 60 s
	Portion    int           // approximate number of flows compared at a time; 2048
}

func (o *Options) setDefaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Portion <= 0 {
		o.Portion = 2048
	}
	for _, d := range []struct {
		at    *time.Duration
		value time.Duration
	}{{&o.Resync, 30 * time.Second}, {&o.Glance, time.Second}, {&o.RetryFirst, 100 * time.Millisecond}, {&o.MaxRetry, 10 * time.Second},
		{&o.Redial, 10 * time.Millisecond}, {&o.Timeout, time.Minute}} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
}

// Reconciler makes one switch hold what a State asks for and keeps it there. Run does the work; all other methods may be called at any
// time, also before Run, by several goroutines.
type Reconciler struct {
	compiler Compiler
	connect  Connector
	options  Options
	wake     chan struct{}

	mu        sync.Mutex // guards the fields below
	state     *ofnet.State
	shadow    *shadow
	touched   map[ofnet.Key]struct{} // owners to compile
	complete  bool                   // Update has been called
	latest    uint64                 // revision of the last Update
	version   uint64                 // counts changes of the State
	passed    uint64                 // revision that has passed the barrier
	passedAt  time.Time
	era       int             // counts stores: revisions of different ones are not compared
	progress  chan struct{}   // closed and replaced when passed moves
	outcomes  chan struct{}   // closed and replaced when owners have left the phase Pending
	sw        Switch          // nil when not connected
	lostAt    time.Time       // when it last answered, or Run started; while sw is nil
	hurt      bool            // glance found flows missing, and not all are restored
	synced    bool            // the recorded content of sw has been compared with it
	fresh     bool            // a comparison has finished that the loop has not handled yet
	compared  Switch          // the connection of the last comparison
	watched   Switch          // the connection that was asked to report changes by other programs
	changes   <-chan struct{} // by other programs; nil: watched does not report them
	resolving int             // comparisons of this connection still due within resolve
	counters  Counters
	drifted   []Difference    // the latest that comparisons found
	driftOf   map[Kind]uint64 // their total number
	sending   bool            // changes may be in flight
	repairs   []chan struct{} // closed when the next comparison is complete

	forgotten map[flow.Connections]struct{} // connections that the switch deletes after the next bundle
	mindful   bool                          // the switch cannot delete single connections
}

// resolve is the interval between the first comparisons of a new connection, before Resync applies: a switch that has just started may
// still be changing its own state.
var resolve = [...]time.Duration{5 * time.Second, time.Second}

// NewReconciler returns the Reconciler of the host labelled self. It does nothing before Run.
func NewReconciler(self string, c Compiler, sw Connector, o Options) *Reconciler {
	o.setDefaults()
	return &Reconciler{
		compiler: c, connect: sw, options: o,
		wake:  make(chan struct{}, 1),
		state: ofnet.NewState(self), shadow: newShadow(), touched: map[ofnet.Key]struct{}{},
		progress: make(chan struct{}), outcomes: make(chan struct{}), driftOf: map[Kind]uint64{},
		forgotten: map[flow.Connections]struct{}{},
	}
}

// Update calls change to modify the State, which is then that of store revision rev. change must not keep s. After the first Update the
// State
// complete is true: from then on undesired flows are deleted, so the first Update must include everything. A nil change only advances the
// revision. Update does not wait for the switch; changes that come together are sent together.
func (r *Reconciler) Update(rev uint64, change func(s *ofnet.State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = max(r.latest, rev)
	if change != nil {
		before := r.state.Clone()
		change(r.state)
		r.version++
		if r.complete {
			r.compiler.Affected(before, r.state, r.touch)
			r.forget(before)
		}
	}
	if !r.complete {
		r.complete = true
		for _, k := range r.compiler.Owners(r.state) {
			r.touch(k)
		}
	}
	r.wakeUp()
}

// Rewind restarts the revisions, as needed for a store that was recreated: until the next Update, and until that has passed the barrier,
// the switch is at revision 0. The State stays. It does not block.
func (r *Reconciler) Rewind() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest, r.passed = 0, 0
	r.era++ // changes in flight have a revision of the previous era
}

// View calls fn with the current State. fn must not block, change it, or keep it.
func (r *Reconciler) View(fn func(s *ofnet.State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fn(r.state)
}

// touch makes the next round compile an owner.
func (r *Reconciler) touch(k ofnet.Key) {
	r.touched[k] = struct{}{}
	if a := r.shadow.accounts[k]; a != nil && a.phase == Done {
		r.shadow.move(a, Pending)
	}
}

// wakeUp wakes the loop; it never blocks.
func (r *Reconciler) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Wait blocks until everything up to store revision rev is in the switch and behind a barrier, or ctx ends. An owner that the switch
// refused does not delay it: Owner returns the status of a particular one.
func (r *Reconciler) Wait(ctx context.Context, rev uint64) error {
	for {
		r.mu.Lock()
		passed, progress := r.passed, r.progress
		r.mu.Unlock()
		if passed >= rev {
			return nil
		}
		select {
		case <-progress:
		case <-ctx.Done():
			return fmt.Errorf("switch is at revision %d, not yet at %d: %w", passed, rev, ctx.Err())
		}
	}
}

// Run connects, compares, applies and retries until ctx ends; then it closes the connection and returns nil. The flows stay in the switch:
// forwarding survives the agent.
func (r *Reconciler) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	r.mu.Lock()
	r.lostAt = time.Now()
	r.mu.Unlock()
	defer func() { r.drop(nil) }()
	glances := time.NewTicker(r.options.Glance)
	defer glances.Stop()
	var nextResync time.Time
	var alarm alarm
	for {
		var lost <-chan struct{}
		if sw := r.current(); sw != nil {
			lost = sw.Done()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-lost:
			r.drop(errLost)
		case <-r.wake:
		case <-timer.C:
		case <-r.reported():
			alarm.raise(time.Now())
		case <-glances.C:
			r.glance(ctx)
		}
		now := time.Now()
		wait := r.options.Redial
		if r.dial(ctx) {
			alarmed := alarm.begins(now)
			if alarmed {
				r.glance(ctx) // what is missing is restored as a whole
			}
			if r.current() != nil && (alarmed || !now.Before(nextResync)) {
				r.unsync()
			}
			err := r.sync(ctx)
			if err == nil {
				err = r.watch(ctx)
			}
			if alarmed {
				alarm.spent(now, time.Now())
			}
			switch {
			case err != nil && ctx.Err() == nil:
				if r.drop(err) {
					wait = 0 // the connection worked until now: the first attempt follows at once
				}
			case err == nil:
				now = time.Now()
				r.repaired()
				r.healed()
				if r.isFresh() {
					nextResync = now.Add(r.untilComparison())
				}
				wait = r.nextRetry(now, nextResync)
			}
		}
		timer.Reset(max(alarm.within(wait, time.Now()), 0))
	}
}

// untilComparison returns the time until the next comparison is due.
func (r *Reconciler) untilComparison() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resolving > 0 {
		r.resolving--
		return min(resolve[r.resolving], r.options.Resync)
	}
	return r.spread(r.options.Resync)
}

// spread varies d by up to a fifth, so that the agents of a cluster do not all compare at once.
func (r *Reconciler) spread(d time.Duration) time.Duration {
	return d - d/5 + time.Duration(rand.Int64N(int64(d/5)*2+1))
}

func (r *Reconciler) current() Switch {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sw
}

// dial makes one attempt to connect, unless there is a connection.
func (r *Reconciler) dial(ctx context.Context) bool {
	if r.current() != nil {
		return true
	}
	limited, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	sw, err := r.connect.Connect(limited)
	if err != nil {
		r.options.Log.Debug("switch does not answer", "error", err)
		return false
	}
	r.mu.Lock()
	r.sw, r.synced, r.resolving = sw, false, len(resolve)
	r.counters.Connections++
	r.mu.Unlock()
	r.options.Log.Info("connected to switch")
	return true
}

// drop closes the connection; why is nil if Run ends. It reports whether the connection had been usable.
func (r *Reconciler) drop(why error) (used bool) {
	r.mu.Lock()
	sw := r.sw
	used = sw != nil && r.compared == sw
	if sw != nil {
		r.lostAt = time.Now().Add(-sw.Silent())
	}
	r.sw, r.compared, r.synced, r.hurt = nil, nil, false, false
	r.mu.Unlock()
	if sw == nil {
		return used
	}
	_ = sw.Close() // it is abandoned in any case
	if why != nil {
		r.options.Log.Warn("lost switch", "error", why)
	}
	return used
}

// nextRetry returns the time until the next retry is due.
func (r *Reconciler) nextRetry(now, nextResync time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := nextResync
	if !r.complete {
		next = now.Add(r.options.Resync) // nothing is due before the first Update, which wakes the loop
	}
	for a := range r.shadow.failed {
		if a.failure.retryAt.Before(next) {
			next = a.failure.retryAt
		}
	}
	return next.Sub(now)
}

// Revision returns the store revision up to which everything is in the switch.
func (r *Reconciler) Revision() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passed
}

// Connected reports whether the switch is connected and answers.
func (r *Reconciler) Connected() bool {
	sw := r.current()
	return sw != nil && sw.Silent() == 0
}

// Unanswered returns how long the switch has not answered: 0 while it does, and before Run. It does not block.
func (r *Reconciler) Unanswered() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.sw != nil:
		return r.sw.Silent()
	case r.lostAt.IsZero():
		return 0
	}
	return time.Since(r.lostAt)
}

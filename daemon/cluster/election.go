// Package cluster lets the programs of one cluster find each other: who leads, and who is there.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

// Defaults of ElectionConfig.
const (
	DefaultTTL = 5 * time.Second

	retryPause   = 200 * time.Millisecond // after a store that was away
	contendPause = time.Second            // after a lead that failed, and between looks when nothing happens
	resignTime   = 2 * time.Second        // for giving the lock back
	heirPatience = time.Second            // for which the others leave the lock to an heir

	// The first attempt to change the lock gets shortAttempt, and every further one twice the time up to longAttempt.
	// The death of a leader is often the death of a member of the store: what the store was asked in that moment may
	// never be answered, and asking again is quicker than waiting. Every change is guarded, so asking again is safe.
	shortAttempt = 250 * time.Millisecond
	longAttempt  = 4 * time.Second
)

// ElectionConfig says what is contended for and what the winner does.
type ElectionConfig struct {
	Store   store.Store
	Key     string        // of the lock, record.LeaderKey
	History string        // key of the list of terms, record.TermsKey; "": none is kept
	Heir    string        // key of an Heir, that begins with Key: record.HeirKey; "": terms are not handed over
	ID      string        // this process's internal address "ip:port", where it already listens
	TTL     time.Duration // of the lock; 0: DefaultTTL
	// Lead does the leader's work. ctx ends when the term does; Lead must then return soon, because a process that
	// shuts down keeps the lock until it has. Every write it makes must be under t.Fence.
	// If it returns an error while the term lasts, the lock is given back and contended for again a second later.
	Lead func(ctx context.Context, t Term) error
	Log  *slog.Logger
	// Dial reaches other contenders; nil: a plain net.Dialer.
	Dial Dialer
}

// Election contends for a lock until it is stopped. It is a task; it never ends by itself, however long the store is away.
//
// The lock is leased: a leader that is silent for the TTL loses it. A leader that shuts down gives it back at once. One
// that died is found out by the followers, which hold a connection to it (see probe). A process that finds its own
// address in the lock has died and started again, and takes the lock over. In each case an older leader that is in
// truth still running cannot write, because its fence does not hold any more.
type Election struct {
	c      ElectionConfig
	ready  chan struct{}
	orders chan order

	mu      sync.Mutex
	holder  Holder
	term    *Term
	changed chan struct{}
	terms   []Term // seen by this process, the newest last, at most historyLen
}

var _ task.Task = (*Election)(nil)

// NewElection makes a contender; Run makes it contend.
func NewElection(c ElectionConfig) *Election {
	if c.TTL == 0 {
		c.TTL = DefaultTTL
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	return &Election{c: c, ready: make(chan struct{}), orders: make(chan order), changed: make(chan struct{})}
}

// Ready is closed when a leader, this process or another, is known for the first time.
func (e *Election) Ready() <-chan struct{} { return e.ready }

func (e *Election) String() string { return "election" }

// Holder is who has the lock, as last seen.
func (e *Election) Holder() Holder {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.holder
}

// Term is this process's term while it leads; ok is false while it does not.
func (e *Election) Term() (t Term, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.term == nil {
		return Term{}, false
	}
	return *e.term, true
}

// Changed is closed when Holder or Term next changes. Take it before you look at them.
func (e *Election) Changed() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// Terms are the terms that this process has seen, the newest last. Since is when it saw them begin.
func (e *Election) Terms() []Term {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Term(nil), e.terms...)
}

// set publishes what is known now.
func (e *Election) set(h Holder, t *Term) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h.Self = t != nil && h.Address == e.c.ID && h.Created == t.Fence.Created
	if e.holder == h && e.term == t {
		return
	}
	if h.Address != "" && h.Created != e.holder.Created {
		seen := Term{Leader: h.Address, Since: time.Now(), Fence: store.Fence{Key: e.c.Key, Created: h.Created}}
		e.terms = append(e.terms, seen)
		e.terms = e.terms[max(0, len(e.terms)-historyLen):]
		select {
		case <-e.ready:
		default:
			close(e.ready)
		}
	}
	e.holder, e.term = h, t
	close(e.changed)
	e.changed = make(chan struct{})
}

// Run contends until ctx ends, gives the lock back if it has it, and returns nil.
func (e *Election) Run(ctx context.Context) error {
	r := &race{Election: e, attempt: shortAttempt, log: e.c.Log.With("id", e.c.ID)}
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
			r.doomed = r.lock.Created
		case <-ended:
			r.resign(ctx)
			r.notBefore = time.Now().Add(contendPause)
		case o := <-r.orders:
			o.done <- r.stepDown(ctx, o.heir)
		case <-timer.C:
		}
		timer.Reset(r.act(ctx))
	}
}

// sighting is the lock at one revision of the store.
type sighting struct {
	at   store.Revision
	lock store.Item // Key "": nobody has it
	heir Heir       // the last one that was named
}

// watch sends what the lock is after every change.
func (e *Election) watch(ctx context.Context, to chan<- sighting) {
	var lock store.Item
	var heir Heir
	for u, err := range e.c.Store.Watch(ctx, e.c.Key) {
		if err != nil {
			e.c.Log.Warn("the leader's lock cannot be watched", "error", err)
			continue
		}
		if u.Full {
			lock = store.Item{}
		}
		for _, key := range u.Gone {
			if key == e.c.Key {
				lock = store.Item{}
			}
		}
		for _, i := range u.Items {
			switch i.Key {
			case e.c.Key:
				lock = i
			case e.c.Heir:
				heir = e.named(i)
			}
		}
		select {
		case to <- sighting{u.Revision, lock, heir}:
		case <-ctx.Done():
			return
		}
	}
}

// vacant is why a term begins when this process did not take the lock from anybody.
const vacant = "the lock was free: given back, expired, or never taken"

// race is what Run works with: one goroutine's state.
type race struct {
	*Election
	log       *slog.Logger
	seen      bool // the store has answered
	at        store.Revision
	lock      store.Item
	notBefore time.Time // do not contend before
	attempt   time.Duration
	doomed    store.Revision // the term whose leader is known to be dead
	why       string         // the lock was taken away; "": this process did not do it
	heir      Heir           // the last one that was named
	ended     store.Revision // the term that ended by itself, after which the lock is free; 0: it did not
	free      time.Time      // since when
	lead      *lead
	probe     *prober
	work      sync.WaitGroup // leases being ended
}

// brief is a context for one attempt to change the lock.
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

// lead is a term that runs.
type lead struct {
	term   Term
	lease  store.Lease
	cancel func()
	ended  chan struct{} // closed when Lead has returned and the lease is kept no more
}

func (r *race) see(s sighting) {
	if s.at < r.at {
		return // older than what this process did itself
	}
	if r.lock.Key != "" && s.lock.Key == "" {
		r.ended, r.free = r.lock.Created, time.Now()
	}
	r.seen, r.at, r.lock, r.heir = true, s.at, s.lock, s.heir
}

// act does what the lock as last seen calls for and returns when to look again at the latest.
func (r *race) act(ctx context.Context) time.Duration {
	if !r.seen || ctx.Err() != nil {
		return contendPause
	}
	if r.lead != nil {
		if r.lock.Key != "" && r.lock.Created == r.lead.term.Fence.Created {
			r.follow("")
			return contendPause
		}
		r.log.Warn("leadership is lost: the lock is not ours any more")
		r.resign(ctx)
	}
	holder := string(r.lock.Value)
	r.set(Holder{Address: holder, Created: r.lock.Created, Revision: r.lock.Revision}, nil)
	reason := ""
	switch {
	case holder == r.c.ID:
		reason = "it names this process, which has started anew"
	case holder != "" && r.lock.Created == r.doomed:
		reason = "the leader's process is dead"
	}
	if reason != "" {
		if err := r.evict(ctx, reason); err != nil {
			return retryPause / 4
		}
		if r.lock.Key != "" {
			return contendPause // it changed meanwhile: the watch tells
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
	if err := r.acquire(ctx); err != nil && ctx.Err() == nil {
		if r.attempt > 4*shortAttempt {
			r.log.Warn("cannot contend for leadership", "error", err)
		}
		return retryPause / 4
	}
	return contendPause
}

// evict deletes the lock as last seen, if it is still that.
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
		r.log.Info("the leader's lock is taken away", "holder", string(r.lock.Value), "reason", why)
		r.at, r.lock, r.why, r.ended = rev, store.Item{}, why, 0
	case errors.Is(err, store.ErrConflict):
		return nil // the watch tells
	case ctx.Err() == nil:
		r.log.Warn("cannot take the leader's lock away", "error", err)
	}
	return err
}

// acquire takes the lock if nobody has it and starts the term. That another was quicker is no error.
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
		// After an unknown outcome the lock may be ours all the same: the watch shows it and act takes it over.
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

func (r *race) end(ctx context.Context, lease store.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTime)
	defer cancel()
	if err := lease.Revoke(ctx); err != nil {
		r.log.Debug("a lease is left to expire", "error", err)
	}
}

// begin runs the leader's work and keeps its lease.
func (r *race) begin(ctx context.Context, lease store.Lease, t Term) {
	r.log.Info("this process leads", "term", t.Fence.Created)
	ctx, cancel := context.WithCancel(ctx)
	l := &lead{term: t, lease: lease, cancel: cancel, ended: make(chan struct{})}
	r.lead = l
	r.set(Holder{Address: t.Leader, Created: t.Fence.Created, Revision: t.Fence.Created}, &t)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer cancel()
		if err := lease.KeepAlive(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("leadership is lost", "error", err)
		}
	})
	wg.Go(func() {
		defer cancel()
		if err := r.c.Lead(ctx, t); err != nil && ctx.Err() == nil {
			r.log.Error("the leader's work failed", "error", err)
		}
	})
	if r.c.History != "" {
		wg.Go(func() {
			if err := enter(ctx, r.c.Store, r.c.History, t); err != nil && ctx.Err() == nil {
				r.log.Warn("the term is not in the list of terms", "error", err)
			}
		})
	}
	go func() { wg.Wait(); close(l.ended) }()
}

// resign ends the term, if there is one: the work first, then the lock.
func (r *race) resign(ctx context.Context) {
	l := r.lead
	if l == nil {
		return
	}
	l.cancel()
	<-l.ended
	r.lead = nil
	r.log.Info("this process leads no more", "term", l.term.Fence.Created)
	rctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTime)
	defer cancel()
	var tx store.Tx
	tx.Under(l.term.Fence)
	tx.Delete(r.c.Key)
	if rev, err := r.c.Store.Commit(rctx, &tx); err == nil {
		r.at, r.lock, r.why = rev, store.Item{}, ""
		r.ended, r.free = l.term.Fence.Created, time.Now()
	} else if !errors.Is(err, store.ErrFenced) {
		r.log.Warn("the leader's lock is left to expire", "error", err)
	}
	r.end(ctx, l.lease)
	h := Holder{Address: string(r.lock.Value), Created: r.lock.Created, Revision: r.lock.Revision}
	if h.Created == l.term.Fence.Created {
		h = Holder{}
	}
	r.set(h, nil)
}

// prober is a probe that runs.
type prober struct {
	address string
	cancel  func()
	dead    chan struct{} // closed when the process is dead
	done    chan struct{}
}

// follow makes sure that the process at address, and no other, is probed; "" is none.
func (r *race) follow(address string) {
	if r.probe != nil && r.probe.address == address {
		return
	}
	r.stopProbe()
	if address == "" {
		return
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		r.log.Warn(fmt.Sprintf("the lock holder %q is not an address and cannot be probed", address))
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &prober{address: address, cancel: cancel, dead: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		if probe(ctx, r.c.Dial, address) {
			close(p.dead)
		}
	}()
	r.probe = p
}

func (r *race) stopProbe() {
	if r.probe != nil {
		r.probe.cancel()
		<-r.probe.done
		r.probe = nil
	}
}

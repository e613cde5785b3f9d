// SPDX-License-Identifier: Apache-2.0

// Package cluster lets the programs of one cluster find each other: the leader, and the registered services.
package cluster

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/task"
)

// DefaultTTL is the TTL of an ElectionConfig without one.
const DefaultTTL = 5 * time.Second

// Lead does the leader's work. ctx ends when the term does; Lead must then return soon, because a process that shuts down keeps the lock
// until it has. Every write it makes must be under t.Fence. If it returns an error during the term, the lock is released and contended
// for again a second later.
type Lead func(ctx context.Context, t Term) error

// ElectionConfig describes the lock.
type ElectionConfig struct {
	Store     store.Store
	Key       string        // of the lock, record.LeaderKey
	History   string        // key of the list of terms, record.TermsKey; "": none is kept
	Successor string        // key of a Successor, with the prefix Key: record.SuccessorKey; "": terms are not handed over
	ID        string        // this process's internal address "ip:port", where it already listens
	TTL       time.Duration // of the lock; 0: DefaultTTL
	Log       *slog.Logger
	// Excluded returns why this process may not lead, for instance because its certificate is revoked; "", or nil: it may. It is called
	// about each second, and must not block.
	Excluded func() string
	// Dial connects to other contenders; nil: a plain net.Dialer.
	Dial Dialer
}

// Election contends for a lock while its task runs, which never ends by itself, however long the store is away.
//
// The lock is leased: a leader that is silent for the TTL loses it. A leader that shuts down releases it at once. Followers detect a dead
// one by a connection that they hold to it (see probe). A process that finds its own address in the lock has died and started again, and
// takes the lock over. In each case an older leader that is still running cannot write, because its fence no longer holds.
type Election struct {
	c      ElectionConfig
	ready  chan struct{}
	orders chan order

	starved atomic.Bool // the last attempt to acquire the lock failed because the store has used up its quota

	mu      sync.Mutex
	holder  Holder
	term    *Term
	changed chan struct{}
	terms   []Term // seen by this process, the newest last, at most historyLen
}

// NewElection returns a contender; the task of Leading contends.
func NewElection(c ElectionConfig) *Election {
	if c.TTL == 0 {
		c.TTL = DefaultTTL
	}
	if c.Excluded == nil {
		c.Excluded = func() string { return "" }
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	return &Election{c: c, ready: make(chan struct{}), orders: make(chan order), changed: make(chan struct{})}
}

// Ready is closed when a leader, this process or another, is known for the first time.
func (e *Election) Ready() <-chan struct{} { return e.ready }

// String names the election.
func (e *Election) String() string { return "election" }

// Leading returns the task that contends and does the leader's work with lead. Only one of them may run at a time.
func (e *Election) Leading(lead Lead) task.Task { return &candidate{e, lead} }

// candidate is the task of an Election.
type candidate struct {
	*Election
	lead Lead
}

// Starved reports whether there is no leader and this process cannot become it, since the store has used up its quota.
func (e *Election) Starved() bool { return e.starved.Load() && e.Holder().Address == "" }

// Holder returns the holder of the lock, as last seen.
func (e *Election) Holder() Holder {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.holder
}

// Term returns this process's term while it leads; ok is false while it does not.
func (e *Election) Term() (t Term, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.term == nil {
		return Term{}, false
	}
	return *e.term, true
}

// Changed returns a channel that is closed when Holder or Term changes. Call it before you read them.
func (e *Election) Changed() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// Terms returns the terms that this process has seen, the newest last. Since is when it saw them begin.
func (e *Election) Terms() []Term {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Term(nil), e.terms...)
}

// set publishes the current state.
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

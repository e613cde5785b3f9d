package commit

import (
	"context"
	"errors"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
)

// usualDepth is how many transactions are under way at the most. A second one that departs while the store makes the first
// durable is permitted and tested, but does not pay: on two processors, shared with the store, it took a quarter of the rate.
const usualDepth = 1

// flight is a transaction that is under way.
type flight struct {
	tx      *store.Tx
	batch   *batch
	txs     []*Tx
	waiting []*request // those of txs, and those that hear their verdict when it is carried out
	alone   bool       // nothing departs behind it
	cancel  context.CancelFunc
	landed  chan landing // holds one
}

// answer tells a request how it went; later, when that may be due to requests of this very transaction.
func (f *flight) answer(r *request, out result) {
	if r.turn != inTurn || len(f.txs) == 0 {
		r.done <- out
		return
	}
	r.verdict = out.err
	f.waiting = append(f.waiting, r)
}

// landing is a transaction's outcome.
type landing struct {
	rev store.Revision
	err error
}

// line is the work of one term: requests that wait, and the transactions that are under way. They are settled in the order
// in which they departed. A transaction departs behind another one only if neither depends on the other: then it does not
// matter which of them the store carries out first, or whether one of them fails.
type line struct {
	c       *Committer
	fence   store.Fence
	held    []*request // taken from the queue
	flights []*flight
	stuck   bool // those that are held need what is under way
	single  bool // the last transaction carried one request: there seems to be one client
}

// run works until ctx ends (nil) or the term does.
func (l *line) run(ctx context.Context) error {
	defer l.abandon()
	for {
		l.take()
		if l.may() {
			if err := l.depart(ctx); err != nil {
				return err
			}
			continue
		}
		var landed chan landing
		if len(l.flights) > 0 {
			landed = l.flights[0].landed
		}
		queue := l.c.queue
		if len(l.held) >= maxRequests {
			queue = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case r := <-queue:
			l.held = append(l.held, r)
		case out := <-landed:
			if err := l.settle(out); err != nil {
				return err
			}
		}
	}
}

// take takes what waits in the queue.
func (l *line) take() {
	for len(l.held) < maxRequests {
		select {
		case r := <-l.c.queue:
			l.held = append(l.held, r)
		default:
			return
		}
	}
}

// may tells whether the next transaction is to depart. Behind another one it waits until it carries as much as that one:
// smaller transactions would cost a busy machine more than the overlap gains.
func (l *line) may() bool {
	switch {
	case len(l.held) == 0:
		return false
	case len(l.flights) == 0:
		return true
	case len(l.flights) == l.c.depth, l.stuck, l.flights[0].alone, l.held[0].turn != joined:
		return false
	}
	return len(l.held) > 1 && len(l.held) >= len(l.flights[0].waiting)
}

// depart sends a transaction of the requests that are first in line, as many as may share one.
func (l *line) depart(ctx context.Context) error {
	n, turn := 1, l.held[0].turn
	for turn != alone && n < len(l.held) && n < maxRequests && l.held[n].turn == turn {
		n++
	}
	requests := l.held[:n:n]
	var before *flight
	if len(l.flights) > 0 {
		before = l.flights[len(l.flights)-1]
	}
	f, left := l.c.build(l.fence, requests, before)
	f.alone = turn != joined
	l.held = append(left, l.held[n:]...)
	if len(f.tx.Ops()) == 0 {
		l.stuck = len(left) > 0
		return nil
	}
	f.landed = make(chan landing, 1)
	send, cancel := context.WithTimeout(ctx, commitLimit)
	f.cancel = cancel
	l.flights = append(l.flights, f)
	quiet := l.single && before == nil && len(f.waiting) == 1
	l.single = len(f.waiting) == 1
	if quiet || f.alone { // nothing is to depart behind it: spare the way through another goroutine
		rev, err := l.c.db.Commit(send, f.tx)
		return l.settle(landing{rev, err})
	}
	go func() {
		rev, err := l.c.db.Commit(send, f.tx)
		f.landed <- landing{rev, err}
	}()
	return nil
}

// settle tells the requests of the first transaction how it went. Its error ends the term, with what is under way behind it.
func (l *line) settle(out landing) error {
	f := l.flights[0]
	f.cancel()
	l.flights, l.stuck = l.flights[1:], false
	if out.err == nil {
		l.c.committed(f, out.rev, len(l.flights) == 0)
		return nil
	}
	l.c.failed(f, out.err)
	if errors.Is(out.err, store.ErrTooLarge) || errors.Is(out.err, store.ErrConflict) {
		return nil
	}
	return out.err
}

// abandon ends what is under way when the term does. Its outcome is not known to anybody: what it took is given back, and
// its requests are told to repeat.
func (l *line) abandon() {
	for i := len(l.flights) - 1; i >= 0; i-- {
		f := l.flights[i]
		f.cancel()
		out := <-f.landed
		if out.err == nil {
			out.err = errors.New("the term ended with a transaction before it")
		}
		l.c.failed(f, out.err)
	}
	l.flights = nil
}

// committed takes in a transaction that was carried out. last: none is under way behind it, so that everything up to its
// revision is known.
func (c *Committer) committed(f *flight, rev store.Revision, last bool) {
	c.stats.Transactions.Add(1)
	c.stats.Requests.Add(uint64(len(f.txs)))
	c.stats.Bytes.Add(uint64(f.tx.Size()))
	c.last.Store(max(c.last.Load(), uint64(rev)))
	c.catalog.Committed(f.tx.Ops(), rev, last, c.log)
	for _, r := range f.waiting {
		r.done <- result{rev, r.verdict}
	}
}

// failed takes back what the requests of a transaction took, and refuses them.
func (c *Committer) failed(f *flight, err error) {
	c.stats.Failed.Add(1)
	if !errors.Is(err, store.ErrTooLarge) && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrFenced) {
		c.catalog.Doubt() // it may have been carried out
	}
	c.rollBack(f)
	c.log.Warn("transaction was not committed", "requests", len(f.waiting), "err", err)
	refusal := unavailable(err)
	if errors.Is(err, store.ErrFenced) {
		c.stats.Stale.Add(1)
		refusal = stepDown()
	}
	for _, r := range f.waiting {
		r.done <- result{err: refusal}
	}
}

// rollBack takes back what the requests took, last first. One in turn may have taken what a request before it was to give back,
// so each is taken back in sight of those before it.
func (c *Committer) rollBack(f *flight) {
	c.catalog.Change(func(v *catalog.View) {
		var shown []preview
		for i := 0; f.alone && i < len(f.txs)-1; i++ {
			shown = append(shown, preview{view: v})
			shown[i].all(f.txs[i : i+1])
		}
		for i := len(f.txs) - 1; i >= 0; i-- {
			if i < len(shown) {
				shown[i].end()
			}
			f.txs[i].abort()
		}
	})
}

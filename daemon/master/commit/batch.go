package commit

import (
	"errors"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
)

// batch is a transaction, its requests, and who waits for its outcome.
type batch struct {
	tx      *store.Tx
	txs     []*Tx
	waiting []*request // those of txs, and those that are answered once it is committed
}

// answer tells a request how it went; later, when that may be due to requests of this very batch.
func (b *batch) answer(r *request, out result) {
	if r.sharing == exclusive || len(b.txs) == 0 {
		r.done <- out
		return
	}
	r.verdict = out.err
	b.waiting = append(b.waiting, r)
}

// committed takes in a transaction that was carried out.
func (c *Committer) committed(b *batch, rev store.Revision) {
	c.stats.Transactions.Add(1)
	c.stats.Requests.Add(uint64(len(b.txs)))
	c.stats.Bytes.Add(uint64(b.tx.Size()))
	c.last.Store(uint64(rev))
	c.catalog.Committed(b.tx.Ops(), rev, c.log)
	for _, r := range b.waiting {
		r.done <- result{rev, r.verdict}
	}
}

// failed takes back what the requests of a transaction took, and refuses them.
func (c *Committer) failed(b *batch, err error) {
	c.stats.Failed.Add(1)
	if !errors.Is(err, store.ErrTooLarge) && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrFenced) {
		c.catalog.Invalidate() // it may have been carried out
	}
	c.rollBack(b)
	c.log.Warn("transaction was not committed", "requests", len(b.waiting), "error", err)
	refusal := outcomeUnknown(err)
	switch {
	case errors.Is(err, store.ErrFenced):
		c.stats.Stale.Add(1)
		refusal = notLeading()
	case errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrConflict):
		refusal = notStored(err)
	}
	for _, r := range b.waiting {
		r.done <- result{err: refusal}
	}
}

// rollBack takes back what the requests took, last first. One in turn may have taken what a request before it was to give back,
// so each is taken back in sight of those before it.
func (c *Committer) rollBack(b *batch) {
	c.catalog.Change(func(v *catalog.View) {
		var shown []preview
		for i := 0; b.waiting[0].sharing == inTurn && i < len(b.txs)-1; i++ {
			shown = append(shown, preview{view: v})
			shown[i].all(b.txs[i : i+1])
		}
		for i := len(b.txs) - 1; i >= 0; i-- {
			if i < len(shown) {
				shown[i].end()
			}
			b.txs[i].abort()
		}
	})
}

package commit

import (
	"errors"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
)

// flight is a transaction on its way to the store, and who waits for it.
type flight struct {
	tx      *store.Tx
	txs     []*Tx
	waiting []*request // those of txs, and those that hear their verdict when it is carried out
}

// answer tells a request how it went; later, when that may be due to requests of this very transaction.
func (f *flight) answer(r *request, out result) {
	if r.turn == alone || len(f.txs) == 0 {
		r.done <- out
		return
	}
	r.verdict = out.err
	f.waiting = append(f.waiting, r)
}

// committed takes in a transaction that was carried out.
func (c *Committer) committed(f *flight, rev store.Revision) {
	c.stats.Transactions.Add(1)
	c.stats.Requests.Add(uint64(len(f.txs)))
	c.stats.Bytes.Add(uint64(f.tx.Size()))
	c.last.Store(uint64(rev))
	c.catalog.Committed(f.tx.Ops(), rev, c.log)
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
	refusal := inDoubt(err)
	switch {
	case errors.Is(err, store.ErrFenced):
		c.stats.Stale.Add(1)
		refusal = stepDown()
	case errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrConflict):
		refusal = notStored(err)
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
		for i := 0; f.waiting[0].turn == inTurn && i < len(f.txs)-1; i++ {
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

// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"errors"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
)

// batch is a transaction, with the requests that it carries or that wait for its outcome.
type batch struct {
	tx       *store.Tx
	draft    *catalog.Draft // the state that it results in
	requests int
	waiting  []*request // those it carries, and those that are answered once it is committed
}

// answer answers a request; later, if the answer may depend on requests of this very batch.
func (b *batch) answer(r *request, out result) {
	if r.sharing == exclusive || b.requests == 0 {
		r.done <- out
		return
	}
	r.verdict = out.err
	b.waiting = append(b.waiting, r)
}

// committed applies a committed transaction.
func (c *Committer) committed(b *batch, rev store.Revision) {
	c.stats.Transactions.Add(1)
	if c.full.Swap(false) {
		c.log.Info("the store has space again")
	}
	c.stats.Requests.Add(uint64(b.requests))
	c.stats.Bytes.Add(uint64(b.tx.Size()))
	c.last.Store(uint64(rev))
	c.catalog.Committed(b.draft, b.tx.Ops(), rev, c.log)
	for _, r := range b.waiting {
		r.done <- result{rev, r.verdict}
	}
}

// failed refuses the requests of a transaction. If the store finds it too large and several requests shared it, failed returns them, so
// that each gets its own.
func (c *Committer) failed(b *batch, err error) (apart []*request) {
	c.stats.Failed.Add(1)
	full := errors.Is(err, store.ErrNoSpace)
	if !full || !c.full.Swap(true) {
		c.log.Warn("transaction was not committed", "requests", len(b.waiting), "error", err)
	}
	refusal := outcomeUnknown(err)
	switch {
	case errors.Is(err, store.ErrFenced):
		c.stats.Stale.Add(1)
		refusal = notLeading()
	case full:
		refusal = noSpace(err)
	case errors.Is(err, store.ErrTooLarge) && len(b.waiting) > 1:
		for _, r := range b.waiting {
			r.sharing, r.verdict = exclusive, nil
			r.requeue()
		}
		return b.waiting
	case errors.Is(err, store.ErrTooLarge):
		refusal = tooLarge(err)
	case errors.Is(err, store.ErrConflict):
		refusal = notStored(err)
	}
	for _, r := range b.waiting {
		r.done <- result{err: refusal}
	}
	return nil
}

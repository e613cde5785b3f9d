// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// builder builds a batch of requests over a draft.
type builder struct {
	*batch
	catalog *catalog.Catalog
	record  *recorder
	limits  store.Limits
	db      store.Store
}

// outcome is the result of adding one request.
type outcome int

const (
	finished outcome = iota // it is in the batch, or answered
	deferred                // it does not fit
	blocked                 // it does not fit, nor do later requests that must not overtake it
)

// build runs the requests' functions and builds a batch of them. Requests that fail or change nothing are answered at once, unless that may
// depend on earlier requests of the batch. Requests that do not fit into the transaction are left.
func (c *Committer) build(fence store.Fence, requests []*request) (_ *batch, left []*request) {
	b := &builder{batch: &batch{tx: &store.Tx{}, draft: c.catalog.Draft()}, catalog: c.catalog, record: &recorder{keep: c.keep}, limits: c.db.Limits(), db: c.db}
	b.tx.Under(fence)
	for i, r := range requests {
		switch b.add(r) {
		case deferred:
			left = append(left, r)
			continue
		case blocked:
			left = append(left, requests[i:]...)
		default:
			continue
		}
		break
	}
	c.catalog.View(func(v *catalog.View) { b.record.finish(v, b.tx, b.limits) })
	return b.batch, left
}

// add runs one request and adds it to the batch, if it changes anything and fits.
func (b *builder) add(r *request) outcome {
	if err := r.ctx.Err(); err != nil || !r.start() {
		r.done <- result{err: notStarted(err)}
		return finished
	}
	t := newTx(b.draft, b.limits)
	t.maxOps = b.limits.Ops
	err := r.fn(t)
	switch {
	case err == nil && len(t.ops) == 0:
		b.answer(r, result{rev: b.draft.Revision()})
		return finished
	case err == nil && !(r.sharing == inTurn && writesAgain(b.tx, t)) && b.enter(r, t):
		b.include(r, t)
		return finished
	}
	if len(t.ops) > 0 { // its writes are dropped with the draft
		b.draft = b.catalog.Draft()
		for _, op := range b.tx.Ops() {
			b.draft.Apply(op)
		}
	}
	if err != nil {
		b.answer(r, result{err: err})
		return finished
	}
	return b.refuse(r, t)
}

// enter reserves space for the writes of a request and for its history; false if there is too little.
func (b *builder) enter(r *request, t *Tx) bool {
	return b.record.enter(t, stampOf(r.ctx), func() bool { return fits(b.tx, t, &b.record.packer, b.limits) })
}

// refuse leaves a request that does not fit for the next batch, or refuses it if it is too large by itself.
func (b *builder) refuse(r *request, t *Tx) outcome {
	if b.requests == 0 {
		size := 0
		for _, op := range t.ops {
			size += len(op.Key) + len(op.Value)
		}
		r.done <- result{err: model.Errorf(model.CodeTooLarge, "", "the change needs %d store operations and %d bytes, beside its history: %s permits %d and %d in a transaction",
			len(t.ops), size, b.db, b.limits.Ops, b.limits.Bytes).Try(smaller)}
		return finished
	}
	r.requeue()
	if r.sharing == inTurn {
		return blocked
	}
	return deferred
}

// include adds the writes of a request to the transaction. The last operation on a key counts.
func (b *builder) include(r *request, t *Tx) {
	for _, g := range t.guards {
		b.tx.Require(g.Key, g.Revision)
	}
	for _, op := range t.ops {
		if op.Delete {
			b.tx.Delete(op.Key)
		} else {
			b.tx.Put(op.Key, op.Value)
		}
	}
	b.requests, b.waiting = b.requests+1, append(b.waiting, r)
}

// writesAgain reports whether a request writes a key that the transaction already writes. Only the last write would be stored, and watchers
// would mistake an object for its replacement.
func writesAgain(tx *store.Tx, t *Tx) bool {
	for _, op := range t.ops {
		for _, written := range tx.Ops() {
			if written.Key == op.Key {
				return true
			}
		}
	}
	return false
}

// fits reports whether a request and its history fit into the transaction.
func fits(tx *store.Tx, t *Tx, history *history.Packer, limits store.Limits) bool {
	size := tx.Size() + history.Bytes()
	for _, g := range t.guards {
		size += len(g.Key)
	}
	for _, op := range t.ops {
		size += len(op.Key) + len(op.Value)
	}
	return len(tx.Ops())+len(t.guards)+len(t.ops)+history.Records()+1 <= limits.Ops && size <= limits.Bytes
}

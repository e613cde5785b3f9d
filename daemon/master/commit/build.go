package commit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// builder makes a batch of requests within Catalog.Change.
type builder struct {
	*batch
	view    *catalog.View
	overlay *overlay
	record  *recorder
	limits  store.Limits
	db      store.Store
}

// outcome is what became of one request.
type outcome int

const (
	settled  outcome = iota // it is in the batch, or answered
	deferred                // there is no room for it
	blocked                 // nor for those behind it, which must not overtake it
)

// build runs the requests' functions and makes a batch of them. Those that fail or change nothing are answered at once, unless that
// may be due to requests before them in the same batch. Those for which the transaction has no room are left.
func (c *Committer) build(fence store.Fence, requests []*request) (_ *batch, left []*request) {
	b := &builder{batch: &batch{tx: &store.Tx{}}, overlay: newOverlay(), limits: c.db.Limits(), db: c.db}
	b.tx.Under(fence)
	c.catalog.Change(func(v *catalog.View) {
		b.view, b.record = v, newRecorder(v, c.keep)
		seen := preview{view: v}
		defer seen.end()
		for i, r := range requests {
			if r.sharing == inTurn && !seen.all(b.txs) {
				left = append(left, requests[i:]...)
				break
			}
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
		b.record.finish(b.tx, b.limits)
	})
	return b.batch, left
}

// add runs one request and takes it into the batch, if it changes anything and there is room.
func (b *builder) add(r *request) outcome {
	if err := r.ctx.Err(); err != nil || !r.start() {
		r.done <- result{err: notStarted(err)}
		return settled
	}
	t := &Tx{View: b.view, overlay: b.overlay, limits: b.limits}
	if err := r.fn(t); err != nil {
		t.abort()
		b.answer(r, result{err: err})
		return settled
	}
	if len(t.ops) == 0 {
		b.answer(r, result{rev: b.view.Revision()})
		return settled
	}
	if r.sharing == inTurn && writesAgain(b.tx, t) {
		t.abort()
		r.requeue()
		return blocked
	}
	if !b.enter(r, t) {
		return b.refuse(r, t)
	}
	b.include(r, t)
	return settled
}

// enter reserves room for what a request writes and for what the history says of it; false when there is too little.
func (b *builder) enter(r *request, t *Tx) bool {
	return b.record.enter(t, stampOf(r.ctx), func() bool { return fits(b.tx, t, &b.record.packer, b.limits) })
}

// refuse leaves a request for which there is no room to the next batch, or refuses it when it alone is too large.
func (b *builder) refuse(r *request, t *Tx) outcome {
	needed := len(t.ops)
	t.abort()
	if len(b.txs) == 0 {
		r.done <- result{err: model.Errorf(model.CodeTooLarge, "", "the change needs %d store operations, %s permits %d", needed, b.db, b.limits.Ops).
			Try("split it into smaller changes")}
		return settled
	}
	r.requeue()
	if r.sharing == inTurn {
		return blocked
	}
	return deferred
}

// include writes what a request changes into the transaction. The last operation on a key counts.
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
	b.txs, b.waiting = append(b.txs, t), append(b.waiting, r)
}

// writesAgain tells whether a request writes a key that the transaction writes already. Only the last write would be stored, and
// watchers would take one object for another that was made in its place.
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

// fits tells whether a request and its history find room in the transaction.
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

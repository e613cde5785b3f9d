package commit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// build runs the requests' functions and makes a transaction of them. Those that fail or change nothing are answered at
// once, unless that may be due to requests before them in the same transaction. Those for which the transaction has no room
// are left.
func (c *Committer) build(fence store.Fence, requests []*request) (f *flight, left []*request) {
	tx, shared := &store.Tx{}, newBatch()
	tx.Under(fence)
	f = &flight{tx: tx}
	limits := c.db.Limits()
	c.catalog.Change(func(v *catalog.View) {
		told := newChronicle(v, c.keep)
		shown := preview{view: v}
		defer shown.end()
		for i, r := range requests {
			if r.turn == inTurn && !shown.all(f.txs) {
				left = append(left, requests[i:]...)
				break
			}
			if err := r.ctx.Err(); err != nil || !r.board() {
				r.done <- result{err: waitedInVain(err)}
				continue
			}
			t := &Tx{View: v, batch: shared}
			err := r.fn(t)
			if err != nil {
				t.abort()
				f.answer(r, result{err: err})
				continue
			}
			if len(t.ops)+len(t.derived) == 0 {
				f.answer(r, result{rev: v.Revision()})
				continue
			}
			if r.turn == inTurn && again(tx, t) {
				t.abort()
				r.alight()
				left = append(left, requests[i:]...)
				break
			}
			room := func() bool { return fits(tx, t, &told.packer, limits) }
			entered := told.enter(t, stampOf(r.ctx), room)
			if !entered && len(t.derived) > 0 && len(f.txs) == 0 {
				t.Postpone()
				if len(t.ops) == 0 { // all of it comes later
					r.done <- result{rev: v.Revision()}
					continue
				}
				entered = told.enter(t, stampOf(r.ctx), room)
			}
			if !entered {
				needed := len(t.ops)
				t.abort()
				if len(f.txs) == 0 {
					r.done <- result{err: model.Errorf(model.CodeTooLarge, "", "the change needs %d store operations, %s permits %d", needed, c.db, limits.Ops).
						Try("split it into smaller changes")}
					continue
				}
				r.alight()
				if r.turn == inTurn { // nobody overtakes it
					left = append(left, requests[i:]...)
					break
				}
				left = append(left, r)
				continue
			}
			for _, g := range t.guards {
				tx.Require(g.Key, g.Revision)
			}
			for op := range t.all { // the last operation on a key wins
				if op.Delete {
					tx.Delete(op.Key)
				} else {
					tx.Put(op.Key, op.Value)
				}
			}
			f.txs, f.waiting = append(f.txs, t), append(f.waiting, r)
		}
		told.close(tx, limits)
	})
	return f, left
}

// again tells whether a request writes a key that the transaction writes already. Only the last write would be stored, and who
// follows the store would take one object for another that was made in its place.
func again(tx *store.Tx, t *Tx) bool {
	for op := range t.all {
		for _, written := range tx.Ops() {
			if written.Key == op.Key {
				return true
			}
		}
	}
	return false
}

// fits tells whether a request and what is told of it find room in the transaction.
func fits(tx *store.Tx, t *Tx, told *history.Packer, limits store.Limits) bool {
	size := tx.Size() + told.Bytes()
	for _, g := range t.guards {
		size += len(g.Key)
	}
	for op := range t.all {
		size += len(op.Key) + len(op.Value)
	}
	return len(tx.Ops())+len(t.guards)+len(t.ops)+len(t.derived)+told.Records()+1 <= limits.Ops && size <= limits.Bytes
}

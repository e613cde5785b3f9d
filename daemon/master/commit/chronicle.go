package commit

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// chronicle writes down, within a transaction, what its requests do.
type chronicle struct {
	view    *catalog.View
	keep    history.Keep
	packer  history.Packer
	written map[string]store.Op // by requests before, in this transaction
}

func newChronicle(v *catalog.View, keep history.Keep) *chronicle {
	return &chronicle{view: v, keep: keep, written: map[string]store.Op{}}
}

// before is what a key holds before the next request.
func (c *chronicle) before(key string) []byte {
	if op, ok := c.written[key]; ok {
		return op.Value // nil of a deletion
	}
	return c.view.Value(key)
}

// enter adds what a request does and calls fits, which tells whether the transaction still has room. If it has not, even
// with the differences left out, nothing is added and the answer is false.
func (c *chronicle) enter(t *Tx, s history.Stamp, fits func() bool) bool {
	e := history.Derive(t.ops, c.before, t.pending)
	for whole := true; ; whole = false {
		back := func() {}
		if !e.Empty() {
			back = c.packer.Add(e, s)
		}
		if fits() {
			for _, op := range t.ops {
				if op.Delete {
					op.Value = nil
				}
				c.written[op.Key] = op
			}
			return true
		}
		back()
		if !whole {
			return false
		}
		e = e.Brief()
	}
}

// close puts the records into the transaction, and drops those that are too old, and where there are more than are to be kept those of
// who has most. Each record drops at most two, so that a lower limit is reached in time without ever costing much.
func (c *chronicle) close(tx *store.Tx, limits store.Limits) {
	added := c.packer.Records()
	if added == 0 {
		return
	}
	trail, now, next := c.view.History(), c.keep.Now(), uint64(1)
	if len(trail) > 0 {
		next = history.SequenceOf(trail[len(trail)-1].Key) + 1
	}
	for i, value := range c.packer.Values(now) {
		tx.Put(history.Key(next+uint64(i)), value)
	}
	room := min(2*added, limits.Ops-len(tx.Ops())-1)
	surplus := len(trail) + added - c.keep.Records
	old := map[string]bool{}
	for _, it := range trail {
		if len(old) >= room || now.Sub(history.TimeOf(it.Value)) <= c.keep.Age {
			break
		}
		tx.Delete(it.Key)
		old[it.Key] = true
	}
	if surplus -= len(old); surplus <= 0 {
		return
	}
	for _, key := range c.view.SpareHistory(min(surplus, room)) {
		if len(old) < room && !old[key] {
			tx.Delete(key)
			old[key] = true
		}
	}
}

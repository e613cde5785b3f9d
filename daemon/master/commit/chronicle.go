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

// told is what a transaction does to the history.
type told struct {
	last    uint64 // sequence of its last record; 0: it has none
	dropped int    // how many of the oldest records it drops
	added   int    // how many it adds
}

// close puts the records into the transaction, and drops the oldest where there are more than are to be kept. Each
// record drops at most two, so that a lower limit is reached in time without ever costing much. The view does not show
// what the transaction ahead does.
func (c *chronicle) close(tx *store.Tx, limits store.Limits, ahead *batch) told {
	if c.packer.Records() == 0 {
		if ahead != nil {
			return told{last: ahead.told.last}
		}
		return told{}
	}
	var before told
	if ahead != nil {
		before = ahead.told
	}
	trail, now := c.view.History(), c.keep.Now()
	next := before.last + 1
	if len(trail) > 0 {
		next = max(next, history.SequenceOf(trail[len(trail)-1].Key)+1)
	}
	does := told{added: c.packer.Records(), last: next + uint64(c.packer.Records()) - 1}
	for i, value := range c.packer.Values(now) {
		tx.Put(history.Key(next+uint64(i)), value)
	}
	total := len(trail) + before.added + does.added
	for i := before.dropped; i < len(trail) && does.dropped < 2*does.added && len(tx.Ops())+2 <= limits.Ops; i++ {
		if total-i <= c.keep.Records && now.Sub(history.TimeOf(trail[i].Value)) <= c.keep.Age {
			return does
		}
		tx.Delete(trail[i].Key)
		does.dropped++
	}
	return does
}

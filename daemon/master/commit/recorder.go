// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// recorder adds the history of a transaction to it.
type recorder struct {
	keep   history.Keep
	packer history.Packer
}

// enter adds the changes of a request and calls fits, which reports whether the transaction still has space. If it has none, even without
// the differences of fields, enter adds nothing and returns false.
func (c *recorder) enter(t *Tx, s history.Stamp, fits func() bool) bool {
	e := history.Derive(t.ops, func(key string) []byte { return t.before[key] }, t.made)
	for whole := true; ; whole = false {
		back := func() {}
		if !e.Empty() {
			back = c.packer.Add(e, s)
		}
		if fits() {
			return true
		}
		back()
		if !whole {
			return false
		}
		e = e.Brief()
	}
}

// finish adds the records to the transaction, and deletes expired ones, and beyond the limit those of the writer with the most. Each record
// deletes at most two, so that a lower limit is reached gradually at little cost.
func (c *recorder) finish(v *catalog.View, tx *store.Tx, limits store.Limits) {
	added := c.packer.Records()
	if added == 0 {
		return
	}
	now, next := c.keep.Now(), uint64(1)
	if last, ok := v.LastHistory(); ok {
		next = history.SequenceOf(last.Key) + 1
	}
	for i, value := range c.packer.Values(now) {
		tx.Put(history.Key(next+uint64(i)), value)
	}
	room := min(2*added, limits.Ops-len(tx.Ops())-1)
	surplus := v.CountHistory() + added - c.keep.Records
	old := map[string]bool{}
	for it := range v.History() {
		if len(old) >= room || now.Sub(history.TimeOf(it.Value)) <= c.keep.Age {
			break
		}
		tx.Delete(it.Key)
		old[it.Key] = true
	}
	if surplus -= len(old); surplus <= 0 {
		return
	}
	for _, key := range v.SpareHistory(min(surplus, room)) {
		if len(old) < room && !old[key] {
			tx.Delete(key)
			old[key] = true
		}
	}
}

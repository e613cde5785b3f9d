// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"iter"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/table"
)

// event is a history record, of which only the writer is decoded. The order of names is that of time.
type event struct {
	name string
	by   writer
}

// writer is the source against which a history record counts: the address of the requests, and the kind of their first object. Names that
// clients choose do not count, since a client can choose any number of them.
type writer struct{ address, kind string }

// History records in order, and those of each writer.
var (
	eventsInOrder  = table.Sorted[string](func(a, b *event) int { return strings.Compare(a.name, b.name) })
	countByWriter  = table.Sum[string](func(e *event) (writer, uint64) { return e.by, 1 })
	eventsByWriter = table.Sorted[string](func(a, b *event) int {
		return cmp.Or(strings.Compare(a.by.address, b.by.address), strings.Compare(a.by.kind, b.by.kind), strings.Compare(a.name, b.name))
	})
)

func decodeEvent(name string, value []byte) (*event, error) {
	return &event{name, writerOf(value)}, nil
}

// writerOf reads the writer of a record. All unreadable records have the same writer.
func writerOf(value []byte) writer {
	var r struct {
		Entries []struct {
			By struct {
				Address string `json:"a"`
			} `json:"b"`
			Changes []struct {
				Kind string `json:"k"`
			} `json:"c"`
		} `json:"e"`
	}
	unknown := writer{kind: "?"}
	if json.Unmarshal(value, &r) != nil || len(r.Entries) == 0 {
		return unknown
	}
	w := writer{address: r.Entries[0].By.Address}
	if c := r.Entries[0].Changes; len(c) > 0 {
		w.kind = c[0].Kind
	}
	return cmp.Or(w, unknown)
}

// History yields the history records, oldest first; see package history. The caller must not change them.
func (v *View) History() iter.Seq[store.Item] {
	return func(yield func(store.Item) bool) {
		for e := range eventsInOrder.All(&v.history) {
			if !yield(v.items.Get(record.History + e.name)) {
				return
			}
		}
	}
}

// CountHistory returns the number of history records.
func (v *View) CountHistory() int { return v.history.Len() }

// LastHistory returns the newest history record; ok is false if there is none.
func (v *View) LastHistory() (newest store.Item, ok bool) {
	for e := range eventsInOrder.Back(&v.history, &event{name: last}) {
		return v.items.Get(record.History + e.name), true
	}
	return newest, false
}

// SpareHistory returns the keys of n records to drop: one after the other, the oldest of the writer with the most records, so that no
// writer can displace the records of others. It returns fewer keys if fewer records exist.
func (v *View) SpareHistory(n int) []string {
	var out []string
	taken := map[writer]int{}
	for range n {
		var most writer
		left, oldest := 0, ""
		for w := range v.writers {
			count, _ := countByWriter.In(&v.history, w)
			rest := count - taken[w]
			if rest < max(left, 1) {
				continue
			}
			if first := v.nth(w, taken[w]); rest > left || first < oldest {
				most, left, oldest = w, rest, first
			}
		}
		if left == 0 {
			break
		}
		taken[most]++
		out = append(out, record.History+oldest)
	}
	return out
}

// writers yields all writers of records.
func (v *View) writers(yield func(writer) bool) {
	for at, more := (&event{}), true; more; {
		more = false
		for e := range eventsByWriter.From(&v.history, at) {
			at, more = &event{by: e.by, name: last}, yield(e.by)
			break
		}
	}
}

// last sorts after all names.
const last = "\xff"

// nth returns the name of a writer's nth record, from 0, the oldest first.
func (v *View) nth(w writer, n int) string {
	for e := range eventsByWriter.From(&v.history, &event{by: w}) {
		if n == 0 {
			return e.name
		}
		n--
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/store"
)

// Listener receives the changes of a store, from a watch, from lists, and from its own commits.
type Listener interface {
	Watched(u store.Update)
	Committed(ops []store.Op, rev store.Revision)
	// Listed is called when the answers to all commits have arrived, as at the beginning of a leader's term.
	Listed(items []store.Item, rev store.Revision)
}

// History is a store as a history of changes, which a Listener receives in an arbitrary order: from its watch, which lags, merges and
// repeats, from lists, from its own commits before or after the watch, and from a store that is restored meanwhile.
type History struct {
	*rapid.T
	to       Listener
	change   func(now map[string]store.Item) store.Op
	now      map[string]store.Item
	revision store.Revision
	sent     store.Revision // by the watch
	log      []store.Item   // changes for the watch; without a value: deletions
	answers  []store.Item   // to commits, which have not arrived yet
	backup   map[string]store.Item
	at       store.Revision // of the backup
}

// NewHistory starts with items that the watch has delivered. change draws a change of the store.
func NewHistory(t *rapid.T, to Listener, begin []store.Item, change func(now map[string]store.Item) store.Op) *History {
	h := &History{T: t, to: to, change: change, now: map[string]store.Item{}}
	for _, it := range begin {
		h.now[it.Key] = it
		h.revision = max(h.revision, it.Revision)
	}
	h.backup, h.at = maps.Clone(h.now), h.revision
	h.relist()
	return h
}

// Step makes one random step.
func (h *History) Step() {
	rapid.SampledFrom([]func(){h.write, h.write, h.commit, h.commit, h.answer, h.receive, h.receive, h.again, h.load, h.relist, h.Restore}).Draw(h.T, "step")()
}

// End delivers everything that is pending.
func (h *History) End() {
	h.answerAll()
	for len(h.rest()) > 0 {
		h.receive()
	}
}

// Items returns the items of the store, ordered by key, and its revision.
func (h *History) Items() ([]store.Item, store.Revision) {
	u := store.Update{Items: slices.Collect(maps.Values(h.now))}
	u.Sort()
	return u.Items, h.revision
}

func (h *History) write() { h.next() }

// next makes a change.
func (h *History) next() store.Item {
	h.revision += store.Revision(rapid.IntRange(1, 3).Draw(h.T, "gap"))
	op := h.change(h.now)
	it := store.Item{Key: op.Key, Value: op.Value, Revision: h.revision}
	if op.Delete {
		delete(h.now, it.Key)
	} else {
		h.now[it.Key] = it
	}
	h.log = append(h.log, it)
	return it
}

// commit is a change of the listener's own, delivered by answer, if not by the watch.
func (h *History) commit() { h.answers = append(h.answers, h.next()) }

func (h *History) answer() {
	if len(h.answers) > 0 {
		it := h.answers[0]
		h.answers = h.answers[1:]
		h.to.Committed([]store.Op{{Key: it.Key, Value: it.Value, Delete: it.Value == nil}}, it.Revision)
	}
}

func (h *History) answerAll() {
	for len(h.answers) > 0 {
		h.answer()
	}
}

// rest returns what the watch has not delivered yet.
func (h *History) rest() []store.Item {
	if i := slices.IndexFunc(h.log, func(it store.Item) bool { return it.Revision > h.sent }); i >= 0 {
		return h.log[i:]
	}
	return nil
}

// deliver delivers changes, merged as in a watch.
func (h *History) deliver(log []store.Item) {
	u, last := store.Update{}, map[string]store.Item{}
	for _, it := range log {
		last[it.Key], u.Revision = it, it.Revision
	}
	for key, it := range last {
		if it.Value == nil {
			u.Gone = append(u.Gone, key)
		} else {
			u.Items = append(u.Items, it)
		}
	}
	u.Sort()
	h.to.Watched(u)
	h.sent = max(h.sent, u.Revision)
}

// receive delivers some of the watch's pending changes.
func (h *History) receive() {
	if rest := h.rest(); len(rest) > 0 {
		h.deliver(rest[:rapid.IntRange(1, len(rest)).Draw(h.T, "changes")])
	}
}

// again repeats a change of the watch, by itself or with new ones.
func (h *History) again() {
	if n := len(h.log) - len(h.rest()); n > 0 {
		h.deliver(h.log[rapid.IntRange(0, n-1).Draw(h.T, "from"):rapid.IntRange(n, len(h.log)).Draw(h.T, "to")])
	}
}

// load starts a term of the leader.
func (h *History) load() {
	h.answerAll()
	h.to.Listed(h.Items())
}

// relist makes the watch list, as after a compaction.
func (h *History) relist() {
	items, rev := h.Items()
	h.to.Watched(store.Update{Full: true, Items: items, Revision: rev})
	h.sent = rev
	if rapid.Bool().Draw(h.T, "backup") {
		h.backup, h.at = maps.Clone(h.now), rev
	}
}

// Restore replaces the store by the backup, with higher revisions than before. The backup lacks the leader's lease, so the term ends.
func (h *History) Restore() { h.restore(h.revision + 1000) }

// Rewind is Restore with the revisions of the backup, so that they start again.
func (h *History) Rewind() { h.restore(h.at) }

func (h *History) restore(rev store.Revision) {
	h.answerAll()
	h.now, h.revision, h.log = maps.Clone(h.backup), rev, nil
	h.relist()
	h.load()
}

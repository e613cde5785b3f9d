// SPDX-License-Identifier: Apache-2.0

// Package mirror keeps a copy of a part of a store. It applies the updates of a watch, lists and the caller's own commits, in any order,
// and returns the changes that follow from each.
//
// One rule decides what is old. A Mirror has two kinds of revisions: the one up to which it is complete, by the watch or a list, and the
// higher ones of keys that the caller has changed. A change that is not newer than the first, or than the second of its key, has no effect,
// whether or not the key exists: an absent key was deleted by then. A list is true at its revision, whatever the revisions of its items
// are: those of a restored store may be lower than known ones.
package mirror

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/table"
)

// Errors of Watched. Neither changes anything.
var (
	// ErrReset reports that the store was wiped or restored: its revisions start again, and the Mirror has the contents of the previous
	// store.
	ErrReset = errors.New("the store is another one, or was restored")
	// ErrStale reports that a list of the watch may be older than what Listed applied. A new watch resolves this.
	ErrStale = errors.New("the list may be older than what is known")
)

// A Change is a key that was put or deleted, with its item before and after.
type Change = table.Change[string, store.Item]

// Mirror is a copy of a part of a store. It must not be used by several goroutines at a time.
type Mirror struct {
	items     *table.Table[string, store.Item]
	newest    store.Revision            // revision of the newest known change
	complete  store.Revision            // everything up to this revision is known
	own       map[string]store.Revision // revisions of the caller's changes since complete
	watched   store.Revision            // no list of the watch is older than this
	transient []string                  // keys that the last update deleted and that were unknown
}

// New returns an empty Mirror.
func New() *Mirror {
	return &Mirror{items: table.New[string, store.Item](), own: map[string]store.Revision{}}
}

// Items returns the items by their keys. Callers may read or clone them, not change them.
func (m *Mirror) Items() *table.Table[string, store.Item] { return m.items }

// Adopt replaces the Items by a clone of them, whose only changes are passed to Committed next.
func (m *Mirror) Adopt(items *table.Table[string, store.Item]) { m.items = items }

// Revision returns the revision of the newest known change.
func (m *Mirror) Revision() store.Revision { return m.newest }

// Complete returns the revision up to which everything is known.
func (m *Mirror) Complete() store.Revision { return m.complete }

// Transient returns the keys that the last update of the watch deleted and that were not known before: they were created and deleted since
// the previous update. Keys that the caller has deleted are not among them.
func (m *Mirror) Transient() []string { return m.transient }

// Watching records that a watch starts: its lists are newer than everything known now.
func (m *Mirror) Watching() { m.watched = m.complete }

// Watched applies an update of the watch. The changes list deletions first, then created and changed items, each in the order of the
// update. Only lists cause ErrReset and ErrStale.
func (m *Mirror) Watched(u store.Update) ([]Change, error) {
	switch {
	case u.Full && u.Revision < m.watched:
		return nil, fmt.Errorf("%w: its revision was %d and is %d", ErrReset, m.watched, u.Revision)
	case u.Full && u.Revision < m.complete:
		return nil, ErrStale
	}
	m.watched = max(m.watched, u.Revision)
	return m.apply(u), nil
}

// Listed applies a list made when none of the caller's commits was in flight: earlier commits are in the list or were undone.
func (m *Mirror) Listed(items []store.Item, rev store.Revision) []Change {
	if rev >= m.complete {
		clear(m.own)
	}
	return m.apply(store.Update{Full: true, Items: items, Revision: rev})
}

// Rewind forgets the revisions and keeps the items: the next list is of a store whose revisions have started again.
func (m *Mirror) Rewind() {
	m.newest, m.complete, m.watched = 0, 0, 0
	clear(m.own)
}

// Committed applies the caller's commit at rev, before the watch delivers it. It says nothing about commits of others up to rev. If the
// watch was faster, nothing changes.
func (m *Mirror) Committed(ops []store.Op, rev store.Revision) (changes []Change) {
	if rev <= m.complete {
		return nil
	}
	changes = make([]Change, 0, len(ops))
	for _, op := range ops {
		if op.Delete && m.own[op.Key] < rev {
			changes = m.remove(changes, op.Key)
			m.own[op.Key] = rev
		}
	}
	for _, op := range ops {
		if !op.Delete && m.own[op.Key] < rev {
			changes = m.set(changes, store.Item{Key: op.Key, Value: op.Value, Revision: rev})
			m.own[op.Key] = rev
		}
	}
	m.newest = max(m.newest, rev)
	return changes
}

// apply applies an update, unless it is old.
func (m *Mirror) apply(u store.Update) (changes []Change) {
	if u.Revision < m.complete || u.Revision == m.complete && !u.Full {
		return nil
	}
	gone := u.Gone
	if u.Full {
		gone = m.absent(u.Items)
	}
	if m.items.Len() == 0 {
		changes = make([]Change, 0, len(u.Items))
	}
	m.transient = nil
	for _, key := range gone {
		if m.own[key] > u.Revision {
			continue
		}
		n := len(changes)
		if changes = m.remove(changes, key); len(changes) == n && m.own[key] == 0 {
			m.transient = append(m.transient, key)
		}
	}
	for _, it := range u.Items {
		if m.isNews(it, &u) {
			changes = m.set(changes, it)
		}
	}
	for key, rev := range m.own {
		if rev <= u.Revision {
			delete(m.own, key)
		}
	}
	m.complete = u.Revision
	m.newest = max(m.newest, u.Revision)
	return changes
}

// isNews reports whether an item of an update is new.
func (m *Mirror) isNews(it store.Item, of *store.Update) bool {
	if !of.Full {
		return it.Revision > m.complete && it.Revision > m.own[it.Key]
	}
	known, ok := m.items.Lookup(it.Key)
	return m.own[it.Key] <= of.Revision && (!ok || it.Revision != known.Revision || !bytes.Equal(it.Value, known.Value))
}

// absent returns the known keys that are not in a list, in order.
func (m *Mirror) absent(list []store.Item) (out []string) {
	if m.items.Len() == 0 {
		return nil
	}
	have := make(map[string]struct{}, len(list))
	for _, it := range list {
		have[it.Key] = struct{}{}
	}
	for key := range m.items.All() {
		if _, ok := have[key]; !ok {
			out = append(out, key)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

func (m *Mirror) set(changes []Change, it store.Item) []Change {
	before, had := m.items.Set(it.Key, it)
	return append(changes, Change{Key: it.Key, Before: before, After: it, Had: had, Has: true})
}

func (m *Mirror) remove(changes []Change, key string) []Change {
	if before, had := m.items.Delete(key); had {
		changes = append(changes, Change{Key: key, Before: before, Had: true})
	}
	return changes
}

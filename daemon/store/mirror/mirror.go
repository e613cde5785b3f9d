// Package mirror keeps a copy of a part of a store: it takes in what a watch, lists and one's own commits tell, in whatever order they
// come, and says what has changed with each.
//
// One rule says what is old. Two things are known apart: the revision up to which everything is known, by the watch or a list, and the
// revisions above it of the keys that one has changed oneself. What is not newer than the one, or than the other of its key, changes
// nothing, be its key known or not: a key that is not known was deleted by then. A list is the truth up to its revision, whatever the
// revisions of its items are: those of a store that was restored may be lower than known.
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
	// ErrReset says that the store was wiped or restored: its revisions begin again, and what the Mirror knows is of the store before.
	ErrReset = errors.New("the store is another one, or was restored")
	// ErrStale says that a list of the watch may have been made before what is known by Listed. A new watch tells.
	ErrStale = errors.New("the list may be older than what is known")
)

// A Change is a key that was put or deleted, with its item before and after.
type Change = table.Change[string, store.Item]

// Mirror is a copy of what a store holds. It must not be used by several goroutines at a time.
type Mirror struct {
	items     *table.Table[string, store.Item]
	newest    store.Revision            // of all that is known
	complete  store.Revision            // everything up to here is known
	own       map[string]store.Revision // what we have changed since complete
	watched   store.Revision            // no list of the watch is older than this
	transient []string                  // keys that the last update told to be gone, and that were not known
}

// New returns an empty Mirror.
func New() *Mirror {
	return &Mirror{items: table.New[string, store.Item](), own: map[string]store.Revision{}}
}

// Items are the items by their keys. They are to be read, or cloned, not changed.
func (m *Mirror) Items() *table.Table[string, store.Item] { return m.items }

// Adopt takes a clone of the Items in their place, in which nothing has changed but what is told to Committed next.
func (m *Mirror) Adopt(items *table.Table[string, store.Item]) { m.items = items }

// Revision is the revision of the newest change that is known.
func (m *Mirror) Revision() store.Revision { return m.newest }

// Complete is the revision up to which everything is known.
func (m *Mirror) Complete() store.Revision { return m.complete }

// Transient are keys that the last update of the watch told to be gone, and that were not known before: they came and went since the update
// before. Those that we have deleted ourselves are not among them.
func (m *Mirror) Transient() []string { return m.transient }

// Watching says that a watch begins: its lists are made after all that is known now.
func (m *Mirror) Watching() { m.watched = m.complete }

// Watched takes in an update of the watch. What has gone comes first in the changes, then what has come or changed, each in the order
// of the update. ErrReset and ErrStale are for lists alone.
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

// Listed takes in a list that was made when no change of our own could come any more: what we committed before is in the list, or is no
// longer.
func (m *Mirror) Listed(items []store.Item, rev store.Revision) []Change {
	if rev >= m.complete {
		clear(m.own)
	}
	return m.apply(store.Update{Full: true, Items: items, Revision: rev})
}

// Rewind forgets the revisions and keeps the items: the next list is of a store whose revisions have begun again.
func (m *Mirror) Rewind() {
	m.newest, m.complete, m.watched = 0, 0, 0
	clear(m.own)
}

// Committed takes in what we have just committed at rev, before the watch tells. Of all else that was committed up to rev, by others,
// nothing is known with it. When the watch was faster nothing changes.
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

// apply takes in an update, unless it is old.
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

// isNews reports whether an item of an update says what is not known.
func (m *Mirror) isNews(it store.Item, of *store.Update) bool {
	if !of.Full {
		return it.Revision > m.complete && it.Revision > m.own[it.Key]
	}
	known, ok := m.items.Lookup(it.Key)
	return m.own[it.Key] <= of.Revision && (!ok || it.Revision != known.Revision || !bytes.Equal(it.Value, known.Value))
}

// absent are the keys that are known and not in a list, in order.
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

package catalog

import (
	"bytes"
	"log/slog"
	"slices"

	"github.com/contiv/contiv/daemon/store"
)

// Apply takes in one update of a watch over record.Root. Malformed records are logged and passed over.
//
// What is old is not taken in, be its key known or not: a key that is not known was deleted as a rule, and what came before
// that must not bring it back. Old is everything up to the revision up to which the catalog knows everything, by whichever way
// it has come to know it, and of a key that the leader has changed itself everything before that change. What a whole list says is the
// truth up to its revision, whatever the revisions of its items are: those of a store that was restored may be lower than known.
func (c *Catalog) Apply(u store.Update, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.apply(u, log)
}

// begin takes in a list that was made when no change of the leader's own could come any more: what it committed before is in
// the list, or is no longer.
func (c *Catalog) begin(list store.Update, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if list.Revision >= c.view.complete {
		clear(c.view.gone)
		for key, it := range c.view.known {
			it.Revision = min(it.Revision, list.Revision)
			c.view.known[key] = it
		}
	}
	c.apply(list, log)
}

func (c *Catalog) apply(u store.Update, log *slog.Logger) {
	v := &c.view
	if u.Revision < v.complete || u.Revision == v.complete && !u.Full {
		return
	}
	gone := slices.Clone(u.Gone)
	if u.Full {
		have := make(map[string]struct{}, len(u.Items))
		for _, it := range u.Items {
			have[it.Key] = struct{}{}
		}
		for key := range v.known {
			if _, ok := have[key]; !ok {
				gone = append(gone, key)
			}
		}
	}
	slices.SortStableFunc(gone, func(a, b string) int { return rank(b) - rank(a) })
	for _, key := range gone {
		it, ok := v.known[key]
		if !ok || it.Revision > u.Revision {
			continue // unknown, or we have put it again since
		}
		v.concerns(key, u.Revision)
		v.drop(key)
	}
	items := slices.Clone(u.Items)
	slices.SortStableFunc(items, func(a, b store.Item) int { return rank(a.Key) - rank(b.Key) })
	for _, it := range items {
		if !v.news(it, &u) {
			continue
		}
		if err := v.put(it); err != nil {
			log.Error("passed over a record of the store", "key", it.Key, "err", err)
		}
	}
	for key, rev := range v.gone {
		if rev <= u.Revision {
			delete(v.gone, key)
		}
	}
	v.complete = u.Revision
	if v.other {
		c.rebuild(log)
	}
	c.advance(u.Revision)
	c.tell()
}

// news reports whether an item of an update says what is not known.
func (v *View) news(it store.Item, of *store.Update) bool {
	known, ok := v.known[it.Key]
	if !of.Full {
		return it.Revision > v.complete && it.Revision > known.Revision && it.Revision > v.gone[it.Key]
	}
	if known.Revision > of.Revision || v.gone[it.Key] > of.Revision {
		return false // we have changed it since
	}
	return !ok || it.Revision != known.Revision || !bytes.Equal(it.Value, known.Value)
}

// Committed takes in what the leader has just committed at rev, before the watch tells. Of all else that was committed up to
// rev, by others, nothing is known with it: the watch has still to tell.
func (c *Catalog) Committed(ops []store.Op, rev store.Revision, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &c.view
	if rev <= v.complete {
		// The watch was faster, and what it told is newer. What the transaction took of the pools may have been given back
		// by nobody: that costs an address or a number until the pools are made again, and gives none twice.
		c.doubted = c.doubted || !v.has(ops, rev)
		return
	}
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, func(a, b store.Op) int {
		switch {
		case a.Delete && b.Delete:
			return rank(b.Key) - rank(a.Key)
		case a.Delete != b.Delete:
			if a.Delete {
				return -1
			}
			return 1
		}
		return rank(a.Key) - rank(b.Key)
	})
	for _, op := range ops {
		if rev <= v.known[op.Key].Revision || rev <= v.gone[op.Key] {
			continue
		}
		if op.Delete {
			v.drop(op.Key)
			v.gone[op.Key] = rev
			v.concerns(op.Key, rev)
			continue
		}
		if err := v.put(store.Item{Key: op.Key, Value: op.Value, Revision: rev}); err != nil {
			log.Error("committed a record that cannot be read", "key", op.Key, "err", err)
		}
	}
	c.advance(rev)
	c.tell()
}

// has reports whether everything that a transaction has put at rev is still there.
func (v *View) has(ops []store.Op, rev store.Revision) bool {
	return !slices.ContainsFunc(ops, func(op store.Op) bool { return !op.Delete && v.known[op.Key].Revision != rev })
}

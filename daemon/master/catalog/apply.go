package catalog

import (
	"log/slog"
	"slices"

	"github.com/contiv/contiv/daemon/store"
)

// Apply takes in one update of a watch over record.Root. Malformed records are logged and passed over.
func (c *Catalog) Apply(u store.Update, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &c.view
	if u.Full {
		have := make(map[string]struct{}, len(u.Items))
		for _, it := range u.Items {
			have[it.Key] = struct{}{}
		}
		for key, it := range v.known {
			if _, ok := have[key]; !ok && it.Revision <= u.Revision {
				u.Gone = append(u.Gone, key)
			}
		}
	}
	slices.SortStableFunc(u.Gone, func(a, b string) int { return rank(b) - rank(a) })
	for _, key := range u.Gone {
		if v.known[key].Revision > u.Revision {
			continue // we have put it again since
		}
		if _, ok := v.known[key]; ok {
			v.concerns(key, u.Revision)
		}
		v.drop(key)
	}
	items := slices.Clone(u.Items)
	slices.SortStableFunc(items, func(a, b store.Item) int { return rank(a.Key) - rank(b.Key) })
	for _, it := range items {
		if it.Revision <= v.known[it.Key].Revision || it.Revision <= v.gone[it.Key] {
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
	if v.other {
		c.rebuild(log)
	}
	c.advance(u.Revision)
	c.tell()
}

// Committed takes in what the leader has just committed at rev, before the watch tells. Everything up to rev is known
// with it.
func (c *Catalog) Committed(ops []store.Op, rev store.Revision, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &c.view
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
		if rev <= v.known[op.Key].Revision {
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

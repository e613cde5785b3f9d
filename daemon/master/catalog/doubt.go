package catalog

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/store"
)

// Doubt says that the pools may not follow from the records any more: what a transaction took was given back while nobody
// knew whether the store had carried it out, and the watch may have told of it before. Load then makes all of them
// anew, under a new term, in which no late transaction can come any more.
func (c *Catalog) Doubt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubted = true
}

// settle makes everything that follows from the records anew, if it was doubted.
func (c *Catalog) settle(log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doubted {
		c.rebuild(log)
	}
}

// rebuild makes everything that follows from the records anew. The caller holds the lock.
func (c *Catalog) rebuild(log *slog.Logger) {
	c.doubted = false
	old := c.view
	v := newView()
	v.revision, v.complete, v.gone = old.revision, old.complete, old.gone
	items := slices.SortedFunc(maps.Values(old.known), func(a, b store.Item) int {
		return cmp.Or(rank(a.Key)-rank(b.Key), strings.Compare(a.Key, b.Key))
	})
	for _, it := range items {
		if err := v.put(it); err != nil {
			log.Error("passed over a record of the store", "key", it.Key, "err", err)
		}
	}
	v.agents, v.dirty, v.other = max(v.agents, old.agents), old.dirty, false // the objects are what they were
	c.view = v
}

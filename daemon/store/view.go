package store

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
)

// View is a table in memory that follows the store, with indexes. One watch may feed several views: Apply passes over
// what is not of the view's table. All methods are safe for concurrent use. Records are shared: do not change them.
type View[T any] struct {
	table   Table[T]
	indexes map[string]func(Record[T]) []string

	mu       sync.RWMutex
	records  map[string]Record[T]
	entries  map[string]map[string]map[string]struct{} // index, index key, IDs
	revision Revision
	changed  chan struct{}
}

// NewView makes an empty view. Each index computes the keys under which it finds a record.
func NewView[T any](t Table[T], indexes map[string]func(Record[T]) []string) *View[T] {
	v := &View[T]{
		table: t, indexes: maps.Clone(indexes), records: map[string]Record[T]{},
		entries: map[string]map[string]map[string]struct{}{}, changed: make(chan struct{}),
	}
	for name := range indexes {
		v.entries[name] = map[string]map[string]struct{}{}
	}
	return v
}

// Apply brings the view up to an update and returns the IDs that changed, ordered. A record that cannot be read counts
// as absent and is named by the error; the rest of the update is applied all the same.
func (v *View[T]) Apply(u Update) (changed []string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	touched := map[string]struct{}{}
	present := map[string]struct{}{}
	for _, key := range u.Gone {
		if id, ok := v.table.ID(key); ok && v.remove(id) {
			touched[id] = struct{}{}
		}
	}
	for _, i := range u.Items {
		id, ok := v.table.ID(i.Key)
		if !ok {
			continue
		}
		if old, ok := v.records[id]; ok && old.Revision == i.Revision {
			present[id] = struct{}{}
			continue
		}
		v.remove(id)
		touched[id] = struct{}{}
		r, err := v.table.Decode(i)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		present[id] = struct{}{}
		v.insert(r)
	}
	if u.Full {
		for id := range v.records {
			if _, ok := present[id]; !ok {
				v.remove(id)
				touched[id] = struct{}{}
			}
		}
	}
	v.revision = u.Revision
	close(v.changed)
	v.changed = make(chan struct{})
	return slices.Sorted(maps.Keys(touched)), errors.Join(errs...)
}

func (v *View[T]) insert(r Record[T]) {
	v.records[r.ID] = r
	for name, keys := range v.indexes {
		for _, key := range keys(r) {
			ids := v.entries[name][key]
			if ids == nil {
				ids = map[string]struct{}{}
				v.entries[name][key] = ids
			}
			ids[r.ID] = struct{}{}
		}
	}
}

func (v *View[T]) remove(id string) bool {
	r, ok := v.records[id]
	if !ok {
		return false
	}
	delete(v.records, id)
	for name, keys := range v.indexes {
		for _, key := range keys(r) {
			delete(v.entries[name][key], id)
			if len(v.entries[name][key]) == 0 {
				delete(v.entries[name], key)
			}
		}
	}
	return true
}

// Get returns a record.
func (v *View[T]) Get(id string) (Record[T], bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	r, ok := v.records[id]
	return r, ok
}

// All yields a snapshot of the records, ordered by ID.
func (v *View[T]) All() iter.Seq[Record[T]] {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return slices.Values(v.sorted(maps.Keys(v.records)))
}

// By returns the records that an index finds under key, ordered by ID.
func (v *View[T]) By(index, key string) []Record[T] {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.sorted(maps.Keys(v.entries[index][key]))
}

func (v *View[T]) sorted(ids iter.Seq[string]) []Record[T] {
	var list []Record[T]
	for _, id := range slices.Sorted(ids) {
		list = append(list, v.records[id])
	}
	return list
}

// Len is how many records there are.
func (v *View[T]) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.records)
}

// Revision is the store revision up to which the view is complete; 0 before the first update.
func (v *View[T]) Revision() Revision {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.revision
}

// Changed is closed by the next Apply. Take it before you look.
func (v *View[T]) Changed() <-chan struct{} {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.changed
}

// Wait blocks until the view is complete up to rev or ctx ends, whose error it then returns.
func (v *View[T]) Wait(ctx context.Context, rev Revision) error {
	for {
		changed := v.Changed()
		if v.Revision() >= rev {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

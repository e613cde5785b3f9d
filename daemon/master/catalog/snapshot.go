package catalog

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Snapshot is what is known at one moment, for who compares it with that of another. Its tables are to be read, and nothing in them to be changed.
type Snapshot struct {
	Items     *table.Table[string, store.Item]
	Endpoints *table.Table[identity.Endpoint, *Member]
	Global    *record.Global
	Newest    store.Revision // of the newest change that is known
	Complete  store.Revision // everything up to here is known

	// What two snapshots do not show: keys that were deleted between them, be they in the first or not; the revisions up to which everything
	// was known in between, after the last list; and that there was a list, whose store may be another one.
	Deleted map[string]struct{}
	Passed  []store.Revision
	Gap     bool
}

// since is what has happened since a snapshot. Nothing is noted in a nil one.
type since struct {
	deletions map[string]struct{}
	passed    []store.Revision
	gap       bool
}

// deleted notes that a key was deleted.
func (s *since) deleted(key string) {
	if s != nil {
		s.deletions[key] = struct{}{}
	}
}

// updated notes an update of the watch, with the keys that it told to be gone and that were not known.
func (s *since) updated(u store.Update, fleeting []string) {
	if s == nil {
		return
	}
	if u.Full {
		s.listed()
	}
	s.passed = append(s.passed, u.Revision)
	for _, key := range fleeting {
		s.deletions[key] = struct{}{}
	}
}

// listed notes that the store was listed.
func (s *since) listed() {
	if s != nil {
		s.gap, s.passed = true, nil
	}
}

// Snapshot returns what is known, and a channel that is closed when more is. It takes constant time. What has happened since the last snapshot
// is told once, so it is for one caller.
func (c *Catalog) Snapshot() (Snapshot, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := Snapshot{Items: c.view.items.Clone(), Endpoints: c.view.endpoints.Clone(), Global: c.view.global, Newest: c.store.Revision(), Complete: c.store.Complete(), Gap: c.since == nil}
	if c.since != nil {
		out.Deleted, out.Passed, out.Gap = c.since.deletions, c.since.passed, c.since.gap
	}
	c.since = &since{deletions: map[string]struct{}{}}
	return out, c.moved
}

// Reset is closed when the store was made again, and nothing more comes.
func (c *Catalog) Reset() <-chan struct{} { return c.reset }

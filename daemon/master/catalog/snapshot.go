// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Snapshot is the state at one moment, for comparison with another snapshot. Its tables are read-only.
type Snapshot struct {
	Items     *table.Table[string, store.Item]
	Endpoints *table.Table[identity.Endpoint, *Member]
	Global    *record.Global
	Newest    store.Revision // of the newest known change
	Complete  store.Revision // everything up to this revision is known

	// Two snapshots do not show the following: keys that were deleted between them, whether or not the first has them; the revisions up
	// to which everything was known in between, after the last list; and whether there was a list, whose store may be another one.
	Deleted map[string]struct{}
	Passed  []store.Revision
	Gap     bool
}

// since has the changes since a snapshot. A nil since records nothing.
type since struct {
	deletions map[string]struct{}
	passed    []store.Revision
	gap       bool
}

// deleted records that a key was deleted.
func (s *since) deleted(key string) {
	if s != nil {
		s.deletions[key] = struct{}{}
	}
}

// updated records an update of the watch, with the unknown keys that it deleted.
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

// listed records that the store was listed.
func (s *since) listed() {
	if s != nil {
		s.gap, s.passed = true, nil
	}
}

// Snapshot returns the current state, and a channel that is closed when it changes. It takes constant time. The changes since the last
// snapshot are returned once, so only one caller may use Snapshot.
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

// Reset is closed when the store was recreated; no changes follow.
func (c *Catalog) Reset() <-chan struct{} { return c.reset }

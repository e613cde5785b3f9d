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
}

// Snapshot returns what is known, and a channel that is closed when more is. It takes constant time.
func (c *Catalog) Snapshot() (Snapshot, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Snapshot{Items: c.view.items.Clone(), Endpoints: c.view.endpoints.Clone(), Global: c.view.global,
		Newest: c.store.Revision(), Complete: c.store.Complete()}, c.moved
}

// Reset is closed when the store was made again, and nothing more comes.
func (c *Catalog) Reset() <-chan struct{} { return c.reset }

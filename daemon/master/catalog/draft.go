// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/table"
)

// Draft is a view that may be changed like the store: without a commit, its changes are dropped with it, and no one else sees them. It has
// no history records. It is not safe for concurrent use.
type Draft struct {
	*View
	from  *table.Table[string, store.Item] // contents of the store
	wrong bool                             // a malformed value was skipped
}

// mark identifies the view that may change a pool, because no other view sees the pool. It has a size, so that two marks never share an
// address.
type mark struct{ _ byte }

// Draft returns a draft of the current state. It takes constant time: each side copies what it changes from then on.
func (c *Catalog) Draft() *Draft {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.view
	d := *v
	d.items = v.items.Clone()
	d.objects = *v.objects.Clone()
	d.tenants = *v.tenants.Clone()
	d.networks, d.networks6, d.pools = *v.networks.Clone(), *v.networks6.Clone(), *v.pools.Clone()
	d.groups = *v.groups.Clone()
	d.endpoints = *v.endpoints.Clone()
	d.serviceLBs, d.providers = *v.serviceLBs.Clone(), *v.providers.Clone()
	d.balancers, d.holds = *v.balancers.Clone(), *v.holds.Clone()
	d.dockerNetworks = *v.dockerNetworks.Clone()
	d.services, d.hosts, d.runs = *v.services.Clone(), *v.hosts.Clone(), *v.runs.Clone()
	d.profiles = *v.profiles.Clone()
	d.joinTokens, d.certified = *v.joinTokens.Clone(), *v.certified.Clone()
	d.allocations, d.slices = *v.allocations.Clone(), *v.slices.Clone()
	d.kubeAddresses, d.nodes = *v.kubeAddresses.Clone(), *v.nodes.Clone()
	d.timeline = *v.timeline.Clone()
	d.passwords, d.tokens, d.audit = *v.passwords.Clone(), *v.tokens.Clone(), *v.audit.Clone()
	d.history = of[event]{}
	v.mark, d.mark = new(mark), new(mark)
	d.draft, d.dirty = true, map[Ref]struct{}{}
	return &Draft{View: &d, from: d.items.Clone()}
}

// Apply applies an operation. A malformed record is skipped, as in an update of the store.
func (d *Draft) Apply(op store.Op) {
	if op.Delete {
		d.items.Delete(op.Key)
	} else {
		d.items.Set(op.Key, store.Item{Key: op.Key, Value: op.Value, Revision: d.items.Get(op.Key).Revision})
	}
	if err := d.set(op.Key, op.Value, !op.Delete); err != nil {
		d.wrong = true
	}
}

// Committed applies the leader's commit at rev, before the watch delivers it. A draft with exactly these changes becomes the current state,
// unless something else has changed meanwhile; d may be nil. The draft must not be used again.
func (c *Catalog) Committed(d *Draft, ops []store.Op, rev store.Revision, log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := d != nil && !d.wrong && rev > c.store.Revision() && table.Same(d.from, c.view.items)
	if !same {
		c.apply(c.store.Committed(ops, rev), log)
		return
	}
	c.store.Adopt(d.items)
	c.store.Committed(ops, rev)
	before, dirty := c.view, d.dirty
	c.view = d.View
	c.view.history, c.view.dirty, c.view.draft = before.history, before.dirty, false
	c.view.touch(slices.Collect(maps.Keys(dirty))...)
	for _, op := range ops {
		if op.Delete {
			c.since.deleted(op.Key)
		}
		if strings.HasPrefix(op.Key, record.History) {
			_ = c.view.set(op.Key, op.Value, !op.Delete) // any value is valid
		}
	}
	c.publish()
}

// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
)

// Past makes a draft the state of an earlier moment by operations, which undo what happened since, and returns a catalog of only that state. Malformed values
// are skipped. rev is the revision of the moment. The draft must not be used again, and nothing changes the catalog.
func (d *Draft) Past(ops []store.Op, rev store.Revision) *Catalog {
	changes := make([]mirror.Change, len(ops))
	for i, op := range ops {
		changes[i].Key, changes[i].Has = op.Key, !op.Delete
	}
	for i := range inOrder(changes) {
		d.Apply(ops[i])
	}
	d.past, d.revision = true, rev
	c := New()
	c.view = d.View
	return c
}

// IsPast reports whether the view shows an earlier moment, of which hosts, objects of Kubernetes and networks of Docker are not known.
func (v *View) IsPast() bool { return v.past }

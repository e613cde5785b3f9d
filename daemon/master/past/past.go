// SPDX-License-Identifier: Apache-2.0

// Package past restores the state of the cluster's objects, endpoints and addresses at an earlier moment, from the present state and from the
// history of what happened since.
package past

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/store"
)

// State is the state at an earlier moment. Of hosts, objects of Kubernetes and networks of Docker it has nothing, because the history does not.
// A network or group that was deleted since has only the numbers that its object names.
type State struct {
	history.Position
	Catalog *catalog.Catalog // nothing changes it
}

// At returns the state of a catalog at a moment. An error, which names field at, means that the history does not have it.
func At(c *catalog.Catalog, keep history.Keep, m history.Moment) (*State, error) {
	present := c.Draft() // before the history: to undo a change that the draft lacks is harmless
	log := Log(c, keep)
	p, err := log.Position(m)
	if err != nil {
		return nil, err
	}
	changed, err := log.Earlier(m, kept, func(n history.Name) []byte { return present.Value(history.KeyOf(n.Kind, n.Key)) })
	if err != nil {
		return nil, err
	}
	owners, err := log.ChangedOwners(m)
	if err != nil {
		return nil, err
	}
	u := &undo{view: present.View, changed: changed, owners: owners}
	if err := u.all(); err != nil {
		return nil, err
	}
	return &State{Position: p, Catalog: present.Past(u.ops, store.Revision(p.Revision))}, nil
}

// Log returns the history of a catalog.
func Log(c *catalog.Catalog, keep history.Keep) (l history.Log) {
	c.View(func(v *catalog.View) { l = history.Open(v, keep) })
	return l
}

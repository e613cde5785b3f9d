// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"slices"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Segments are the networks and groups to which containers can be attached.
type Segments struct {
	Networks []record.Network // ordered by id
	Groups   []record.Group   // ordered by id
	ACI      bool             // the fabric is ACI: containers are attached to groups only
}

// Segments returns the networks and groups of all tenants, as last received; before Ready is closed, some of them may be missing.
func (e *Engine) Segments() Segments {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := Segments{ACI: e.records.byACI()}
	for n := range e.records.networks.Values() {
		s.Networks = append(s.Networks, *n)
	}
	for g := range e.records.groups.Values() {
		s.Groups = append(s.Groups, *g)
	}
	slices.SortFunc(s.Networks, func(a, b record.Network) int { return a.ID.Compare(b.ID) })
	slices.SortFunc(s.Groups, func(a, b record.Group) int { return a.ID.Compare(b.ID) })
	return s
}

// Segment returns the network that containers of a segment are on: of a network for containers, or with a name of a group, of that group if it is on the network. False: the host
// knows of no such segment.
func (e *Engine) Segment(id identity.Network, group string) (record.Network, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.records.networks.Get(id.String())
	if n == nil || n.Kind == record.InfraNetwork || !n.Subnet.IsValid() {
		return record.Network{}, false
	}
	if group != "" {
		if g := e.records.groups.Get(identity.Group{Tenant: id.Tenant, Name: group}.String()); g == nil || g.Network != id {
			return record.Network{}, false
		}
	}
	return *n, true
}

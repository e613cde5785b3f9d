package desired

import (
	"slices"

	"github.com/contiv/contiv/daemon/record"
)

// Segments are what containers can be attached to.
type Segments struct {
	Networks []record.Network // ordered by id
	Groups   []record.Group   // ordered by id
	ACI      bool             // the fabric is ACI: containers are attached to groups alone
}

// Segments returns the networks and groups of all tenants, as last heard; before Ready is closed, some of them may be missing.
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

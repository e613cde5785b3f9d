// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// Member is an endpoint in the catalog.
type Member struct {
	*record.Endpoint
	text atomic.Pointer[json.RawMessage]
}

// Endpoints by id, which orders them by network, and by the objects that they belong to.
var (
	endpointsInOrder   = table.Sorted[identity.Endpoint](func(a, b *Member) int { return a.ID.Compare(b.ID) })
	endpointsOnNetwork = table.Sum[identity.Endpoint](func(m *Member) (identity.Network, uint64) { return m.ID.Network, 1 })
	endpointsOnHost    = table.Sum[identity.Endpoint](func(m *Member) (string, uint64) { return m.Host, 1 })
	endpointsInGroup   = table.By[identity.Endpoint](func(m *Member) identity.Group { return m.Group })
	endpointsOfPod     = table.By[identity.Endpoint](func(m *Member) identity.Pod { return m.Pod.ID })
)

func memberID(m *Member) identity.Endpoint { return m.ID }

// decodeMember decodes an endpoint. There may be very many endpoints, so texts that the key repeats share the key's memory.
func decodeMember(name string, value []byte) (*Member, error) {
	m := &Member{Endpoint: new(record.Endpoint)}
	if err := m.UnmarshalJSON(value); err != nil { // json.Unmarshal would scan the value twice first
		return m, err
	}
	if id, err := identity.ParseEndpoint(name); err == nil && id == m.ID {
		m.ID = id
	}
	if m.ContainerID == m.ID.Endpoint {
		m.ContainerID = m.ID.Endpoint
	}
	return m, nil
}

func endpointAllocation(m *Member) (allocation, error) {
	return allocation{owner: owner{"endpoint", &m.ID}, network: m.ID.Network, addresses: valid(m.IP, m.IP6)}, nil
}

func (v *View) endpointChanged(was, now *Member) error {
	v.touch(Ref{model.KindEndpoint().Name, cmp.Or(now, was).ID.String()})
	return nil
}

// Text returns the result of show for the endpoint. It is cached until the endpoint changes, so every caller must pass the same show; the
// bytes must not be changed.
func (m *Member) Text(show func(*record.Endpoint) (json.RawMessage, error)) (json.RawMessage, error) {
	if kept := m.text.Load(); kept != nil {
		return *kept, nil
	}
	text, err := show(m.Endpoint)
	if err != nil {
		return nil, err
	}
	m.text.Store(&text)
	return text, nil
}

// Endpoint returns an endpoint's record, nil if there is none.
func (v *View) Endpoint(id identity.Endpoint) *record.Endpoint {
	if m := v.endpoints.Get(id); m != nil {
		return m.Endpoint
	}
	return nil
}

// Member returns an endpoint with its cached texts, nil if there is none.
func (v *View) Member(id identity.Endpoint) *Member { return v.endpoints.Get(id) }

// Members yields all endpoints, ordered by id.
func (v *View) Members(yield func(*Member) bool) { endpointsInOrder.All(&v.endpoints)(yield) }

// MembersAfter yields the endpoints that follow an id, which need not exist, ordered by id.
func (v *View) MembersAfter(id identity.Endpoint) iter.Seq[*Member] {
	return func(yield func(*Member) bool) {
		for m := range endpointsInOrder.From(&v.endpoints, &Member{Endpoint: &record.Endpoint{ID: id}}) {
			if m.ID != id && !yield(m) {
				return
			}
		}
	}
}

// CountEndpoints returns the number of endpoints.
func (v *View) CountEndpoints() int { return v.endpoints.Len() }

// EndpointsByHost returns the number of endpoints of each host that has any, by its label. The caller may change the map.
func (v *View) EndpointsByHost() map[string]int {
	return maps.Collect(endpointsOnHost.Each(&v.endpoints))
}

// Endpoints returns all endpoints, ordered by id.
func (v *View) Endpoints() []*record.Endpoint { return records(v.Members, v.endpoints.Len()) }

// EndpointsOf returns the endpoints on a network, ordered by id.
func (v *View) EndpointsOf(n *Network) []*record.Endpoint { return records(n.Members, n.Endpoints()) }

// EndpointsIn returns the endpoints in a group, ordered by id.
func (v *View) EndpointsIn(group identity.Group) []*record.Endpoint {
	members := sortedByID(endpointsInGroup.In(&v.endpoints, group).Values(), memberID)
	return records(slices.Values(members), len(members))
}

// CountEndpointsIn returns the number of endpoints of a group.
func (v *View) CountEndpointsIn(group identity.Group) int {
	return endpointsInGroup.In(&v.endpoints, group).Len()
}

// EndpointsOfPod returns the endpoints of the pods with a name, ordered by id: a deleted pod may have left its own.
func (v *View) EndpointsOfPod(id identity.Pod) []*record.Endpoint {
	members := sortedByID(endpointsOfPod.In(&v.endpoints, id).Values(), memberID)
	return records(slices.Values(members), len(members))
}

// CountIn returns the number of endpoints in a group.
func (v *View) CountIn(group identity.Group) int {
	return endpointsInGroup.In(&v.endpoints, group).Len()
}

func records(members iter.Seq[*Member], n int) []*record.Endpoint {
	out := make([]*record.Endpoint, 0, n)
	for m := range members {
		out = append(out, m.Endpoint)
	}
	return out
}

// FindEndpoint returns the endpoint with that identity; else the first, in order, whose name, container id or common name is text; else the
// first in which one of these contains text. Several tenants may have endpoints of one container id.
func (v *View) FindEndpoint(text string) *record.Endpoint {
	if id, err := identity.ParseEndpoint(text); err == nil && v.Endpoint(id) != nil {
		return v.Endpoint(id)
	}
	var part *record.Endpoint
	for m := range v.Members {
		switch e := m.Endpoint; {
		case e.Called(text):
			return e
		case part == nil && e.Holds(text):
			part = e
		}
	}
	return part
}

// Endpoints returns all endpoints of this moment, in constant time: to read them blocks no change.
func (c *Catalog) Endpoints() *table.Table[identity.Endpoint, *Member] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view.endpoints.Clone()
}

// InOrder yields endpoints ordered by id. They are those of Catalog.Endpoints, or of an empty table that NewEndpoints returned.
func InOrder(t *table.Table[identity.Endpoint, *Member]) iter.Seq[*Member] {
	return endpointsInOrder.All(t)
}

// NewEndpoints returns an empty table for endpoints.
func NewEndpoints() *table.Table[identity.Endpoint, *Member] {
	return table.New(endpointsInOrder, endpointsOnNetwork, endpointsOnHost, endpointsInGroup, endpointsOfPod)
}

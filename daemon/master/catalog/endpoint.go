package catalog

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// Member is an endpoint that the catalog knows.
type Member struct {
	*record.Endpoint
	text atomic.Pointer[json.RawMessage]
}

// Endpoints by id, by network and id, and by what they belong to.
var (
	endpointsInOrder   = table.Sorted[string](func(a, b *Member) int { return strings.Compare(a.ID, b.ID) })
	endpointsByNetwork = table.Sorted[string](func(a, b *Member) int {
		return cmp.Or(strings.Compare(a.NetID, b.NetID), strings.Compare(a.ID, b.ID))
	})
	endpointsOnNetwork = table.Sum[string](func(m *Member) (string, uint64) { return m.NetID, 1 })
	endpointsInGroup   = table.By[string](func(m *Member) string { return m.EndpointGroupKey })
)

func decodeMember(name string, value []byte) (*Member, error) {
	e, err := rows[record.Endpoint]{id: func(e *record.Endpoint) string { return e.ID }}.read(name, value)
	return &Member{Endpoint: e}, err
}

func endpointTakes(m *Member) (taking, error) {
	t := taking{owner: "endpoint " + m.ID, network: m.NetID, group: m.EndpointGroupKey}
	return t, t.parse(m.IPAddress, m.IPv6Address)
}

func (v *View) endpointChanged(was, now *Member) error {
	v.touch(Ref{model.KindEndpoint().Name, cmp.Or(now, was).ID})
	return nil
}

// Text returns what show makes of the endpoint. It is kept until the endpoint changes, so every caller gives the same
// show; the bytes must not be changed.
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

// Endpoint returns an endpoint's record by its state id, nil when there is none.
func (v *View) Endpoint(id string) *record.Endpoint {
	if m := v.endpoints.Get(id); m != nil {
		return m.Endpoint
	}
	return nil
}

// Member is Endpoint with what is kept of it.
func (v *View) Member(id string) *Member { return v.endpoints.Get(id) }

// Members yields all endpoints, ordered by id.
func (v *View) Members(yield func(*Member) bool) { endpointsInOrder.All(v.endpoints)(yield) }

// CountEndpoints is the number of endpoints.
func (v *View) CountEndpoints() int { return v.endpoints.Len() }

// Endpoints returns all endpoints, ordered by id.
func (v *View) Endpoints() []*record.Endpoint { return records(v.Members, v.endpoints.Len()) }

// EndpointsOf returns the endpoints on a network, ordered by id.
func (v *View) EndpointsOf(n *Network) []*record.Endpoint { return records(n.Members, n.Endpoints()) }

// EndpointsIn returns the endpoints in a group, "group:tenant", ordered by id.
func (v *View) EndpointsIn(group string) []*record.Endpoint {
	members := sortedBy(endpointsInGroup.In(v.endpoints, group).Values(), func(m *Member) string { return m.ID })
	return records(slices.Values(members), len(members))
}

// CountIn is the number of endpoints in a group.
func (v *View) CountIn(group string) int { return endpointsInGroup.In(v.endpoints, group).Len() }

func records(members iter.Seq[*Member], n int) []*record.Endpoint {
	out := make([]*record.Endpoint, 0, n)
	for m := range members {
		out = append(out, m.Endpoint)
	}
	return out
}

// TenantOf is the tenant of an endpoint, "" when it is unknown.
func (v *View) TenantOf(e *record.Endpoint) string {
	if n := v.networks.Get(e.NetID); n != nil {
		return n.Record.Tenant
	}
	return e.TenantOf()
}

// FindEndpoint returns the endpoint of that id, "network.tenant-container"; else the first, by id, whose endpoint id, container id or
// name is text; else the first in which one of these contains it. Ids of containers may be those of others in another tenant.
func (v *View) FindEndpoint(text string) *record.Endpoint {
	if e := v.Endpoint(text); e != nil {
		return e
	}
	var part *record.Endpoint
	for m := range v.Members {
		switch e := m.Endpoint; {
		case e.EndpointID == text || e.ContainerID == text || e.EPCommonName == text:
			return e
		case part == nil && (strings.Contains(e.EndpointID, text) || strings.Contains(e.ContainerID, text) || strings.Contains(e.EPCommonName, text)):
			part = e
		}
	}
	return part
}

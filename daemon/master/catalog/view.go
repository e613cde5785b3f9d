package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Revision is the store revision of the newest change in the view.
func (v *View) Revision() store.Revision { return v.revision }

// AgentRevision is the revision of the last change that agents must carry out.
func (v *View) AgentRevision() store.Revision { return v.agents }

// Numbers are the cluster's pools of numbers.
func (v *View) Numbers() *Numbers { return &v.numbers }

// Global is the effective configuration, nil before the first leader has written it.
func (v *View) Global() *record.Global { return v.global }

// Object returns a copy of an API object with its links, nil when there is none.
func (v *View) Object(k *model.Kind, key string) model.Object {
	e := v.objects[k.Name][key]
	if e == nil {
		return nil
	}
	return v.linked(e)
}

// Stored returns an API object as it is stored, without its links, nil when there is none. The caller must not change it.
func (v *View) Stored(k *model.Kind, key string) model.Object {
	if e := v.objects[k.Name][key]; e != nil {
		return e.object
	}
	return nil
}

// Has tells whether an object exists.
func (v *View) Has(kind, key string) bool { return v.objects[kind][key] != nil }

// Objects returns copies of all objects of a kind with their links, ordered by key.
func (v *View) Objects(k *model.Kind) []model.Object {
	out := make([]model.Object, 0, len(v.objects[k.Name]))
	for _, key := range slices.Sorted(maps.Keys(v.objects[k.Name])) {
		out = append(out, v.linked(v.objects[k.Name][key]))
	}
	return out
}

// Keys are the keys of all objects of a kind, sorted.
func (v *View) Keys(k *model.Kind) []string { return slices.Sorted(maps.Keys(v.objects[k.Name])) }

// NotFound is the refusal of a key that no object has.
func (v *View) NotFound(k *model.Kind, key string) *model.Error {
	return model.NotFound(k, key, v.Keys)
}

// Count is the number of objects of a kind.
func (v *View) Count(k *model.Kind) int { return len(v.objects[k.Name]) }

// Range calls fn with every object of a kind, in no order and without links. fn must not change or keep the object.
func (v *View) Range(k *model.Kind, fn func(model.Object)) {
	for _, e := range v.objects[k.Name] {
		fn(e.object)
	}
}

// Referrers lists the keys of the objects of one kind that link to an object, ordered.
func (v *View) Referrers(to *model.Kind, key, from string) []string {
	return slices.Sorted(maps.Keys(v.referrers[to.Name+"/"+key][from]))
}

// Tenant returns a record by its state id, nil when there is none; so do Network, Group and Endpoint.
func (v *View) Tenant(id string) *record.Tenant { return v.tenants[id] }
func (v *View) Network(id string) *Network      { return v.networks[id] }
func (v *View) Group(id string) *record.Group   { return v.groups[id] }

// NetworkOf returns a tenant's network by name, nil when there is none. An id "network.tenant" may read the same for another
// tenant's network: that is not it.
func (v *View) NetworkOf(tenant, name string) *Network {
	n := v.networks[name+"."+tenant]
	if n == nil || n.Record.Tenant != tenant || n.Record.NetworkName != name {
		return nil
	}
	return n
}

// TenantOf is the tenant of an endpoint, "" when nobody knows.
func (v *View) TenantOf(e *record.Endpoint) string {
	if n := v.networks[e.NetID]; n != nil {
		return n.Record.Tenant
	}
	return e.TenantOf()
}

func (v *View) Endpoint(id string) *record.Endpoint {
	if m := v.endpoints[id]; m != nil {
		return m.Endpoint
	}
	return nil
}

// Member is Endpoint with what is kept of it.
func (v *View) Member(id string) *Member { return v.endpoints[id] }

// Members yields all endpoints, ordered by id.
func (v *View) Members(yield func(*Member) bool) { v.ordered.all(yield) }

// CountEndpoints is the number of endpoints.
func (v *View) CountEndpoints() int { return len(v.endpoints) }

// PolicyRule returns a record by its state id, nil when there is none; so do ServiceLB and Provider.
func (v *View) PolicyRule(id string) *record.PolicyRule { return v.policyRules[id] }
func (v *View) ServiceLB(id string) *record.ServiceLB   { return v.serviceLBs[id] }
func (v *View) Provider(id string) *record.Provider     { return v.providers[id] }

// ServiceLBs returns all services of a tenant, ordered by id.
func (v *View) ServiceLBs(tenant string) []*record.ServiceLB {
	var out []*record.ServiceLB
	for _, s := range v.serviceLBs {
		if s.Tenant == tenant {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *record.ServiceLB) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// ProvidersOf returns the endpoints that are providers of a service, ordered by id.
func (v *View) ProvidersOf(s *record.ServiceLB) []*record.Endpoint {
	var out []*record.Endpoint
	for _, n := range v.Networks(s.Tenant) {
		for _, e := range v.EndpointsOf(n) {
			if s.Selects(e.Labels) {
				out = append(out, e)
			}
		}
	}
	return out
}

// Networks returns all networks of a tenant (of all, when tenant is empty), ordered by id.
func (v *View) Networks(tenant string) []*Network {
	var out []*Network
	for _, n := range v.networks {
		if tenant == "" || n.Record.Tenant == tenant {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *Network) int { return cmp.Compare(a.Record.ID, b.Record.ID) })
	return out
}

// Groups returns all groups of a tenant (of all, when tenant is empty), ordered by id.
func (v *View) Groups(tenant string) []*record.Group {
	var out []*record.Group
	for _, g := range v.groups {
		if tenant == "" || g.TenantName == tenant {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b *record.Group) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Endpoints returns all endpoints, ordered by id.
func (v *View) Endpoints() []*record.Endpoint {
	return v.ordered.records()
}

// EndpointsOf returns the endpoints on a network, ordered by id.
func (v *View) EndpointsOf(n *Network) []*record.Endpoint { return n.endpoints.records() }

// EndpointsIn returns the endpoints in a group, "group:tenant", ordered by id.
func (v *View) EndpointsIn(group string) []*record.Endpoint {
	return v.sorted(maps.Keys(v.byGroup[group]))
}

// CountIn is the number of endpoints in a group.
func (v *View) CountIn(group string) int { return len(v.byGroup[group]) }

func (v *View) sorted(ids func(func(string) bool)) []*record.Endpoint {
	var out []*record.Endpoint
	for _, id := range slices.Sorted(ids) {
		out = append(out, v.endpoints[id].Endpoint)
	}
	return out
}

// FindEndpoint returns the endpoint of that id, "network.tenant-container"; else the first, by id, whose endpoint id, container id or
// name is text; else the first in which one of these contains it. Ids of containers may be those of others in another tenant.
func (v *View) FindEndpoint(text string) *record.Endpoint {
	if m := v.endpoints[text]; m != nil {
		return m.Endpoint
	}
	var found *record.Endpoint
	whole := false
	for _, m := range v.endpoints {
		e := m.Endpoint
		is := e.EndpointID == text || e.ContainerID == text || e.EPCommonName == text
		if !is && (whole || !strings.Contains(e.EndpointID, text) && !strings.Contains(e.ContainerID, text) && !strings.Contains(e.EPCommonName, text)) {
			continue
		}
		if found == nil || is && !whole || e.ID < found.ID {
			found, whole = e, is
		}
	}
	return found
}

// Services returns the registered instances of a service, ordered by key.
func (v *View) Services(name string) []record.Service {
	var out []record.Service
	for _, key := range slices.Sorted(maps.Keys(v.services)) {
		if s := v.services[key]; s.ServiceName == name {
			out = append(out, s)
		}
	}
	return out
}

// Running tells whether the agent of a host runs, as far as the store knows.
func (v *View) Running(host string) bool {
	if v.known[record.LiveClaim(host)].Key != "" {
		return true
	}
	for _, s := range v.services { // an agent of an older build claims nothing
		if s.ServiceName == record.ServiceAgent && s.Hostname == host {
			return true
		}
	}
	return false
}

// KeyRevision is the revision of the last change of a key, 0 when it does not exist.
func (v *View) KeyRevision(key string) store.Revision { return v.known[key].Revision }

// ClaimAt returns the claim at a store key, such as record.HostClaim(LABEL), nil when there is none.
func (v *View) ClaimAt(key string) *record.Claim { return v.claims[key] }

// Holds returns all held addresses with their store keys.
func (v *View) Holds() map[string]Hold { return maps.Clone(v.holds) }

// HoldOf returns the hold on an address of a network.
func (v *View) HoldOf(network, address string) (Hold, bool) {
	h, ok := v.holds[HoldKey(network, address)]
	return h, ok
}

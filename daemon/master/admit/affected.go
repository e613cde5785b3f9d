// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Affected returns the groups, and the endpoints with their hosts, whose forwarding a change of an object affects now; none if there are
// none.
func Affected(v *catalog.View, o model.Object) *model.Affected {
	r := reach{view: v, groups: map[string]bool{}, endpoints: map[identity.Endpoint]*record.Endpoint{}}
	r.object(o)
	if len(r.groups)+len(r.endpoints) == 0 {
		return nil
	}
	out := &model.Affected{Groups: slices.Sorted(maps.Keys(r.groups)), Endpoints: len(r.endpoints)}
	hosts := map[string]bool{}
	for _, e := range r.endpoints {
		hosts[e.Host] = true
	}
	out.Hosts = slices.Sorted(maps.Keys(hosts))
	return out
}

// witness reports what the changes of one request affect. Consecutive rules of one policy affect the same groups.
type witness struct {
	policy string // of the last rule; "": it was no rule
	last   *model.Affected
}

func (w *witness) affected(v *catalog.View, o model.Object) *model.Affected {
	r, ok := o.(*model.Rule)
	if !ok {
		w.policy = ""
		return Affected(v, o)
	}
	if policy := model.Key(r.TenantName, r.PolicyName); policy != w.policy {
		w.policy, w.last = policy, Affected(v, o)
	}
	return w.last
}

// reach collects what a change affects.
type reach struct {
	view      *catalog.View
	groups    map[string]bool // API keys
	endpoints map[identity.Endpoint]*record.Endpoint
}

func (r *reach) object(o model.Object) {
	switch o := o.(type) {
	case *model.Global:
		r.tenant("")
	case *model.Tenant:
		r.tenant(o.TenantName)
	case *model.Network:
		r.network(r.view.Network(o.Identity()))
		r.referring(o, model.KindEndpointGroup())
	case *model.EndpointGroup:
		r.group(o.Identity())
	case *model.Policy, *model.Netprofile, *model.ExtContractsGroup:
		r.referring(o, model.KindEndpointGroup())
	case *model.Rule:
		r.referring(&model.Policy{TenantName: o.TenantName, PolicyName: o.PolicyName}, model.KindEndpointGroup())
	case *model.AppProfile:
		for _, name := range o.EndpointGroups {
			r.group(identity.Group{Tenant: o.TenantName, Name: name})
		}
	case *model.ServiceLB:
		if s := r.view.ServiceLB(o.Identity()); s != nil {
			r.add(r.view.ProvidersOf(s))
		}
	case *model.Bgp:
		for m := range r.view.Members {
			if m.Host == o.Hostname {
				r.endpoints[m.ID] = m.Endpoint
			}
		}
	}
}

// tenant adds a tenant's groups and networks; "" is all tenants.
func (r *reach) tenant(name string) {
	for _, n := range r.view.Networks(name) {
		r.network(n)
	}
	for _, g := range r.view.Groups(name) {
		r.group(g.ID)
	}
}

func (r *reach) network(n *catalog.Network) {
	if n != nil {
		r.add(r.view.EndpointsOf(n))
	}
}

func (r *reach) referring(o model.Object, from *model.Kind) {
	for _, key := range r.view.Referrers(o.Kind(), o.ObjectKey(), from.Name) {
		if g, ok := r.view.Stored(from, key).(*model.EndpointGroup); ok {
			r.group(g.Identity())
		}
	}
}

func (r *reach) group(id identity.Group) {
	if !r.view.Has(model.KindEndpointGroup().Name, id.String()) {
		return
	}
	r.groups[id.String()] = true
	r.add(r.view.EndpointsIn(id))
}

func (r *reach) add(list []*record.Endpoint) {
	for _, e := range list {
		r.endpoints[e.ID] = e
	}
}

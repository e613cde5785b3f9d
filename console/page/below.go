// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// childrenOf is the page below an object: of a network and a group its endpoints, of a tenant its networks, of a policy its rules, of what
// Kubernetes owns the pods that it is about; nil: there is none.
func childrenOf(k *model.Kind, key string) *Page {
	tenant, name, _ := identity.Cut(key)
	below := func(k *model.Kind, command string, fields map[string]string) *Page {
		return newTable(k, k.Many+" of "+key, command, func(o object) bool {
			for field, want := range fields {
				if o.Field(field) != want {
					return false
				}
			}
			return true
		})
	}
	switch k {
	case model.KindKubeNamespace():
		return podsOfNamespace(key)
	case model.KindNetworkPolicy(), model.KindClusterNetworkPolicy(), model.KindKubeService():
		return podsOf(k, key)
	case model.KindPolicy():
		return below(model.KindRule(), "netctl policy rule-ls --tenant "+tenant+" "+name, map[string]string{"tenantName": tenant, "policyName": name})
	case model.KindTenant():
		return below(model.KindNetwork(), "netctl network ls --tenant "+key, map[string]string{"tenantName": key})
	case model.KindNetwork():
		e := model.KindEndpoint()
		return newTable(e, e.Many+" of "+key, "netctl endpoint ls --tenant "+tenant+" --network "+name, func(o object) bool {
			at, _ := o.Field("key").(string)
			return identity.Within(at, key)
		})
	case model.KindEndpointGroup():
		return below(model.KindEndpoint(), "netctl endpoint ls --tenant "+tenant+" --group "+name, map[string]string{"endpointGroupKey": identity.Group{Tenant: tenant, Name: name}.Reversed()})
	}
	return nil
}

// endpointsOf makes a page of the endpoints on a host.
func endpointsOf(host string) *Page {
	k := model.KindEndpoint()
	return newTable(k, k.Many+" of "+host, "netctl endpoint ls --host "+host, func(o object) bool { return o.Field("homingHost") == host })
}

// namesakes makes a page of the endpoints with one ID.
func namesakes(id string) *Page {
	k := model.KindEndpoint()
	return newTable(k, k.Many+" of the name "+id, k.Listing(), func(o object) bool { return o.Field("endpointID") == id })
}

// rulesOf makes a page of the rules of a group's policies.
func rulesOf(g *model.EndpointGroup) *Page {
	k := model.KindRule()
	return newTable(k, k.Many+" of "+g.ObjectKey(), "netctl get rule --tenant "+g.TenantName, func(o object) bool {
		name, _ := o.Field("policyName").(string)
		return o.Field("tenantName") == g.TenantName && slices.Contains(g.Policies, name)
	})
}

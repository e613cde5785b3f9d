// SPDX-License-Identifier: Apache-2.0

package model

import (
	"github.com/contiv/contiv/identity"
)

// Identity returns the network's identity.
func (n *Network) Identity() identity.Network {
	return identity.Network{Tenant: n.TenantName, Name: n.NetworkName}
}

// On returns the identity of the group's network.
func (g *EndpointGroup) On() identity.Network {
	return identity.Network{Tenant: g.TenantName, Name: g.NetworkName}
}

// Identity returns the group's identity.
func (g *EndpointGroup) Identity() identity.Group {
	return identity.Group{Tenant: g.TenantName, Name: g.GroupName}
}

// Identity returns the service's identity.
func (s *ServiceLB) Identity() identity.Service {
	return identity.Service{Tenant: s.TenantName, Name: s.ServiceName}
}

// NetworkKey returns the key of the endpoint's network, "tenant:network", or "" if the endpoint's key is not of the form
// tenant:network:endpoint.
func (o *EndpointOper) NetworkKey() string {
	return identity.NetworkOf(o.Key)
}

// Tenant returns the tenant of the endpoint.
func (o *EndpointOper) Tenant() string {
	return identity.Scope(o.Key)
}

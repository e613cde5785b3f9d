package model

import (
	"github.com/contiv/contiv/identity"
)

// Identity is which network it is.
func (n *Network) Identity() identity.Network {
	return identity.Network{Tenant: n.TenantName, Name: n.NetworkName}
}

// On is the group's network.
func (g *EndpointGroup) On() identity.Network {
	return identity.Network{Tenant: g.TenantName, Name: g.NetworkName}
}

// Identity is which group it is.
func (g *EndpointGroup) Identity() identity.Group {
	return identity.Group{Tenant: g.TenantName, Name: g.GroupName}
}

// Identity is which service it is.
func (s *ServiceLB) Identity() identity.Service {
	return identity.Service{Tenant: s.TenantName, Name: s.ServiceName}
}

// NetworkKey is the key of the endpoint's network, "tenant:network"; "" when the endpoint's own is not of the form tenant:network:endpoint.
func (o *EndpointOper) NetworkKey() string {
	return identity.NetworkOf(o.Key)
}

// Tenant is the tenant of the endpoint.
func (o *EndpointOper) Tenant() string {
	return identity.Scope(o.Key)
}

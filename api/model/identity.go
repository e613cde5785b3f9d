package model

import "github.com/contiv/contiv/identity"

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

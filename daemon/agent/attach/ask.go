// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/identity"
)

// answer is an endpoint that the master has created.
type answer struct {
	endpoint record.Endpoint
	revision uint64 // of the store with the endpoint
}

// ask asks the master to create the endpoint of a request.
func (e *Engine) ask(ctx context.Context, r *Request) (*answer, error) {
	ctx, end := tracing.Step(ctx, "request endpoint")
	ep, rev, err := e.Master.CreateEndpoint(ctx, model.CreateEndpointRequest{
		TenantName: r.Tenant, NetworkName: r.Network, ServiceName: r.Group,
		EndpointID: EndpointID(r.ContainerID, r.IfName), EPCommonName: r.Name,
		ConfigEP: model.EndpointConfigRequest{Container: EndpointID(r.ContainerID, r.IfName), Host: e.Host,
			IPAddress: r.IPv4, IPv6Address: r.IPv6, ServiceName: r.Group, MacAddress: r.MAC, Tokens: r.Tokens},
		Labels: r.Labels, ContainerID: r.ContainerID, Machine: e.Machine, DockerNetwork: r.DockerNetwork, Pod: r.Pod, Bandwidth: r.Bandwidth,
	})
	end(err)
	if err != nil {
		return nil, err
	}
	want := identity.Endpoint{Network: identity.Network{Tenant: r.Tenant, Name: r.Network}, Endpoint: EndpointID(r.ContainerID, r.IfName)}
	if r.Pod != nil && r.Tenant == "" {
		want.Tenant = ep.ID.Tenant
	}
	if r.Pod != nil && r.Network == "" {
		want.Name = ep.ID.Name
	}
	if ep.ID != want {
		return nil, fmt.Errorf("netmaster answered with endpoint %s, want %s", ep.ID, want)
	}
	return &answer{ep, rev}, nil
}

// resolvePod asks the master for the endpoint of a pod whose network the master chooses, and records the choice in the request; nil: the
// request has it. After an error an endpoint may nevertheless exist: Detach and LostPorts find it in the store.
func (e *Engine) resolvePod(ctx context.Context, r *Request) (*answer, error) {
	if r.Pod == nil || r.Tenant != "" && r.Network != "" {
		return nil, nil
	}
	known, err := e.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	r.Tenant, r.Network, r.Group = known.endpoint.ID.Tenant, known.endpoint.ID.Name, known.endpoint.Service
	return known, nil
}

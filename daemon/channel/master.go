// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"context"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// Master is a netmaster with the routes for agents, in addition to those for everyone. All requests may be repeated.
type Master struct{ *client.Client }

// Endpoint is the answer of the routes that create and delete endpoints.
type Endpoint struct{ EndpointConfig record.Endpoint }

// CreateEndpoint requests an endpoint from the master and returns it with the revision that includes it. Requesting an existing one returns
// it unchanged, with the current revision.
func (m Master) CreateEndpoint(ctx context.Context, request model.CreateEndpointRequest) (record.Endpoint, client.Revision, error) {
	var out Endpoint
	rev, err := m.Post(ctx, "/plugin/createEndpoint", request, &out)
	return out.EndpointConfig, rev, err
}

// DeleteEndpoint removes an endpoint. Removing one that does not exist succeeds.
func (m Master) DeleteEndpoint(ctx context.Context, request model.DeleteEndpointRequest) error {
	_, err := m.Post(ctx, "/plugin/deleteEndpoint", request, nil)
	if client.IsCode(err, model.CodeNotFound) {
		return nil
	}
	return err
}

// UpdateEndpoint reports a container's start or death.
func (m Master) UpdateEndpoint(ctx context.Context, request model.UpdateEndpointRequest) error {
	_, err := m.Post(ctx, "/plugin/updateEndpoint", request, nil)
	return err
}

// AllocAddress holds an address for an endpoint that will be created.
func (m Master) AllocAddress(ctx context.Context, request model.AllocAddressRequest) (model.AllocAddressResponse, error) {
	var out model.AllocAddressResponse
	_, err := m.Post(ctx, "/plugin/allocAddress", request, &out)
	return out, err
}

// ReleaseAddress releases a held address.
func (m Master) ReleaseAddress(ctx context.Context, request model.ReleaseAddressRequest) error {
	_, err := m.Post(ctx, "/plugin/releaseAddress", request, nil)
	return err
}

// DockerPool returns the source of the addresses of a Docker network that is about to be created.
func (m Master) DockerPool(ctx context.Context, request model.DockerPoolRequest) (model.DockerPoolResponse, error) {
	var out model.DockerPoolResponse
	_, err := m.Post(ctx, "/plugin/requestDockerPool", request, &out)
	return out, err
}

// CreateDockerNetwork registers a network of a Docker engine, and returns what it stands for.
func (m Master) CreateDockerNetwork(ctx context.Context, request model.DockerNetworkRequest) (record.DockerNetwork, error) {
	var out record.DockerNetwork
	_, err := m.Post(ctx, "/plugin/createDockerNetwork", request, &out)
	return out, err
}

// NameDockerNetwork sets the name that the host's Docker engine has for one of its networks. A network that cannot have the name, such as
// one with endpoints, keeps its own: the error's code is CodeInUse or CodeConflict.
func (m Master) NameDockerNetwork(ctx context.Context, request model.DockerNetworkName) error {
	_, err := m.Post(ctx, "/plugin/nameDockerNetwork", request, nil)
	return err
}

// DeleteDockerNetwork removes such a network. Removing one that does not exist succeeds.
func (m Master) DeleteDockerNetwork(ctx context.Context, request model.DockerNetworkRemoval) error {
	_, err := m.Post(ctx, "/plugin/deleteDockerNetwork", request, nil)
	return err
}

// Offer offers a host's endpoints.
func (m Master) Offer(ctx context.Context, o Offer) (Offered, error) {
	var out Offered
	_, err := m.Post(ctx, OfferPath, o, &out)
	return out, err
}

// Register registers the machine as a host, with a running agent. It returns the host as stored.
func (m Master) Register(ctx context.Context, h record.Host) (record.Host, error) {
	var out record.Host
	_, err := m.Post(ctx, "/plugin/register", h, &out)
	return out, err
}

// Leave reports that an agent's instance on a host has ended.
func (m Master) Leave(ctx context.Context, q model.LeaveRequest) error {
	_, err := m.Post(ctx, "/plugin/leave", q, nil)
	return err
}

package channel

import (
	"context"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// Master is a netmaster with the routes that agents use, beside those for everyone. All requests may be repeated.
type Master struct{ *client.Client }

// Endpoint is the answer of the routes that create and delete endpoints.
type Endpoint struct{ EndpointConfig record.Endpoint }

// CreateEndpoint asks the master for an endpoint and returns it with the revision that made it known. Asking again for
// one that exists returns it unchanged, with the current revision.
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

// ReleaseAddress gives a held address back.
func (m Master) ReleaseAddress(ctx context.Context, request model.ReleaseAddressRequest) error {
	_, err := m.Post(ctx, "/plugin/releaseAddress", request, nil)
	return err
}

// DockerPool asks where the addresses of a Docker network come from that is about to be made.
func (m Master) DockerPool(ctx context.Context, request model.DockerPoolRequest) (model.DockerPoolResponse, error) {
	var out model.DockerPoolResponse
	_, err := m.Post(ctx, "/plugin/requestDockerPool", request, &out)
	return out, err
}

// CreateDockerNetwork says that there is a network of a Docker engine, and returns what it stands for.
func (m Master) CreateDockerNetwork(ctx context.Context, request model.DockerNetworkRequest) (record.DockerNetwork, error) {
	var out record.DockerNetwork
	_, err := m.Post(ctx, "/plugin/createDockerNetwork", request, &out)
	return out, err
}

// NameDockerNetwork says what the host's Docker engine calls one of its networks. A network that cannot have the name, as one with endpoints, keeps its own:
// the error's code is CodeInUse or CodeConflict.
func (m Master) NameDockerNetwork(ctx context.Context, request model.DockerNetworkName) error {
	_, err := m.Post(ctx, "/plugin/nameDockerNetwork", request, nil)
	return err
}

// DeleteDockerNetwork says that there is no such network any more. Removing one that does not exist succeeds.
func (m Master) DeleteDockerNetwork(ctx context.Context, request model.DockerNetworkRemoval) error {
	_, err := m.Post(ctx, "/plugin/deleteDockerNetwork", request, nil)
	return err
}

// Offer offers what a host carries.
func (m Master) Offer(ctx context.Context, o Offer) (Offered, error) {
	var out Offered
	_, err := m.Post(ctx, OfferPath, o, &out)
	return out, err
}

// Register has the machine be the host that it says it is, and its agent run. It returns the host as it is stored now.
func (m Master) Register(ctx context.Context, h record.Host) (record.Host, error) {
	var out record.Host
	_, err := m.Post(ctx, "/plugin/register", h, &out)
	return out, err
}

// Leave says that the agent with a seat at a host has ended.
func (m Master) Leave(ctx context.Context, q model.LeaveRequest) error {
	_, err := m.Post(ctx, "/plugin/leave", q, nil)
	return err
}

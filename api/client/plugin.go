package client

import (
	"context"
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// endpointAnswer is what the endpoint routes of agents answer.
type endpointAnswer struct{ EndpointConfig record.Endpoint }

// CreateEndpoint asks the master for an endpoint and returns it with the revision that made it known. Asking again for
// one that exists returns it unchanged, with the current revision.
func (c *Client) CreateEndpoint(ctx context.Context, request model.CreateEndpointRequest) (record.Endpoint, Revision, error) {
	var out endpointAnswer
	rev, err := c.call(ctx, http.MethodPost, "/plugin/createEndpoint", request, &out)
	return out.EndpointConfig, rev, err
}

// DeleteEndpoint removes an endpoint. Removing one that does not exist succeeds.
func (c *Client) DeleteEndpoint(ctx context.Context, request model.DeleteEndpointRequest) error {
	_, err := c.call(ctx, http.MethodPost, "/plugin/deleteEndpoint", request, nil)
	if IsCode(err, model.CodeNotFound) {
		return nil
	}
	return err
}

// UpdateEndpoint reports a container's start or death.
func (c *Client) UpdateEndpoint(ctx context.Context, request model.UpdateEndpointRequest) error {
	_, err := c.call(ctx, http.MethodPost, "/plugin/updateEndpoint", request, nil)
	return err
}

// AllocAddress holds an address for an endpoint that will be created.
func (c *Client) AllocAddress(ctx context.Context, request model.AllocAddressRequest) (model.AllocAddressResponse, error) {
	var out model.AllocAddressResponse
	_, err := c.call(ctx, http.MethodPost, "/plugin/allocAddress", request, &out)
	return out, err
}

// ReleaseAddress gives a held address back.
func (c *Client) ReleaseAddress(ctx context.Context, request model.ReleaseAddressRequest) error {
	_, err := c.call(ctx, http.MethodPost, "/plugin/releaseAddress", request, nil)
	return err
}

package client

import (
	"context"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// Version asks netmaster for its version.
func (c *Client) Version(ctx context.Context) (model.Version, error) {
	var out model.Version
	return out, c.Raw(ctx, "/version", &out)
}

// Info asks a netmaster for its name and the cluster's members.
func (c *Client) Info(ctx context.Context) (model.Info, error) {
	var out model.Info
	return out, c.Raw(ctx, "/info", &out)
}

// Nodes asks for all masters and agents with their state.
func (c *Client) Nodes(ctx context.Context) ([]model.Node, error) {
	var out []model.Node
	return out, c.Raw(ctx, "/api/v1/nodes", &out)
}

// Forget frees the label and the addresses of a host whose machine is gone for good; with Release its endpoints are deleted. It is
// refused while the host's agent runs.
func (c *Client) Forget(ctx context.Context, request model.ForgetRequest) (model.Forgotten, error) {
	var out model.Forgotten
	_, err := c.Post(ctx, "/api/v1/nodes/forget", request, &out)
	return out, err
}

// DockerNetworks asks for the networks of Docker engines.
func (c *Client) DockerNetworks(ctx context.Context) ([]model.DockerNetwork, error) {
	var out []model.DockerNetwork
	return out, c.Raw(ctx, "/api/v1/docknets", &out)
}

// ForgetDockerNetwork has netmaster forget what a Docker network stands for. One that is not known is success.
func (c *Client) ForgetDockerNetwork(ctx context.Context, request model.DockerNetworkRemoval) error {
	_, err := c.Post(ctx, "/plugin/deleteDockerNetwork", request, nil)
	return err
}

// Kubernetes asks whether the leader reads Kubernetes, and since when.
func (c *Client) Kubernetes(ctx context.Context) (model.KubernetesStatus, error) {
	var out model.KubernetesStatus
	return out, c.Raw(ctx, "/api/v1/kubernetes", &out)
}

// Leadership asks who leads, who led, and how the store is.
func (c *Client) Leadership(ctx context.Context) (model.Leadership, error) {
	var out model.Leadership
	return out, c.Raw(ctx, "/api/v1/leadership", &out)
}

// Lead is Leadership without the terms, and of the leases with the leader's alone: for those who ask often.
func (c *Client) Lead(ctx context.Context) (model.Leadership, error) {
	var out model.Leadership
	return out, c.Raw(ctx, "/api/v1/leadership?brief=true", &out)
}

// HandOver asks the leader to step down in favour of another. It blocks until that one accepts writes, which takes a
// moment, seconds at most. Masters that cannot lead at once are refused.
func (c *Client) HandOver(ctx context.Context, request model.HandoverRequest) (model.Handover, error) {
	var out model.Handover
	_, err := c.Post(ctx, "/api/v1/leadership/handover", request, &out)
	return out, err
}

// Inspect asks a host's agent, through netmaster, for what it shows under a name, such as "ports"; query may narrow it.
func (c *Client) Inspect(ctx context.Context, host, what string, query url.Values, out any) error {
	path := "/api/v1/agents/" + url.PathEscape(host) + "/" + url.PathEscape(what)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.Raw(ctx, path, out)
}

// Flows asks for the flows of a host's switch. Owner ("kind/name") and table, by name or number, narrow it; "" is all.
func (c *Client) Flows(ctx context.Context, host, owner, table string) ([]model.Flow, error) {
	query := url.Values{}
	for name, value := range map[string]string{"owner": owner, "table": table} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var out []model.Flow
	return out, c.Inspect(ctx, host, "flows", query, &out)
}

// Apply sends several objects at once, all or nothing, and returns what was done to each, in order.
func (c *Client) Apply(ctx context.Context, request model.ApplyRequest) ([]model.ApplyResult, Revision, error) {
	var out []model.ApplyResult
	rev, err := c.Post(ctx, "/api/v1/apply", request, &out)
	return out, rev, err
}

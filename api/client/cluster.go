// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Version returns netmaster's version.
func (c *Client) Version(ctx context.Context) (model.Version, error) {
	var out model.Version
	return out, c.Raw(ctx, "/version", &out)
}

// Info returns a netmaster's name and the cluster's members.
func (c *Client) Info(ctx context.Context) (model.Info, error) {
	var out model.Info
	return out, c.Raw(ctx, "/info", &out)
}

// Nodes returns all masters and agents with their state.
func (c *Client) Nodes(ctx context.Context) ([]model.Node, error) {
	var out []model.Node
	return out, c.Raw(ctx, "/api/v1/nodes", &out)
}

// Forget frees the label and the addresses of a host whose machine is gone for good; with Release its endpoints are deleted. It is refused
// while the host's agent runs.
func (c *Client) Forget(ctx context.Context, request model.ForgetRequest) (model.Forgotten, error) {
	var out model.Forgotten
	_, err := c.Post(ctx, "/api/v1/nodes/forget", request, &out)
	return out, err
}

// DockerNetworks returns the networks of Docker engines.
func (c *Client) DockerNetworks(ctx context.Context) ([]model.DockerNetwork, error) {
	var out []model.DockerNetwork
	return out, c.Raw(ctx, "/api/v1/docknets", &out)
}

// ForgetDockerNetwork makes netmaster delete the record of a Docker network. An unknown one is success.
func (c *Client) ForgetDockerNetwork(ctx context.Context, request model.DockerNetworkRemoval) error {
	_, err := c.Post(ctx, "/plugin/deleteDockerNetwork", request, nil)
	return err
}

// Kubernetes reports whether the leader reads Kubernetes, and since when.
func (c *Client) Kubernetes(ctx context.Context) (model.KubernetesStatus, error) {
	var out model.KubernetesStatus
	return out, c.Raw(ctx, "/api/v1/kubernetes", &out)
}

// Leadership returns the leader, earlier terms, and the state of the store.
func (c *Client) Leadership(ctx context.Context) (model.Leadership, error) {
	var out model.Leadership
	return out, c.Raw(ctx, "/api/v1/leadership", &out)
}

// MasterPairs returns how netmasters reach each other, as each has measured it.
func (c *Client) MasterPairs(ctx context.Context) (model.MasterPairs, error) {
	var out model.MasterPairs
	return out, c.Raw(ctx, "/api/v1/leadership/peers", &out)
}

// Logs returns the last lines of the log of a part of a host, one of model.LogParts, after those of an earlier answer, or "" for the last ones.
// lines bounds them; 0 is 2,000.
func (c *Client) Logs(ctx context.Context, host, part, after string, lines int) (model.LogLines, error) {
	var out model.LogLines
	query := url.Values{"of": {part}, "after": {after}, "lines": {strconv.Itoa(lines)}}
	return out, c.Raw(ctx, "/api/v1/logs/"+url.PathEscape(host)+"?"+query.Encode(), &out)
}

// Lead is Leadership without the terms, and with only the leader's leases: for frequent calls.
func (c *Client) Lead(ctx context.Context) (model.Leadership, error) {
	var out model.Leadership
	return out, c.Raw(ctx, "/api/v1/leadership?brief=true", &out)
}

// HandOver makes the leader step down in favour of another netmaster. It blocks until that one accepts writes, which takes a moment,
// seconds at most. Netmasters that cannot lead at once are refused.
func (c *Client) HandOver(ctx context.Context, request model.HandoverRequest) (model.Handover, error) {
	var out model.Handover
	_, err := c.Post(ctx, "/api/v1/leadership/handover", request, &out)
	return out, err
}

// Inspect returns state of a host's agent, through netmaster, by a name such as "ports"; query may narrow it.
func (c *Client) Inspect(ctx context.Context, host, what string, query url.Values, out any) error {
	path := "/api/v1/agents/" + url.PathEscape(host) + "/" + url.PathEscape(what)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.Raw(ctx, path, out)
}

// Flows returns the flows of a host's switch. Owner ("kind/name") and table, by name or number, narrow it; "" is all.
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

// Apply sends several objects at once, all or nothing, and returns the result for each, in order.
func (c *Client) Apply(ctx context.Context, request model.ApplyRequest) ([]model.ApplyResult, Revision, error) {
	var out []model.ApplyResult
	rev, err := c.Post(ctx, "/api/v1/apply", request, &out)
	return out, rev, err
}

// Label changes the labels of several objects, all or nothing, and returns the result for each, in order.
func (c *Client) Label(ctx context.Context, request model.LabelRequest) ([]model.ApplyResult, Revision, error) {
	var out []model.ApplyResult
	rev, err := c.Post(ctx, "/api/v1/labels", request, &out)
	return out, rev, err
}

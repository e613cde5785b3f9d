// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Why asks whether one end reaches another, and why. Netmaster traces the path in the switches, which may take seconds.
func (c *Client) Why(ctx context.Context, ask model.WhyRequest) (model.Why, error) {
	query := url.Values{"from": {ask.From}, "to": {ask.To}}
	for name, value := range map[string]string{"tenant": ask.Tenant, "network": ask.Network, "protocol": ask.Protocol} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if ask.Port != 0 {
		query.Set("port", strconv.Itoa(ask.Port))
	}
	for name, on := range map[string]bool{"all": ask.All, "probe": ask.Probe} {
		if on {
			query.Set(name, "true")
		}
	}
	var out model.Why
	return out, c.Raw(ctx, "/api/v1/why?"+query.Encode(), &out)
}

// Matrix returns the connections that the pods of a namespace of Kubernetes may open to each other.
func (c *Client) Matrix(ctx context.Context, namespace string) (model.WorkloadMatrix, error) {
	var out model.WorkloadMatrix
	return out, c.Raw(ctx, "/api/v1/matrix/"+url.PathEscape(namespace), &out)
}

// Drift has a host's agent compare its switch with its desired state. With repair, the agent first repairs the differences.
func (c *Client) Drift(ctx context.Context, host string, repair bool) (model.Drift, error) {
	var out model.Drift
	if !repair {
		return out, c.Inspect(ctx, host, "drift", nil, &out)
	}
	_, err := c.Post(ctx, "/api/v1/agents/"+url.PathEscape(host)+"/drift", nil, &out)
	return out, err
}

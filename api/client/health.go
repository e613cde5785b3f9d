// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// Health returns the known problems of the cluster.
func (c *Client) Health(ctx context.Context) (model.Health, error) {
	var out model.Health
	return out, c.Raw(ctx, "/api/v1/health", &out)
}

// Doctor runs the checks of all agents, and returns problems of one host, endpoint or service; "": of any. It takes seconds.
func (c *Client) Doctor(ctx context.Context, of string) (model.Health, error) {
	var out model.Health
	path := "/api/v1/doctor"
	if of != "" {
		path += "?" + url.Values{"of": {of}}.Encode()
	}
	return out, c.Raw(ctx, path, &out)
}

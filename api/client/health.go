package client

import (
	"context"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// Health asks what is wrong in the cluster, as it is known.
func (c *Client) Health(ctx context.Context) (model.Health, error) {
	var out model.Health
	return out, c.Raw(ctx, "/api/v1/health", &out)
}

// Doctor has all agents look, and asks what is wrong with one host, endpoint or service; "": with anything. It takes seconds.
func (c *Client) Doctor(ctx context.Context, of string) (model.Health, error) {
	var out model.Health
	path := "/api/v1/doctor"
	if of != "" {
		path += "?" + url.Values{"of": {of}}.Encode()
	}
	return out, c.Raw(ctx, path, &out)
}

// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// Counters returns the counters of all hosts' switches for a tenant's endpoints and rules; "": for all. It takes as long as the slowest
// agent, within seconds.
func (c *Client) Counters(ctx context.Context, tenant string) (model.Counters, error) {
	var out model.Counters
	path := "/api/v1/counters"
	if tenant != "" {
		path += "?" + url.Values{"tenant": {tenant}}.Encode()
	}
	return out, c.Raw(ctx, path, &out)
}

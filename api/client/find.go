// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Find returns in what a text was found: objects, endpoints, nodes and Docker networks, the best first. limit is the largest number of items, at most
// model.MaxFound; 0: netmaster's default.
func (c *Client) Find(ctx context.Context, text string, limit int) (model.FindAnswer, error) {
	v := url.Values{"q": {text}}
	if limit != 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	var out model.FindAnswer
	return out, c.Raw(ctx, "/api/v1/find"+query(v), &out)
}

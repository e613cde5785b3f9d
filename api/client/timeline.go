// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// TimelineQuery selects events of the timeline. Empty fields select all.
type TimelineQuery struct {
	Code, Host, Object string
	Since              string // RFC 3339
	Limit              int    // maximum number of events, newest first; 0: all
}

// Timeline returns the findings of the cluster with their start and end; the newest is last.
func (c *Client) Timeline(ctx context.Context, q TimelineQuery) ([]model.TimelineEvent, error) {
	values := url.Values{}
	for name, value := range map[string]string{"code": q.Code, "host": q.Host, "object": q.Object, "since": q.Since} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	var out []model.TimelineEvent
	return out, c.Raw(ctx, "/api/v1/timeline?"+values.Encode(), &out)
}

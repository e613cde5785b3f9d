package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// TimelineQuery selects events of the timeline. What is empty selects all.
type TimelineQuery struct {
	Code, Host, Object string
	Since              string // RFC 3339
	Limit              int    // so many, the newest; 0: all
}

// Timeline asks what was found wrong in the cluster, and when that ended; the newest is last.
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

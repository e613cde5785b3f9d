// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Acknowledgements returns the acknowledgements of findings that are in force.
func (c *Client) Acknowledgements(ctx context.Context) ([]model.Acknowledgement, error) {
	var out []model.Acknowledgement
	return out, c.Raw(ctx, "/api/v1/acknowledgements", &out)
}

// Acknowledge acknowledges the findings with a code about an object for a time; 0 ends an acknowledgement.
func (c *Client) Acknowledge(ctx context.Context, code, object string, long time.Duration, reason string) (model.Acknowledgement, error) {
	var out model.Acknowledgement
	_, err := c.Post(ctx, "/api/v1/acknowledgements?"+url.Values{"code": {code}, "object": {object}}.Encode(), model.AcknowledgeRequest{Seconds: int(long / time.Second), Reason: reason}, &out)
	return out, err
}

// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"

	"github.com/contiv/contiv/api/model"
)

// Adoptions returns the endpoints that hosts carry and that contradict the store.
func (c *Client) Adoptions(ctx context.Context) ([]model.Adoption, error) {
	var out []model.Adoption
	return out, c.Raw(ctx, "/api/v1/adoptions", &out)
}

// DecideAdoption decides about one of them.
func (c *Client) DecideAdoption(ctx context.Context, d model.AdoptionDecision) (model.Adoption, error) {
	var out model.Adoption
	_, err := c.Post(ctx, "/api/v1/adoptions", d, &out)
	return out, err
}

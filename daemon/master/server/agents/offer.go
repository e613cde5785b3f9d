// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/adopt"
)

// RegisterOffers adds the routes by which agents offer what their hosts carry, and operators decide about what contradicts the store.
func RegisterOffers(r *rest.Router, adopter *adopt.Engine, by adopt.Displacer) {
	route(r, channel.OfferPath, func(ctx context.Context, o channel.Offer) (any, uint64, error) {
		if err := own(ctx, &o.Host, "host"); err != nil {
			return nil, 0, err
		}
		out, rev, err := adopter.Offer(ctx, o)
		return out, rev, err
	})
	r.Read("/api/v1/adoptions", func(*http.Request, httprouter.Params) (any, error) { return adopter.List(), nil }).Allow(rest.Needs(rights.Read))
	rest.Change(r, "/api/v1/adoptions", func(q *http.Request, d model.AdoptionDecision) (model.Adoption, uint64, error) {
		return adopter.Decide(q.Context(), d, by)
	}).Allow(rest.Needs(rights.Change))
}

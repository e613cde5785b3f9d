// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/server/peer"
)

// CountersPath is the path of the counters.
const CountersPath = "/api/v1/counters"

// RegisterCounters adds the route of what the switches of all hosts have counted, from which clients work out rates.
func RegisterCounters(r *rest.Router, known *catalog.Catalog, peers *peer.Peers) {
	r.Read(CountersPath, func(q *http.Request, _ httprouter.Params) (any, error) {
		tenant := q.URL.Query().Get("tenant")
		if err := maySee(q.Context(), known, tenant); err != nil {
			return nil, err
		}
		return model.Counters{Hosts: askCounters(q.Context(), peers, tenant)}, nil
	}).Allow(rest.Users()).Bound = "traces"
}

// maySee refuses a sender who may not see a tenant, "" for all, and a tenant that does not exist.
func maySee(ctx context.Context, known *catalog.Catalog, tenant string) (err error) {
	if err := auth.Of(ctx).About(tenant); err != nil || tenant == "" {
		return err
	}
	known.View(func(v *catalog.View) {
		if v.Object(model.KindTenant(), tenant) == nil {
			err = v.NotFound(model.KindTenant(), tenant)
		}
	})
	return err
}

// askCounters asks the agents of all hosts. It blocks until each has answered or let peer.Limit pass.
func askCounters(ctx context.Context, peers *peer.Peers, tenant string) []model.HostCounters {
	out := []model.HostCounters{}
	for _, h := range peer.All[model.HostCounters](ctx, peers, "/inspect/counters", tenant) {
		if h.Err != nil {
			h.Answer = model.HostCounters{Unknown: h.Err.Error()}
		}
		h.Answer.Host = h.Host
		out = append(out, h.Answer)
	}
	return out
}

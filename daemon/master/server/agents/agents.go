// SPDX-License-Identifier: Apache-2.0

// Package agents serves what agents and the runtimes on their hosts ask for: addresses, endpoints, and the services there are.
package agents

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/sanitize"
	"github.com/contiv/contiv/trust"
)

// maxReason bounds the reason that an agent gives for what it asks for, in bytes.
const maxReason = 200

// Register adds the routes that agents use.
func Register(r *rest.Router, known *catalog.Catalog, endpoints *endpoint.Service) {
	route(r, "/plugin/allocAddress", func(ctx context.Context, q model.AllocAddressRequest) (any, uint64, error) {
		if err := own(ctx, &q.By, "By"); err != nil {
			return nil, 0, err
		}
		out, err := endpoints.Allocate(ctx, q)
		return out, 0, err
	})
	route(r, "/plugin/releaseAddress", func(ctx context.Context, q model.ReleaseAddressRequest) (any, uint64, error) {
		if err := own(ctx, &q.By, "By"); err != nil {
			return nil, 0, err
		}
		return "success", 0, endpoints.Release(ctx, q)
	})
	route(r, "/plugin/createEndpoint", func(ctx context.Context, q model.CreateEndpointRequest) (any, uint64, error) {
		if err := own(ctx, &q.ConfigEP.Host, "ConfigEP.Host"); err != nil {
			return nil, 0, err
		}
		e, rev, err := endpoints.Create(ctx, q)
		return channel.Endpoint{EndpointConfig: e}, rev, err
	})
	route(r, "/plugin/deleteEndpoint", func(ctx context.Context, q model.DeleteEndpointRequest) (any, uint64, error) {
		if err := own(ctx, &q.Host, "Host"); err != nil {
			return nil, 0, err
		}
		if why := sanitize.Line(q.Reason, maxReason); why != "" {
			ctx = commit.Because(ctx, why)
		}
		e, rev, err := endpoints.Delete(ctx, q)
		return channel.Endpoint{EndpointConfig: e}, rev, err
	})
	route(r, "/plugin/updateEndpoint", func(ctx context.Context, q model.UpdateEndpointRequest) (any, uint64, error) {
		if err := own(ctx, &q.Host, "Host"); err != nil {
			return nil, 0, err
		}
		out, err := endpoints.Update(ctx, q)
		return out, 0, err
	})
	seen := func(q *http.Request, one *record.ServiceLB) bool {
		return auth.Of(q.Context()).Sees(model.KindServiceLB(), one.ID.String())
	}
	r.Read("/services", func(q *http.Request, _ httprouter.Params) (any, error) {
		return services(known, func(one *record.ServiceLB) bool { return seen(q, one) }), nil
	}).Allow(rest.Users())
	r.Read("/service/:id", func(q *http.Request, p httprouter.Params) (any, error) {
		list := services(known, func(one *record.ServiceLB) bool {
			return one.ID.Reversed() == p.ByName("id") && seen(q, one)
		})
		if len(list) == 0 {
			list = nil // old clients know an unknown service by null
		}
		return list, nil
	}).Allow(rest.Users())
}

// own refuses a request of an agent that names another host than its own, and has one that names none be of its own. field is what an error calls it.
func own(ctx context.Context, host *string, field string) error {
	who := auth.Of(ctx)
	if who.Proves().Host && *host == "" {
		*host = who.Name
	}
	return who.Host(*host, field)
}

// route adds one POST route. As in the original, it is known only to requests with exactly this content type.
func route[Q any](r *rest.Router, path string, do func(context.Context, Q) (any, uint64, error)) {
	rest.Change(r, path, func(q *http.Request, request Q) (any, uint64, error) {
		sanitize.Fields(&request, longText)
		return do(q.Context(), request)
	}).Allow(ofAgents()).Content = "application/json"
}

// ofAgents is the access of routes that agents call.
func ofAgents() rest.Access { return rest.Needs(rights.Change, trust.Agent) }

// longText bounds a name, an id or a label that an agent sends, in bytes.
const longText = 4096

// services lists the records of the services that wanted selects, ordered by tenant and name.
func services(known *catalog.Catalog, wanted func(*record.ServiceLB) bool) []record.ServiceLB {
	out := []record.ServiceLB{}
	known.View(func(v *catalog.View) {
		for _, t := range v.Objects(model.KindTenant()) {
			for _, one := range v.ServiceLBs(t.ObjectKey()) {
				if wanted(one) {
					out = append(out, *one)
				}
			}
		}
	})
	return out
}

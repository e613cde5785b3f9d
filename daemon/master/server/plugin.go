package server

import (
	"context"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// endpointAnswer is what the endpoint routes answer.
type endpointAnswer struct{ EndpointConfig record.Endpoint }

// mountPlugin adds the routes that agents use.
func (s *Server) mountPlugin(r *rest.Router) {
	plugin(r, s, "/plugin/allocAddress", func(ctx context.Context, q model.AllocAddressRequest) (any, uint64, error) {
		out, err := s.Endpoints.Allocate(ctx, q)
		return out, 0, err
	})
	plugin(r, s, "/plugin/releaseAddress", func(ctx context.Context, q model.ReleaseAddressRequest) (any, uint64, error) {
		return "success", 0, s.Endpoints.Release(ctx, q)
	})
	plugin(r, s, "/plugin/createEndpoint", func(ctx context.Context, q model.CreateEndpointRequest) (any, uint64, error) {
		e, rev, err := s.Endpoints.Create(ctx, q)
		return endpointAnswer{e}, rev, err
	})
	plugin(r, s, "/plugin/deleteEndpoint", func(ctx context.Context, q model.DeleteEndpointRequest) (any, uint64, error) {
		if why := printed(q.Reason, maxReason); why != "" {
			ctx = commit.Because(ctx, why)
		}
		e, rev, err := s.Endpoints.Delete(ctx, q)
		return endpointAnswer{e}, rev, err
	})
	plugin(r, s, "/plugin/updateEndpoint", func(ctx context.Context, q model.UpdateEndpointRequest) (any, uint64, error) {
		out, err := s.Endpoints.Update(ctx, q)
		return out, 0, err
	})
}

// plugin adds one POST route. As in the original, it is known only to requests with exactly this content type.
func plugin[Q any](r *rest.Router, s *Server, path string, do func(context.Context, Q) (any, uint64, error)) {
	answer := posted(s, do)
	r.POST(path, func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		if q.Header.Get("Content-Type") != "application/json" {
			http.NotFound(w, q)
			return
		}
		answer(w, q, p)
	})
}

// posted handles a request with a JSON body.
func posted[Q, A any](s *Server, do func(context.Context, Q) (A, uint64, error)) httprouter.Handle {
	return func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		var request Q
		if err := rest.ReadJSON(q.Body, &request); err != nil {
			rest.Refuse(w, q, err, s.Log)
			return
		}
		out, rev, err := do(q.Context(), request)
		rest.Answer(w, q, out, rev, err, s.Log)
	}
}

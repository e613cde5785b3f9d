// SPDX-License-Identifier: Apache-2.0

package server

import (
	"errors"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/contiv/contiv/daemon/tracing"
)

// traced records a span of a request that belongs to a sampled trace, as those of agents that trace attachments do. It comes after the
// authentication, so that strangers cannot fill a collector, and after the forwarder, so that the leader records what it does.
func (s *Server) traced(next http.Handler) http.Handler {
	if s.Traces == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		ctx := tracing.FromHeader(q.Context(), q.Header)
		route := s.router.Match(q)
		if route == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
			next.ServeHTTP(w, q)
			return
		}
		ctx, end := s.Traces.Begin(ctx, route.Method+" "+route.Path, time.Time{}, "url.path", q.URL.Path)
		out := &statusWriter{ResponseWriter: w}
		defer func() {
			if out.status >= http.StatusBadRequest {
				end(errors.New(http.StatusText(out.status)))
				return
			}
			end(nil)
		}()
		next.ServeHTTP(out, q.WithContext(ctx))
	})
}

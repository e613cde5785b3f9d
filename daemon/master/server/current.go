// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// staleLook is the interval in which a stream checks whether this netmaster still knows what the store has.
const staleLook = time.Second

// current marks the answers to reads while this netmaster may know less than the store has, and refuses reads of clients that can ask another netmaster.
// Streams that began before end then, and their clients ask again.
func (s *Server) current(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodGet || !ofCluster(q.URL.Path) {
			next.ServeHTTP(w, q)
			return
		}
		why := s.Stale()
		if why != "" {
			w.Header().Set(model.StaleHeader, why)
		}
		switch route := s.router.Match(q); {
		case why != "" && q.Header.Get(model.CurrentHeader) != "":
			s.router.Refuse(w, q, model.Errorf(model.CodeUnavailable, "", "netmaster %s may know less than the store has: %s", s.Internal, why).
				Try("ask another netmaster; without the header %s this one answers with what it knows", model.CurrentHeader))
		case why == "" && route != nil && route.Stream:
			ctx, cancel := context.WithCancel(q.Context())
			defer cancel()
			go s.whileCurrent(ctx, cancel)
			next.ServeHTTP(w, q.WithContext(ctx))
		default:
			next.ServeHTTP(w, q)
		}
	})
}

// whileCurrent calls cancel when this netmaster may know less than the store has. It blocks until then, or until ctx ends.
func (s *Server) whileCurrent(ctx context.Context, cancel func()) {
	tick := time.NewTicker(staleLook)
	defer tick.Stop()
	for s.Stale() == "" {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	cancel()
}

// ofCluster reports whether the answer to a read of a path is about the cluster, as the store has it, and not about this netmaster only.
func ofCluster(path string) bool {
	for _, own := range []string{"/api/v1/nodes/self", "/api/v1/leadership/peers", "/api/v1/log", "/api/v1/openapi.yaml"} {
		if path == own {
			return false
		}
	}
	return strings.HasPrefix(path, "/api/v1/")
}

// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/rest"
)

// registerHealth adds what a supervisor asks: is the process alive, and does it do its duty.
func (s *Nodes) registerHealth(r *rest.Router) {
	r.GET("/healthz", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { _, _ = w.Write([]byte("ok\n")) }).Allow(rest.Everyone(rest.Open{}))
	r.GET("/readyz", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		waiting := s.Waiting()
		if len(waiting) == 0 && s.Leadership.Leader() == "" {
			waiting = []string{"a leader: no netmaster holds the lock"}
		}
		if len(waiting) == 0 {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		for _, what := range waiting {
			_, _ = w.Write([]byte("waits for " + what + "\n"))
		}
	}).Allow(rest.Everyone(rest.Open{}))
}

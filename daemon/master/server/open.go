// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/server/caller"
)

// opened returns the counters of failed attempts at routes that need no authentication and read a body, and sets the bounds of these routes. The bounds
// apply to all callers of such a route.
func opened(r *rest.Router, now func() time.Time) map[string]*httpserver.Attempts {
	out := map[string]*httpserver.Attempts{}
	for route := range r.Each() {
		if o := route.Access.Open; o != nil && o.Body > 0 {
			route.MaxBody, route.Bound = o.Body, strangersGate
			out[nameOf(route)] = httpserver.NewAttempts(o.Fails, o.Pause, now)
		}
	}
	return out
}

// strangersGate bounds the requests with a body whose sender is not authenticated.
const strangersGate = "strangers"

// charged counts a request to an open route as a failed attempt of its site until it has succeeded. It refuses attempts above the maximum, and texts that
// are too long, before anything is computed for them. The leader counts, whichever netmaster received the request.
func (s *Server) charged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route := s.router.Match(q)
		attempts := s.attempts[nameOf(route)]
		if attempts == nil || auth.Of(q.Context()).Anyone {
			next.ServeHTTP(w, q)
			return
		}
		o := route.Access.Open
		site := httpserver.Site(caller.Client(q))
		if _, ok := attempts.Admit(site, 0); !ok {
			httpserver.Refuse(w, q, model.Errorf(model.CodeBusy, "", "too many requests of %s have failed here", site).Try("wait: each %s one more may", o.Pause))
			return
		}
		body, err := rest.ReadBody(q.Body, o.Body)
		if err == nil {
			err = short(body, o.Text)
		}
		if err != nil {
			s.router.Refuse(w, q, err)
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		out := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(out, q)
		if out.status < http.StatusBadRequest || out.status >= http.StatusInternalServerError || out.status == http.StatusTooManyRequests {
			attempts.Back(site)
		}
	})
}

// nameOf returns the key of a route in tables; "" for nil.
func nameOf(r *rest.Route) string {
	if r == nil {
		return ""
	}
	return r.Method + " " + r.Path
}

// short refuses JSON with a text of more than limit bytes. It accepts what is no JSON: the route refuses it.
func short(body []byte, limit int) error {
	for d := json.NewDecoder(bytes.NewReader(body)); ; {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if text, ok := token.(string); ok && len(text) > limit {
			return model.Errorf(model.CodeTooLarge, "", "a text of the body has %d bytes", len(text)).Try("here a text has %d at most", limit)
		}
	}
}

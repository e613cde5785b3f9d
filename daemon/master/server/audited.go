// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/server/caller"
)

// event returns the event of a request for the audit.
func event(q *http.Request, verb, target string) model.AuditEvent {
	a := caller.Actor(q)
	return model.AuditEvent{Verb: verb, User: a.Proved, Proof: a.Proof, From: a.Address, Via: a.Via, Target: target}
}

// Recorder records events of requests in the audit.
type Recorder struct {
	Audit    *audit.Log
	Insecure bool // nothing is proved, so that only refusals are recorded
}

// Done records what a request did that leaves no trace in the history of objects.
func (r Recorder) Done(q *http.Request, verb, target string) {
	if !r.Insecure {
		r.Audit.Record(event(q, verb, target))
	}
}

// FailedLogin records that someone failed to log in as a user.
func (r Recorder) FailedLogin(q *http.Request, user string, err error) {
	e := event(q, "login", "")
	e.User, e.Status, e.Why = user, model.AsError(err).Code.Info().Status, model.AsError(err).Message
	if !r.Insecure {
		r.Audit.Record(e)
	}
}

// refused records a refusal for lack of a proof or of a right.
func (r Recorder) refused(q *http.Request, err error) {
	e := event(q, "refused", q.Method+" "+q.URL.Path)
	e.Status, e.Why = model.AsError(err).Code.Info().Status, model.AsError(err).Message
	r.Audit.Record(e)
}

// audited records in the audit the refusals while a request is served, and the actions that leave no other trace. It comes after the forwarder, so the
// leader records the requests that it serves, with their own subject.
func (s *Server) audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route := s.router.Match(q)
		if s.Insecure || route == nil {
			next.ServeHTTP(w, q)
			return
		}
		out := &statusWriter{ResponseWriter: w}
		defer func() { // a stream that ends before its time panics, and was served
			status := cmp.Or(out.status, http.StatusOK)
			switch a := route.Audit; {
			case status == http.StatusForbidden || status == http.StatusUnauthorized && !a.Login:
				e := event(q, "refused", q.Method+" "+q.URL.Path)
				e.Status = status
				s.Recorder.Audit.Record(e)
			case a.Verb != "" && status < http.StatusBadRequest:
				target := q.URL.RequestURI()
				if a.Path {
					target = q.URL.Path
				}
				s.Recorder.Audit.Record(event(q, a.Verb, target))
			}
		}()
		next.ServeHTTP(out, q)
	})
}

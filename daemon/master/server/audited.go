package server

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/server/auth"
	"github.com/contiv/contiv/daemon/master/server/supportbundle"
)

// event is what is taken down of a request.
func event(q *http.Request, verb, target string) model.AuditEvent {
	a := actorOf(q)
	return model.AuditEvent{Verb: verb, User: a.Proved, Proof: a.Proof, From: a.Address, Via: a.Via, Target: target}
}

// note takes down what a request did that leaves no trace in the history of objects.
func (s *Server) note(q *http.Request, verb, target string) {
	if !s.Insecure {
		s.Audit.Record(event(q, verb, target))
	}
}

// failedLogin takes down that someone failed to log in as a user.
func (s *Server) failedLogin(q *http.Request, user string, err error) {
	e := event(q, "login", "")
	e.User, e.Status, e.Why = user, model.AsError(err).Code.Info().Status, model.AsError(err).Message
	if !s.Insecure {
		s.Audit.Record(e)
	}
}

// refused takes down a refusal for lack of a proof or of a right.
func (s *Server) refused(q *http.Request, err error) {
	e := event(q, "refused", q.Method+" "+q.URL.Path)
	e.Status, e.Why = model.AsError(err).Code.Info().Status, model.AsError(err).Message
	s.Audit.Record(e)
}

// audited takes down what is refused while a request is served, and what is done that only the audit tells of. It comes behind forwarded, so that
// what the leader serves is recorded there, with its own subject.
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
			switch verb := verbOf(route); {
			case status == http.StatusForbidden || status == http.StatusUnauthorized && route.Path != auth.LoginPath && !strings.HasPrefix(route.Path, auth.OIDCPath):
				e := event(q, "refused", q.Method+" "+q.URL.Path)
				e.Status = status
				s.Audit.Record(e)
			case verb != "" && status < http.StatusBadRequest:
				s.Audit.Record(event(q, verb, targetOf(verb, q)))
			}
		}()
		next.ServeHTTP(out, q)
	})
}

// targetOf is what a request is about. Of reads, which are counted by it, that is the path: host and question.
func targetOf(verb string, q *http.Request) string {
	if verb == "relay" || verb == "observe" {
		return q.URL.Path
	}
	return q.URL.RequestURI()
}

// verbOf is the verb under which a route's success is taken down; "": it does nothing, or the history of objects tells of it.
func verbOf(route *rest.Route) string {
	switch route.Method + " " + route.Path {
	case "GET /api/v1/capture":
		return "capture"
	case "GET " + supportbundle.Path:
		return "bundle"
	case "GET /api/v1/observe":
		return "observe"
	case "POST /api/v1/leadership/handover":
		return "hand-over"
	case "POST /api/v1/agents/:host/:what":
		return "repair"
	case "GET /api/v1/agents/:host/:what":
		return "relay"
	}
	return ""
}

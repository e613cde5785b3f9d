package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/trust"
)

// subjectHeader carries who a request is from that a follower passes on. It counts from netmasters alone, with a voucher.
const subjectHeader = "X-Contiv-Subject"

// identified refuses requests that do not prove who they are from, and those of whoever may not ask for their route. It comes before all that a
// request could cost. What a follower has passed on is asked about again where the voucher is looked at; see received.
func (s *Server) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		who, err := s.subject(q)
		route := s.router.Match(q)
		if !s.passedOn(q, route, &who) {
			if !s.Insecure { // another netmaster alone may say where a request came from
				for _, name := range []string{subjectHeader, forwardedBy, clientHeader, voucher} {
					q.Header.Del(name)
				}
			}
			if open := route != nil && route.Access.Open != nil; err == nil || open {
				err = permit(route, &who)
			}
		}
		q = q.WithContext(access.With(q.Context(), who))
		if err != nil {
			s.Recorder.refused(q, err)
			httpserver.Refuse(w, q, err)
			return
		}
		next.ServeHTTP(w, q)
	})
}

// passedOn reports whether another netmaster sends a request that it has from someone else.
func (s *Server) passedOn(q *http.Request, route *rest.Route, who *access.Subject) bool {
	return !s.Insecure && who.Proves().Others && q.Header.Get(forwardedBy) != "" && !readsHere(route, q)
}

// subject is who sends a request, as its token proves, or else the certificate of its connection. A token that is not valid is an
// error, whatever the certificate says.
func (s *Server) subject(q *http.Request) (access.Subject, error) {
	if s.Insecure {
		return access.Anyone(), nil
	}
	if token := tokenOf(q.Header); token != "" {
		return s.Users.Subject(q.Context(), token)
	}
	i, ok := trust.Peer(q.TLS)
	if !ok {
		return access.Subject{}, nil
	}
	return s.granted(access.Subject{Identity: i, Proof: access.Certificate}), nil
}

// tokenOf is the token that a request carries, "" when there is none.
func tokenOf(h http.Header) string {
	if token := h.Get(TokenHeader); token != "" {
		return token
	}
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// granted is a subject with what it may do.
func (s *Server) granted(who access.Subject) access.Subject {
	if who.Role != trust.User {
		return who
	}
	who.Grants = s.Users.Grants(&who)
	if who.Proves().Admin {
		who.Grants = append(who.Grants, rights.Grant{Role: rights.Admin})
	}
	return who
}

// received is the context of a request that is served here, which came so: one that a follower has passed on is its sender's, as the follower
// vouches. Errors are *model.Error.
func (s *Server) received(q *http.Request, route *rest.Route, came passage) (context.Context, error) {
	who := access.Of(q.Context())
	if who.Anyone || !who.Proves().Others || came == direct {
		if !who.Anyone && who.Proves().Others { // it had the mark of a passed on request, and no voucher
			return q.Context(), permit(route, who)
		}
		return q.Context(), nil
	}
	if came != proved {
		return q.Context(), model.Errorf(model.CodeUnavailable, "", "%s has passed the request on, and does not vouch for its sender", who.Name).
			Try("are the clocks of the netmasters right, within %s?", voucherAge)
	}
	var from access.Subject
	if text := q.Header.Get(subjectHeader); text != "" {
		var err error
		if from, err = access.Parse(text); err != nil {
			return q.Context(), unproved()
		}
		from = s.granted(from)
	}
	ctx := access.With(q.Context(), from)
	return ctx, permit(route, &from)
}

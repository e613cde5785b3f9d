// SPDX-License-Identifier: Apache-2.0

// Package caller authenticates who sends a request, checks that the sender may call the route, and carries the sender from a follower to the leader.
package caller

import (
	"context"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/trust"
)

// Headers by which a follower forwards a request. Only netmasters may set them, with a valid voucher.
const (
	forwardedBy   = "X-Contiv-Forwarded-By" // internal address of the follower; such a request is not forwarded again
	subjectHeader = "X-Contiv-Subject"      // authenticated sender, an auth.Subject's Text
	clientHeader  = model.ClientHeader      // address of the client
	voucherHeader = "X-Contiv-Voucher"      // proof that a netmaster wrote these headers
)

// tokenHeader carries the token of a session or of a service account, as the original's clients send it.
const tokenHeader = "X-Auth-Token"

// Users authenticates tokens.
type Users interface {
	// Subject returns the subject that a token proves. Errors are *model.Error.
	Subject(ctx context.Context, token string) (auth.Subject, error)
	// Grants returns the rights of a user.
	Grants(who *auth.Subject) rights.Grants
}

// Authenticator authenticates the senders of requests. Its methods are safe for concurrent use.
type Authenticator struct {
	Users    Users
	Scraper  Scraper          // nil: only tokens of this cluster are accepted
	Catalog  *catalog.Catalog // has the secret that netmasters share
	Internal string           // own internal address, "host:port"
	Insecure bool             // nothing is authenticated, and everything is permitted
	Match    func(q *http.Request) *rest.Route
	Refused  func(q *http.Request, err error) // records a refusal in the audit
}

// Authenticated refuses requests whose sender is not authenticated or may not call the route, before they cost anything else. It stores the sender in
// the context of others. Accept checks forwarded requests, whose sender only the leader knows.
func (a *Authenticator) Authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route := a.Match(q)
		who, err := a.subject(q, route)
		if !a.fromMaster(q, route, &who) {
			if !a.Insecure { // only another netmaster may set the origin of a request
				for _, name := range []string{subjectHeader, forwardedBy, clientHeader, voucherHeader} {
					q.Header.Del(name)
				}
			}
			if open := route != nil && route.Access.Open != nil; err == nil || open {
				err = permit(route, &who)
			}
		}
		q = q.WithContext(auth.With(q.Context(), who))
		if err != nil {
			a.Refused(q, err)
			httpserver.Refuse(w, q, err)
			return
		}
		next.ServeHTTP(w, q)
	})
}

// fromMaster reports whether another netmaster forwards a request.
func (a *Authenticator) fromMaster(q *http.Request, route *rest.Route, who *auth.Subject) bool {
	return !a.Insecure && who.Proves().Others && q.Header.Get(forwardedBy) != "" && !ServedAnywhere(route, q)
}

// subject returns the sender of a request by its token, or else by the certificate of its connection. An invalid token is an error, whatever the
// certificate is.
func (a *Authenticator) subject(q *http.Request, route *rest.Route) (auth.Subject, error) {
	if a.Insecure {
		return auth.Anyone(), nil
	}
	if token := tokenOf(q.Header); token != "" {
		if who, ok, err := a.scraper(q, route, token); ok {
			return who, err
		}
		return a.Users.Subject(q.Context(), token)
	}
	i, ok := trust.Peer(q.TLS)
	if !ok {
		return auth.Subject{}, nil
	}
	return a.granted(auth.Subject{Identity: i, Proof: auth.ByCertificate}), nil
}

// tokenOf returns the token of a request, or "".
func tokenOf(h http.Header) string {
	if token := h.Get(tokenHeader); token != "" {
		return token
	}
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// granted returns a subject with its rights.
func (a *Authenticator) granted(who auth.Subject) auth.Subject {
	if who.Role != trust.User {
		return who
	}
	who.Grants = a.Users.Grants(&who)
	if who.Proves().Admin {
		who.Grants = append(who.Grants, rights.Grant{Role: rights.Admin})
	}
	return who
}

// Accept returns the context of a request that the leader serves, with the sender that a follower has authenticated if one forwards it, and whether the
// request may be forwarded. It removes the headers of a follower that are not proved. Errors are *model.Error.
func (a *Authenticator) Accept(q *http.Request, route *rest.Route, body []byte) (sender context.Context, forwarded bool, err error) {
	from := a.verified(q, body)
	sender, err = a.sender(q, route, from)
	return sender, from != direct, err
}

// sender returns the context of a request from an origin, with its sender.
func (a *Authenticator) sender(q *http.Request, route *rest.Route, from origin) (context.Context, error) {
	who := auth.Of(q.Context())
	switch {
	case who.Anyone || !who.Proves().Others:
		return q.Context(), nil
	case from == direct: // Authenticated has not checked the route: the request was marked as forwarded, without a valid voucher
		return q.Context(), permit(route, who)
	case from != proved:
		return q.Context(), model.Errorf(model.CodeUnavailable, "", "%s has passed the request on, and does not vouch for its sender", who.Name).
			Try("are the clocks of the netmasters right, within %s?", maxVoucherAge)
	}
	var subject auth.Subject
	if text := q.Header.Get(subjectHeader); text != "" {
		var err error
		if subject, err = auth.Parse(text); err != nil {
			return q.Context(), unauthenticated()
		}
		subject = a.granted(subject)
	}
	return auth.With(q.Context(), subject), permit(route, &subject)
}

// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"net/http"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/trust"
)

// permit refuses a request for a route that its subject may not call. A nil route is a path that does not exist. Errors are *model.Error.
func permit(route *rest.Route, who *auth.Subject) error {
	if who.Anyone {
		return nil
	}
	var a rest.Access
	if route != nil {
		a = route.Access
	}
	right := rights.Right{Verb: a.Verb}
	if a.Verb == "" {
		right.Verb = rights.Manage
	}
	switch {
	case a.Open != nil:
		return nil
	case !who.Known():
		return unauthenticated()
	case who.Proves().Role && slices.Contains(a.Roles, who.Role):
		return nil
	case who.Role == trust.User && (a.User || route == nil):
		return nil
	case who.Role == trust.User && a.Verb == "" && len(a.Roles) > 0: // neither a session nor a right replaces the certificate
		return model.Errorf(model.CodeDenied, "", "%s %s is for certificates of %s", route.Method, route.Path, a.Roles).
			Try("use such a certificate; contiv cert user makes one for a user, on a host with a netmaster")
	case who.Role == trust.User:
		return who.Check(right)
	case route == nil:
		return model.Errorf(model.CodeNotFound, "", "there is nothing here").Try("GET /api/v1/openapi.yaml lists the routes")
	}
	return model.Errorf(model.CodeDenied, "", "a certificate of role %s does not reach %s %s", who.Role, route.Method, route.Path).
		Try("log in as a user with netctl login, or use a user's certificate")
}

// unauthenticated refuses a request whose sender is not authenticated.
func unauthenticated() *model.Error {
	return model.Errorf(model.CodeUnproved, "", "the request does not prove who it is from").
		Try("log in with netctl login, or netctl login --oidc as the OpenID provider's; a script sends the token of a service account as %s", tokenHeader)
}

// ServedAnywhere reports whether any netmaster serves a request, and not only the leader.
func ServedAnywhere(route *rest.Route, q *http.Request) bool {
	return route == nil || q.Method == http.MethodGet || route.Stream
}

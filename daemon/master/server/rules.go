package server

import (
	"maps"
	"net/http"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/server/auth"
	"github.com/contiv/contiv/daemon/master/server/bundling"
	"github.com/contiv/contiv/daemon/master/server/counters"
	"github.com/contiv/contiv/trust"
)

// rule says who may ask for a route.
type rule struct {
	open bool // whoever can reach this netmaster; see strangers
	// roles are those that may by their certificate alone. What an agent names of hosts is looked at by what serves the route.
	roles []trust.Role
	// user: a user may, if what serves the route finds a right to each object that it concerns.
	user bool
	verb rights.Verb // a user may who has this right, of the cluster; "": see user
}

// rules are those of all routes, by method and path, but for the routes of kinds; see ruleOf.
func rules() map[string]rule {
	user := rule{user: true}
	needs := func(verb rights.Verb, roles ...trust.Role) rule { return rule{verb: verb, roles: roles} }
	out := map[string]rule{
		"GET /metrics": needs(rights.Read, trust.Master, trust.Monitor),

		"GET " + bundling.Path:    needs(rights.Bundle),
		"GET " + bundling.LogPath: needs(rights.Bundle, trust.Master),

		"POST /api/v1/auth/logout":        user,
		"POST /api/v1/auth/password":      user,
		"POST /api/v1/auth/ldap-password": needs(rights.Manage),
		"POST /api/v1/auth/oidc-secret":   needs(rights.Manage),
		"GET /api/v1/auth/tokens":         user,
		"POST /api/v1/auth/tokens":        needs(rights.Manage),
		"POST /api/v1/auth/revoke":        user,
		"POST " + auth.FirstAdminPath:     needs(rights.Manage),
		"GET /api/v1/auth/whoami":         {user: true, roles: []trust.Role{trust.Master, trust.Agent, trust.Monitor}},
		"GET /api/v1/auth/can-i":          user,
		"GET /api/v1/audit":               needs(rights.Manage),
		"POST " + audit.Path:              {roles: []trust.Role{trust.Master}},

		"GET /api/v1/leave":                needs(rights.Manage, trust.Agent, trust.Master),
		"POST /api/v1/leave":               needs(rights.Manage, trust.Agent, trust.Master),
		"GET /api/v1/tokens":               needs(rights.Manage, trust.Master),
		"POST /api/v1/tokens":              needs(rights.Manage, trust.Master), // which has the authority's key anyway
		"DELETE /api/v1/tokens/:id":        needs(rights.Manage, trust.Master),
		"GET /api/v1/certificates":         needs(rights.Manage, trust.Master),
		"POST /api/v1/certificates":        needs(rights.Manage, trust.Master),
		"POST /api/v1/certificates/renew":  {roles: []trust.Role{trust.Master, trust.Agent, trust.User, trust.Monitor}},
		"POST /api/v1/certificates/revoke": needs(rights.Manage, trust.Master),

		"GET /api/v1/openapi.yaml":          user,
		"GET /api/v1/watch":                 user,
		"POST /api/v1/apply":                user,
		"GET /api/v1/why":                   user,
		"GET /api/v1/matrix/:namespace":     user,
		"GET /api/v1/capture":               user,
		"GET /api/v1/observe":               user,
		"GET " + counters.Path:              user,
		"GET /api/v1/timeline":              user,
		"GET /api/v1/history":               user,
		"GET /api/v1/history/:kind":         user,
		"GET /api/v1/history/:kind/:key":    user,
		"GET /api/v1/ledger":                user,
		"GET /api/v1/addresses":             user,
		"GET /api/v1/docknets":              user,
		"GET /services":                     user,
		"GET /service/:id":                  user,
		"POST /api/v1/addresses/quarantine": user,
		"POST /api/v1/addresses/release":    user,
		"GET /info":                         needs(rights.Read, trust.Monitor),
		"GET /api/v1/health":                needs(rights.Read, trust.Monitor),
		"GET /api/v1/doctor":                needs(rights.Read),
		"GET /api/v1/nodes":                 needs(rights.Read, trust.Monitor),
		"GET /api/v1/nodes/self":            needs(rights.Read, trust.Master, trust.Monitor),
		"POST /api/v1/nodes/forget":         needs(rights.Change),
		"GET /api/v1/kubernetes":            needs(rights.Read),
		"GET /api/v1/adoptions":             needs(rights.Read),
		"POST /api/v1/adoptions":            needs(rights.Change),
		"GET /api/v1/leadership":            needs(rights.Read, trust.Master, trust.Monitor),
		"POST /api/v1/leadership/handover":  needs(rights.HandOver, trust.Master),
		"GET /api/v1/agents/:host/:what":    needs(rights.Relay),
		"POST /api/v1/agents/:host/:what":   needs(rights.Repair),
	}
	maps.Copy(out, agentRules())
	for name := range strangers() {
		out[name] = rule{open: true}
	}
	return out
}

// agentRules are those of the routes that agents ask for.
func agentRules() map[string]rule {
	agent := rule{verb: rights.Change, roles: []trust.Role{trust.Agent}}
	return map[string]rule{
		"POST /plugin/allocAddress":        agent,
		"POST /plugin/releaseAddress":      agent,
		"POST /plugin/createEndpoint":      agent,
		"POST /plugin/deleteEndpoint":      agent,
		"POST /plugin/updateEndpoint":      agent,
		"POST /plugin/requestDockerPool":   agent,
		"POST /plugin/createDockerNetwork": agent,
		"POST /plugin/deleteDockerNetwork": agent,
		"POST /plugin/nameDockerNetwork":   agent,
		"POST /plugin/register":            agent,
		"POST /plugin/leave":               agent,
		"POST " + channel.OfferPath:        agent,
		"POST " + channel.Path:             agent,
		"GET " + channel.SessionsPath:      {verb: rights.Read, roles: []trust.Role{trust.Master}},
		"GET " + channel.RevokedPath:       {verb: rights.Read, roles: []trust.Role{trust.Agent}},
	}
}

// ruleOf is a route's rule; ok is false when it has none, and then only who may everything may ask for it.
func (s *Server) ruleOf(route *rest.Route) (rule, bool) {
	if route.Kind != nil {
		return rule{user: true}, true
	}
	r, ok := s.rules[route.Method+" "+route.Path]
	return r, ok
}

// permit refuses a request for a route that its subject may not ask for; nil is what is no route. Errors are *model.Error.
func (s *Server) permit(route *rest.Route, who *access.Subject) error {
	if who.Anyone {
		return nil
	}
	var r rule
	if route != nil {
		r, _ = s.ruleOf(route)
	}
	right := rights.Right{Verb: r.verb}
	if r.verb == "" {
		right.Verb = rights.Manage
	}
	switch {
	case r.open:
		return nil
	case !who.Known():
		return unproved()
	case who.Proves().Role && slices.Contains(r.roles, who.Role):
		return nil
	case who.Role == trust.User && (r.user || route == nil):
		return nil
	case who.Role == trust.User && r.verb == "" && len(r.roles) > 0: // no session and no right stands in for the certificate
		return model.Errorf(model.CodeDenied, "", "%s %s is for certificates of %s", route.Method, route.Path, r.roles).
			Try("use such a certificate; contiv cert user makes one for a user, on a host with a netmaster")
	case who.Role == trust.User:
		return who.Check(right)
	case route == nil:
		return model.Errorf(model.CodeNotFound, "", "there is nothing here").Try("GET /api/v1/openapi.yaml lists what there is")
	}
	return model.Errorf(model.CodeDenied, "", "a certificate of role %s does not reach %s %s", who.Role, route.Method, route.Path).
		Try("log in as a user with netctl login, or use a user's certificate")
}

// unproved refuses who has proved nothing.
func unproved() *model.Error {
	return model.Errorf(model.CodeUnproved, "", "the request does not prove who it is from").
		Try("log in with netctl login, or netctl login --oidc as the OpenID provider's; a script sends the token of a service account as %s", TokenHeader)
}

// TokenHeader carries the token of a session or of a service account, as the original's clients send it.
const TokenHeader = "X-Auth-Token"

// readsHere reports whether a request is served by any netmaster, whoever leads.
func readsHere(route *rest.Route, q *http.Request) bool {
	return route == nil || q.Method == http.MethodGet || route.Stream
}

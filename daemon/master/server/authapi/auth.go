// SPDX-License-Identifier: Apache-2.0

// Package authapi serves what users need to prove who they are, and to learn what they may do: login, tokens, whoami and can-i, and the audit.
package authapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Auth is who may come in.
type Auth struct {
	Users *auth.Users
	Audit *audit.Log
	// Record adds to the audit what a request did that leaves no other trace.
	Record func(q *http.Request, verb, target string)
	// Failed adds to the audit that someone failed to log in as a user.
	Failed func(q *http.Request, user string, err error)
	// From is the address that a request came from.
	From func(*http.Request) string
	Log  *slog.Logger
}

// Paths that others need to know.
const (
	LoginPath      = "/api/v1/auth/login"
	FirstAdminPath = "/api/v1/auth/first-admin"
	OIDCPath       = "/api/v1/auth/oidc/" // + authorize, device, login
)

// Part returns the part of users: their routes, sessions and secrets, and the audit.
func (a *Auth) Part() part.Part {
	return part.Part{
		Routes:  []func(*rest.Router){a.Register},
		Tasks:   []task.Task{part.Started("audit", func(ctx context.Context) error { a.Audit.Run(ctx); return nil })},
		Duties:  []func(context.Context){func(ctx context.Context) { a.Users.Sweep(ctx, a.Log) }},
		First:   []func(*commit.Tx) error{a.Users.SealSecrets},
		Metrics: []prometheus.Collector{part.Counter("audit_dropped_total", "Events of the audit that were not stored: too many waited, or the store cannot take them.", a.Audit.Dropped)},
	}
}

// Register adds the routes.
func (a *Auth) Register(r *rest.Router) {
	question := rest.Open{Body: 16 << 10, Text: 2 << 10, Fails: 30, Pause: time.Second} // to the OpenID provider
	code := question                                                                    // which the provider checks
	code.Body, code.Text = 40<<10, 16<<10
	rest.Change(r, LoginPath, a.login).Allow(rest.Everyone(rest.Open{Body: 4 << 10, Text: 256, Fails: 20, Pause: 3 * time.Second})).Audit.Login = true
	rest.Change(r, "/api/v1/auth/logout", func(q *http.Request, _ struct{}) (model.Revoked, uint64, error) { return a.logout(q) }).Allow(rest.Users())
	rest.Change(r, "/api/v1/auth/password", a.password).Allow(rest.Users())
	rest.Change(r, "/api/v1/auth/ldap-password", a.ldapPassword).Allow(rest.Needs(rights.Manage))
	rest.Change(r, "/api/v1/auth/oidc-secret", a.oidcSecret).Allow(rest.Needs(rights.Manage))
	rest.Change(r, OIDCPath+"authorize", a.authorize).Allow(rest.Everyone(question)).Audit.Login = true
	rest.Change(r, OIDCPath+"device", a.device).Allow(rest.Everyone(question)).Audit.Login = true
	rest.Change(r, OIDCPath+"login", a.loginOIDC).Allow(rest.Everyone(code)).Audit.Login = true
	rest.Change(r, "/api/v1/auth/tokens", a.issue).Allow(rest.Needs(rights.Manage))
	rest.Change(r, "/api/v1/auth/revoke", a.revoke).Allow(rest.Users())
	rest.Change(r, FirstAdminPath, func(q *http.Request, _ struct{}) (model.Login, uint64, error) { return a.first(q) }).Allow(rest.Needs(rights.Manage))
	r.Read("/api/v1/auth/tokens", a.tokens).Allow(rest.Users())
	r.Read("/api/v1/auth/whoami", func(q *http.Request, _ httprouter.Params) (any, error) { return whoami(auth.Of(q.Context())), nil }).Allow(rest.Users(trust.Master, trust.Agent, trust.Monitor))
	r.Read("/api/v1/auth/can-i", func(q *http.Request, _ httprouter.Params) (any, error) {
		return canI(auth.Of(q.Context()), q.URL.Query())
	}).Allow(rest.Users())
	r.Read(audit.Path, a.audit).Allow(rest.Needs(rights.Manage))
	rest.Change(r, audit.Path, a.recordForwarded).Allow(rest.Only(trust.Master))
}

// login begins a session.
func (a *Auth) login(q *http.Request, request model.Login) (model.Token, uint64, error) {
	t, rev, err := a.Users.Login(q.Context(), request, a.From(q))
	if err != nil {
		a.Failed(q, request.Username, err)
		return t, 0, err
	}
	a.begun(q, t)
	return t, rev, nil
}

// begun takes down that a session has begun.
func (a *Auth) begun(q *http.Request, t model.Token) {
	who := auth.Subject{Identity: trust.Identity{Role: trust.User, Name: t.User}, Proof: auth.Proof(t.Proof), Token: t.ID}
	a.Record(q.WithContext(auth.With(q.Context(), who)), "login", "")
}

func (a *Auth) logout(q *http.Request) (model.Revoked, uint64, error) {
	who := auth.Of(q.Context())
	if who.Token == "" {
		return model.Revoked{}, 0, model.Errorf(model.CodeInvalid, "", "the request has no token whose session could be ended").Try("send the token of the session")
	}
	rev, err := a.Users.Revoke(q.Context(), who.Name, who.Token)
	if err == nil {
		a.Record(q, "logout", "")
	}
	return model.Revoked{Done: err == nil}, rev, err
}

// password sets one's own password, which takes the old one, or with the right to manage users anyone's.
func (a *Auth) password(q *http.Request, request model.PasswordRequest) (model.Revoked, uint64, error) {
	who := auth.Of(q.Context())
	name := request.Username
	if name == "" {
		name = who.Name
	}
	manage := rights.Right{Verb: rights.Manage, Kind: model.KindUser()}
	var err error
	if who.Proof == auth.BySession && name == who.Name {
		err = a.Users.Check(q.Context(), model.Login{Username: name, Password: request.Old}, a.From(q))
	} else {
		err = who.Check(manage)
	}
	if err != nil {
		return model.Revoked{}, 0, err
	}
	rev, err := a.Users.SetPassword(q.Context(), name, request.Password)
	if err == nil {
		a.Record(q, "password", "user "+name)
	}
	return model.Revoked{Done: err == nil}, rev, err
}

func (a *Auth) ldapPassword(q *http.Request, request model.PasswordRequest) (model.Revoked, uint64, error) {
	if err := auth.Of(q.Context()).Check(rights.Right{Verb: rights.Manage, Kind: model.KindLdapConfiguration()}); err != nil {
		return model.Revoked{}, 0, err
	}
	rev, err := a.Users.SetLDAPPassword(q.Context(), request.Password)
	if err == nil {
		a.Record(q, "password", "ldapConfiguration ldap")
	}
	return model.Revoked{Done: err == nil}, rev, err
}

func (a *Auth) issue(q *http.Request, request model.TokenRequest) (model.Token, uint64, error) {
	if err := auth.Of(q.Context()).Check(rights.Right{Verb: rights.Manage, Kind: model.KindUser()}); err != nil {
		return model.Token{}, 0, err
	}
	if request.Seconds < 0 || len(request.Label) > 64 {
		return model.Token{}, 0, model.Errorf(model.CodeInvalid, "seconds", "a token of %d seconds, with a label of %d bytes", request.Seconds, len(request.Label)).Try("it lasts for 0 seconds, which is for ever, or more, and the label has at most 64 bytes")
	}
	t, rev, err := a.Users.Issue(q.Context(), request.User, request.Label, a.From(q), time.Duration(min(request.Seconds, 1<<32))*time.Second)
	if err == nil {
		a.Record(q, "token", "user "+request.User+" token "+t.ID)
	}
	return t, rev, err
}

// revoke ends one's own sessions, or with the right to manage users anyone's sessions and tokens.
func (a *Auth) revoke(q *http.Request, request model.Revocation) (model.Revoked, uint64, error) {
	who := auth.Of(q.Context())
	owner := who.Name
	if who.Check(rights.Right{Verb: rights.Manage}) == nil {
		owner = ""
	}
	rev, err := a.Users.Revoke(q.Context(), owner, request.ID)
	if err == nil {
		a.Record(q, "revoke", "token "+request.ID)
	}
	return model.Revoked{Done: err == nil}, rev, err
}

func (a *Auth) first(q *http.Request) (model.Login, uint64, error) {
	who := auth.Of(q.Context())
	if who.Proof != auth.ByCertificate {
		return model.Login{}, 0, model.Errorf(model.CodeDenied, "", "the first admin is made with an admin's certificate").Try("contiv init makes one")
	}
	out, rev, err := a.Users.FirstAdmin(q.Context())
	if err == nil {
		a.Record(q, "password", "user "+out.Username)
	}
	return out, rev, err
}

func (a *Auth) tokens(q *http.Request, _ httprouter.Params) (any, error) {
	who := auth.Of(q.Context())
	user := q.URL.Query().Get("user")
	if user != who.Name || who.Anyone {
		if err := who.Check(rights.Right{Verb: rights.Manage, Kind: model.KindUser()}); err != nil {
			return nil, err
		}
	}
	out := a.Users.Tokens(user)
	slices.SortFunc(out, func(a, b model.Token) int { return a.Made.Compare(b.Made) })
	return out, nil
}

func (a *Auth) audit(q *http.Request, _ httprouter.Params) (any, error) {
	values := q.URL.Query()
	f := audit.Filter{User: values.Get("user"), Verb: values.Get("verb")}
	var err error
	if text := values.Get("limit"); text != "" {
		if f.Limit, err = strconv.Atoi(text); err != nil || f.Limit < 0 {
			return nil, model.Errorf(model.CodeInvalid, "limit", "%q is no number of events", text).Try("it is 0 or more")
		}
	}
	if text := values.Get("since"); text != "" {
		if f.Since, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, model.Errorf(model.CodeInvalid, "since", "%q is no time", text).Try("it is a time such as 2030-01-02T15:04:05Z")
		}
	}
	return a.Audit.List(f), nil
}

// recordForwarded adds events to the audit that another netmaster has sent.
func (a *Auth) recordForwarded(q *http.Request, events []model.AuditEvent) (model.Revoked, uint64, error) {
	for _, e := range events[:min(len(events), audit.Part)] {
		if e.Via == "" {
			e.Via = auth.Of(q.Context()).Name
		}
		a.Audit.Add(e)
	}
	return model.Revoked{Done: true}, 0, nil
}

func whoami(who *auth.Subject) model.Whoami {
	out := model.Whoami{Role: string(who.Role), Name: who.Name, Proof: string(who.Proof), Token: who.Token, Grants: []string{}}
	for _, g := range who.Grants {
		out.Grants = append(out.Grants, g.String())
	}
	if who.Anyone {
		out.Grants = append(out.Grants, string(rights.Admin))
	}
	return out
}

// canI answers whether one may do something: VERB on a KIND, with the key of an object or a tenant.
func canI(who *auth.Subject, q url.Values) (any, error) {
	right, err := rights.Parse(q.Get("verb"), q.Get("kind"), q.Get("key"), q.Get("tenant"))
	if err != nil {
		return nil, err
	}
	out := model.CanI{Allowed: true, Right: right.String()}
	if err := who.Check(right); err != nil {
		out.Allowed, out.Why = false, model.AsError(err).Remedy
	}
	return out, nil
}

// SPDX-License-Identifier: Apache-2.0

// Package auth authenticates the senders of requests to a netmaster, and carries their identity to the code that decides about their
// permissions. A Subject is an authenticated sender. Users are authenticated by passwords, sessions and tokens, an LDAP directory or an
// OpenID provider; authorizations, which are objects of the API, determine their permissions.
package auth

import (
	"context"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/trust"
)

// Proof is how a subject was authenticated.
type Proof string

// The proofs.
const (
	ByCertificate Proof = "certificate"     // of the cluster's authority
	BySession     Proof = "session"         // started by a password
	ByDirectory   Proof = "ldap"            // a session, started by a password that an LDAP directory has checked
	ByProvider    Proof = "oidc"            // a session, started by the claims of an OpenID provider
	ByService     Proof = "service-account" // a token of a service account
	ByKubernetes  Proof = "kubernetes"      // a token of a service account of Kubernetes, for metrics only
)

// Subject is the sender of a request. The zero Subject is no one, and has no permissions.
type Subject struct {
	trust.Identity
	Proof  Proof
	Grants rights.Grants
	Token  string // names the token, if a token authenticated the subject
	// Valid reports whether the proof is still valid, for long requests; nil: it is.
	Valid func() bool
	// Anyone: nothing is authenticated, and everything is permitted.
	Anyone bool
}

// Anyone returns the subject of requests to a netmaster without authentication.
func Anyone() Subject { return Subject{Anyone: true} }

// Known reports whether the subject is authenticated.
func (s *Subject) Known() bool { return s.Role != "" }

// Called returns the subject's display name: a user's name, "agent/h1", "master/m1".
func (s *Subject) Called() string {
	if s.Role == trust.User || s.Role == "" {
		return s.Name
	}
	return string(s.Role) + "/" + s.Name
}

// Check refuses a right that the subject lacks. Errors are *model.Error.
func (s *Subject) Check(r rights.Right) error {
	if s.Anyone || s.Grants.Permit(r) {
		return nil
	}
	return rights.Refusal(r)
}

// Object refuses a verb on an object.
func (s *Subject) Object(verb rights.Verb, k *model.Kind, key string) error {
	return s.Check(rights.Of(verb, k, key))
}

// Changes refuses a change of an object, in its previous or next state, that the subject may not make. Errors are *model.Error.
func (s *Subject) Changes(o model.Object) error {
	if s.Anyone || s.Grants.Permit(rights.OfObject(o)) {
		return nil
	}
	return rights.RefusalOf(o)
}

// Sees reports whether the subject may see an object.
func (s *Subject) Sees(k *model.Kind, key string) bool {
	return s.Anyone || s.Grants.Permit(rights.Of(rights.Read, k, key))
}

// SeesAll reports whether the subject may see all objects of a kind, so that no object must be checked.
func (s *Subject) SeesAll(k *model.Kind) bool {
	verb := rights.Read
	if k.Guarded {
		verb = rights.Manage
	}
	return s.Anyone || s.Grants.Permit(rights.Right{Verb: verb, Kind: k})
}

// Everywhere reports whether the subject may see the objects of all tenants, and the traffic between them.
func (s *Subject) Everywhere() bool {
	return s.Anyone || s.Grants.Permit(rights.Right{Verb: rights.Read})
}

// Tenant refuses to show the objects of a tenant; "": of all tenants. Errors are *model.Error.
func (s *Subject) Tenant(name string) error {
	return s.Check(rights.Right{Verb: rights.Read, Tenant: name})
}

// About refuses a question about a tenant that the subject may not see, or, for tenant "", about all tenants unless it may see all. Errors
// are *model.Error.
func (s *Subject) About(tenant string) error {
	switch {
	case tenant != "":
		return s.Tenant(tenant)
	case !s.Everywhere():
		return model.Errorf(model.CodeDenied, "tenant", "a question about all tenants, not all of which you may see").Try("name the tenant, with --tenant")
	}
	return nil
}

// Host refuses a host for which the subject does not act: an agent acts for its own. Other subjects act for none, and need other rights.
// field is the request's field with the host. Errors are *model.Error.
func (s *Subject) Host(name, field string) error {
	if s.Role != trust.Agent || s.Speaks(name) {
		return nil
	}
	return model.Errorf(model.CodeDenied, field, "the agent of host %s acts for host %q", s.Name, name).
		Try("an agent acts only for the host that its certificate names; compare --host-label with its value when the host joined")
}

// Text returns the identity and its proof, for a netmaster that forwards a request.
func (s *Subject) Text() string {
	if !s.Known() {
		return ""
	}
	return strings.TrimSpace(string(s.Role) + " " + s.Name + " " + string(s.Proof) + " " + s.Token)
}

// Parse parses Text, which does not contain the grants: the receiver knows them.
func Parse(text string) (s Subject, err error) {
	words := strings.Split(text, " ")
	if len(words) == 3 {
		words = append(words, "")
	}
	if len(words) != 4 {
		return s, fmt.Errorf("%.80q does not name the sender of a request", text)
	}
	s.Identity = trust.Identity{Role: trust.Role(words[0]), Name: words[1]}
	s.Token = words[3]
	switch s.Proof = Proof(words[2]); s.Proof {
	case ByCertificate, BySession, ByDirectory, ByProvider, ByService:
		return s, s.Identity.Check()
	}
	return Subject{}, fmt.Errorf("%.80q is no proof", words[2])
}

// ProviderPrefix begins the names of users and groups of the OpenID provider: names of the cluster's own users have no colon.
const ProviderPrefix = "oidc:"

type subjectKey struct{}

// With returns a context in which a request is from s.
func With(ctx context.Context, s Subject) context.Context {
	return context.WithValue(ctx, subjectKey{}, &s)
}

// Of returns the sender of a context's request; the zero Subject if none is set. The caller must not change it.
func Of(ctx context.Context) *Subject {
	if s, ok := ctx.Value(subjectKey{}).(*Subject); ok {
		return s
	}
	return &Subject{}
}

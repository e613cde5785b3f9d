// Package access carries who a request is from, as it was proved, to where it is decided what that one may do.
package access

import (
	"context"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/trust"
)

// Proof is how someone has proved who they are.
type Proof string

// The proofs.
const (
	Certificate Proof = "certificate"     // of the cluster's authority
	Session     Proof = "session"         // begun by a password
	Directory   Proof = "ldap"            // a session, begun by a password that an LDAP directory has checked
	Provider    Proof = "oidc"            // a session, begun by what an OpenID provider says
	Service     Proof = "service-account" // a token that was made for a script
)

// Subject is who a request is from. The zero Subject is no one, who may nothing.
type Subject struct {
	trust.Identity
	Proof  Proof
	Grants rights.Grants
	Token  string // names the token, when one has proved it
	// Valid reports whether the proof still holds, for what continues for long; nil: it does.
	Valid func() bool
	// Anyone: nothing is proved, and everything is permitted.
	Anyone bool
}

// Anyone is who asks a netmaster that asks for no proof.
func Anyone() Subject { return Subject{Anyone: true} }

// Known reports whether something was proved.
func (s *Subject) Known() bool { return s.Role != "" }

// Called is the subject as people read it: a user's name, "agent/h1", "master/m1".
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

// Object refuses something with one object.
func (s *Subject) Object(verb rights.Verb, k *model.Kind, key string) error {
	return s.Check(rights.Of(verb, k, key))
}

// Changes refuses a change of an object, as it was or is to be, that the subject may not make. Errors are *model.Error.
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

// SeesAll reports whether the subject may see all objects of a kind, so that none has to be asked about.
func (s *Subject) SeesAll(k *model.Kind) bool {
	verb := rights.Read
	if k.Guarded {
		verb = rights.Manage
	}
	return s.Anyone || s.Grants.Permit(rights.Right{Verb: verb, Kind: k})
}

// Everywhere reports whether the subject may see what is in all tenants, and between them.
func (s *Subject) Everywhere() bool {
	return s.Anyone || s.Grants.Permit(rights.Right{Verb: rights.Read})
}

// Tenant refuses to show what is in a tenant; "": what is in all of them. Errors are *model.Error.
func (s *Subject) Tenant(name string) error {
	return s.Check(rights.Right{Verb: rights.Read, Tenant: name})
}

// About refuses a question about a tenant that the subject may not see, or, of tenant "", about all of them when it may not see all. Errors are
// *model.Error.
func (s *Subject) About(tenant string) error {
	switch {
	case tenant != "":
		return s.Tenant(tenant)
	case !s.Everywhere():
		return model.Errorf(model.CodeDenied, "tenant", "a question about all tenants, not all of which you may see").Try("name the tenant, with --tenant")
	}
	return nil
}

// Host refuses a host that the subject does not speak for: an agent speaks for its own. Others speak for none, and have proved otherwise
// that they may do as they ask. field is the request's that names the host. Errors are *model.Error.
func (s *Subject) Host(name, field string) error {
	if s.Role != trust.Agent || s.Speaks(name) {
		return nil
	}
	return model.Errorf(model.CodeDenied, field, "the agent of host %s acts for host %q", s.Name, name).
		Try("an agent acts for the host alone that its certificate names; is --host-label as it was when the host joined?")
}

// Text is the identity and its proof, for a netmaster that passes a request on.
func (s *Subject) Text() string {
	if !s.Known() {
		return ""
	}
	return strings.TrimSpace(string(s.Role) + " " + s.Name + " " + string(s.Proof) + " " + s.Token)
}

// Parse reads Text. The grants are not in it: whoever decides knows them.
func Parse(text string) (s Subject, err error) {
	words := strings.Split(text, " ")
	if len(words) == 3 {
		words = append(words, "")
	}
	if len(words) != 4 {
		return s, fmt.Errorf("%.80q does not say who a request is from", text)
	}
	s.Identity = trust.Identity{Role: trust.Role(words[0]), Name: words[1]}
	s.Token = words[3]
	switch s.Proof = Proof(words[2]); s.Proof {
	case Certificate, Session, Directory, Provider, Service:
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

// Of is who a context's request is from; the zero Subject when no one has said so. The caller must not change it.
func Of(ctx context.Context) *Subject {
	if s, ok := ctx.Value(subjectKey{}).(*Subject); ok {
		return s
	}
	return &Subject{}
}

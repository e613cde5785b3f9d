// SPDX-License-Identifier: Apache-2.0

// Package rights defines permissions: the rights, the roles that include them, and the tenant of an object. It only computes.
package rights

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// Verb is an operation.
type Verb string

// The verbs. Those below Change are separate rights: no right to change objects implies one.
const (
	Read     Verb = "read"      // objects, and their state
	Change   Verb = "change"    // create, update and delete objects
	Capture  Verb = "capture"   // see the packets of endpoints
	Repair   Verb = "repair"    // repair drift on a host
	HandOver Verb = "hand-over" // choose the leading netmaster
	Relay    Verb = "relay"     // see the state of an agent: flows, ports, owners
	Bundle   Verb = "bundle"    // collect logs and states of the cluster for a defect report
	Manage   Verb = "manage"    // users, authorizations and tokens; read the audit log
)

// Verbs lists them.
func Verbs() []Verb {
	return []Verb{Read, Change, Capture, Repair, HandOver, Relay, Bundle, Manage}
}

// Right is what a request requires: a verb in a tenant.
type Right struct {
	Verb   Verb
	Kind   *model.Kind // of the object; nil: none
	Tenant string      // "": the cluster, of which a tenant is a part
}

// String is the right in a sentence: "change networks of tenant blue".
func (r Right) String() string {
	out := string(r.Verb)
	switch {
	case r.Kind != nil:
		out += " " + r.Kind.Nouns()
	case r.Verb == HandOver:
		out = "hand over leadership"
	case r.Verb == Manage:
		out += " users and see the audit"
	case r.Verb == Read || r.Verb == Change:
		out += " objects"
	}
	if r.Tenant == "" {
		return out + " of the cluster"
	}
	return out + " of tenant " + r.Tenant
}

// Of returns the right to do something with one object. Users and authorizations require Manage.
func Of(verb Verb, k *model.Kind, key string) Right {
	r := Right{Verb: verb, Kind: k, Tenant: TenantOf(k, key)}
	switch {
	case k.Guarded:
		r.Verb = Manage
	case k == model.KindTenant() && verb == Change: // a tenant's fields belong to it, its existence does not
		r.Tenant = ""
	}
	return r
}

// TenantOf returns the tenant of an object, by its key; "" for the cluster's own.
func TenantOf(k *model.Kind, key string) string {
	if k == model.KindTenant() {
		return key
	}
	if !k.TenantScoped() && k != model.KindEndpoint() {
		return ""
	}
	return identity.Scope(key)
}

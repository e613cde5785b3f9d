// Package rights says who may do what: which rights there are, which of them a role has, and what an object's kind says of the
// tenant that it belongs to. It computes only.
package rights

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Verb is what is done.
type Verb string

// The verbs. Those below Change are rights of their own: no right to change objects implies one.
const (
	Read     Verb = "read"      // objects, and what is known of them
	Change   Verb = "change"    // create, update and delete objects
	Capture  Verb = "capture"   // see the packets of endpoints
	Repair   Verb = "repair"    // put right what others have changed on a host
	HandOver Verb = "hand-over" // say which netmaster leads
	Relay    Verb = "relay"     // see what an agent has: flows, ports, owners
	Bundle   Verb = "bundle"    // collect logs and states of the cluster for a defect report
	Manage   Verb = "manage"    // users, authorizations and tokens; see the audit
)

// Verbs lists them.
func Verbs() []Verb {
	return []Verb{Read, Change, Capture, Repair, HandOver, Relay, Bundle, Manage}
}

// Right is what a request needs: a verb in a tenant.
type Right struct {
	Verb   Verb
	Kind   *model.Kind // of the object; nil: it is about none
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

// Of is the right to do something with one object. Who may be a user, and what for, is managed by whoever has Manage.
func Of(verb Verb, k *model.Kind, key string) Right {
	r := Right{Verb: verb, Kind: k, Tenant: TenantOf(k, key)}
	switch {
	case k.Guarded:
		r.Verb = Manage
	case k == model.KindTenant() && verb == Change: // what a tenant consists of is its own; that there is one, is not
		r.Tenant = ""
	}
	return r
}

// TenantOf is the tenant that an object belongs to, by its key; "" for the cluster's own.
func TenantOf(k *model.Kind, key string) string {
	if k == model.KindTenant() {
		return key
	}
	if !k.TenantScoped() && k != model.KindEndpoint() {
		return ""
	}
	tenant, _, _ := strings.Cut(key, ":")
	return tenant
}

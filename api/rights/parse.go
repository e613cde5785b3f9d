// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"slices"

	"github.com/contiv/contiv/api/model"
)

// Parse parses a right in a user's notation: a verb, or one of its synonyms, a kind by any of its names ("" for none), the key of an object
// or a tenant. Errors are *model.Error.
func Parse(verb, kind, key, tenant string) (Right, error) {
	v, ok := verbOf(verb)
	if !ok {
		return Right{}, model.Errorf(model.CodeInvalid, "verb", "there is no verb %q", verb).Try("use one of %s, or a verb of netctl", list(Verbs()))
	}
	r := Right{Verb: v, Tenant: tenant}
	if kind == "" {
		return r, nil
	}
	k, ok := model.KindOf(kind)
	if !ok {
		return Right{}, model.Errorf(model.CodeInvalid, "kind", "kind %q is unknown", kind).Try("netctl explain lists the kinds")
	}
	switch {
	case key != "":
		return Of(v, k, key), nil
	case tenant == "" || !k.TenantScoped() && k != model.KindEndpoint() && k != model.KindTenant():
		return Of(v, k, ""), nil
	}
	return Of(v, k, model.Key(tenant, "*")).inTenant(tenant, k), nil
}

// inTenant returns the right in a tenant, if the key was only that of some object there.
func (r Right) inTenant(tenant string, k *model.Kind) Right {
	if k == model.KindTenant() {
		return Of(r.Verb, k, tenant)
	}
	return r
}

// verbOf parses a verb, or its synonym in netctl or HTTP.
func verbOf(word string) (Verb, bool) {
	switch word {
	case "get", "list", "ls", "watch", "inspect", "info", "describe", "history", "why":
		return Read, true
	case "create", "update", "delete", "rm", "set", "apply":
		return Change, true
	}
	return Verb(word), slices.Contains(Verbs(), Verb(word))
}

// String is the verb.
func (v Verb) String() string { return string(v) }

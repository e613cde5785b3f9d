// SPDX-License-Identifier: Apache-2.0

package historyapi

import (
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/identity"
)

// visibility returns a function that reports whether a change may be shown, or nil if all may.
func visibility(who *auth.Subject) func(kind, key string) bool {
	if who.Anyone || who.Grants.Permit(rights.Right{Verb: rights.Manage}) {
		return nil
	}
	return func(kind, key string) bool {
		switch kind {
		case history.KindAddress, history.KindProvider: // whose keys begin with their tenant
			return who.Tenant(identity.Scope(key)) == nil
		}
		k, ok := model.KindOf(kind)
		if !ok {
			return who.Everywhere()
		}
		return who.Sees(k, key)
	}
}

// mayChange refuses to change who has an address of a network, "network.tenant" or "tenant:network". Where the text can be read in several
// ways, the right to change those of all tenants is needed.
func mayChange(who *auth.Subject, network string) error {
	if who.Anyone {
		return nil
	}
	if id, err := identity.ParseNetwork(network); err == nil && !strings.Contains(network, ".") {
		return who.Check(rights.Right{Verb: rights.Change, Kind: model.KindNetwork(), Tenant: id.Tenant})
	}
	right := rights.Right{Verb: rights.Change, Kind: model.KindNetwork()}
	if id, ok := identity.ParseDottedNetwork(network); ok {
		right.Tenant = id.Tenant
	}
	return who.Check(right)
}

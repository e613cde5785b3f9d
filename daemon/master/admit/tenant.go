// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

func createTenant(tx *commit.Tx, t *model.Tenant) error {
	vrf, err := tx.Numbers().VRFs.First()
	if err != nil {
		return model.Errorf(model.CodeExhausted, "", "no address spaces available").Try("a cluster has at most %s tenants; delete one", tx.Numbers().VRFs)
	}
	return tx.Put(record.Tenants+t.TenantName, &record.Tenant{ID: t.TenantName, Tenant: t.TenantName, VRF: uint16(vrf)})
}

// updateTenant permits changes of the list of namespaces. All other fields stay, as with the original.
func updateTenant(_ *commit.Tx, old, t *model.Tenant) error {
	if t.DefaultNetwork != old.DefaultNetwork {
		return unchangeable(t)
	}
	return nil
}

func removeTenant(tx *commit.Tx, t *model.Tenant) error {
	for _, c := range []struct{ kind, what string }{
		{"appProfile", "app profiles"}, {"endpointGroup", "endpoint groups"}, {"policy", "policies"},
		{"netprofile", "netprofiles"}, {"network", "networks"},
	} {
		if keys := tx.Referrers(model.KindTenant(), t.ObjectKey(), c.kind); len(keys) > 0 {
			return model.Errorf(model.CodeInUse, "", "cannot delete %s, has %d %s", t.TenantName, len(keys), c.what).
				Try("delete %s first, or all that the tenant has, and itself: netctl tenant rm %s --cascade", some(keys), t.TenantName)
		}
	}
	for _, o := range tx.Objects(model.KindExtContractsGroup()) { // they block nothing, and mean nothing without their tenant
		if o.Field("tenantName") == t.TenantName {
			tx.DeleteObject(o.Kind(), o.ObjectKey())
		}
	}
	for a := range tx.Authorizations { // a later tenant of the same name is another one
		if a.Scope == t.TenantName {
			tx.DeleteObject(model.KindAuthorization(), a.AuthorizationName)
		}
	}
	tx.Delete(record.Tenants + t.TenantName)
	return nil
}

// tenantOf checks that the tenant exists.
func tenantOf(tx *commit.Tx, name string) error {
	if tx.Has(model.KindTenant().Name, name) {
		return nil
	}
	e := model.Errorf(model.CodeNotFound, "tenantName", "Tenant not found")
	return e.Try("create it with netctl tenant create %s; %s", name, model.Instead(model.KindTenant(), name, tx.Keys(model.KindTenant())))
}

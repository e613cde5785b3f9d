// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// narrows refuses a tenant or a network, to which a question is narrowed, that does not exist; "" is any.
func (s *prober) narrows(tenant, network string) (err error) {
	s.catalog.View(func(v *catalog.View) {
		if tenant != "" && v.Object(model.KindTenant(), tenant) == nil {
			err = v.NotFound(model.KindTenant(), tenant)
			return
		}
		if network == "" || slices.ContainsFunc(v.Objects(model.KindNetwork()), func(o model.Object) bool {
			return o.Field("networkName") == network && (tenant == "" || o.Field("tenantName") == tenant)
		}) {
			return
		}
		e := model.Errorf(model.CodeNotFound, "network", "there is no network %s", network)
		if tenant != "" {
			e.Message += " of tenant " + tenant
		}
		err = e.Try("%s lists them", model.KindNetwork().Listing())
	})
	return err
}

// narrowed refuses a question of who may not ask about all tenants, unless it names one that they may ask about.
func narrowed(tenant string, may func(tenant string) error) error {
	if tenant == "" {
		return model.Errorf(model.CodeDenied, "tenant", "a question about all tenants, not all of which you may see").Try("name the tenant, with --tenant")
	}
	return may(tenant)
}

// hideNames replaces the remedy of a refusal for users who do not see all tenants: it may name objects of others.
func hideNames(who *auth.Subject, err error) error {
	e := *model.AsError(err)
	if e.Code == model.CodeNotFound && !who.Everywhere() {
		e.Remedy = "netctl get KIND lists the objects in your tenants"
	}
	return &e
}

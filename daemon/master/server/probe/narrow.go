package probe

import (
	"slices"

	"github.com/contiv/contiv/api/model"
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
		err = e.Try("%s shows what there is", model.KindNetwork().Listing())
	})
	return err
}

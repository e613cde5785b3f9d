package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
)

func createAppProfile(tx *commit.Tx, p *model.AppProfile) error {
	if err := tenantOf(tx, p.TenantName); err != nil {
		return err
	}
	for _, name := range p.EndpointGroups {
		if !tx.Has(model.KindEndpointGroup().Name, model.Key(p.TenantName, name)) {
			return model.Errorf(model.CodeNotFound, "endpointGroups", "could not find group:%s", name).
				Try("create it with netctl group create --tenant %s NETWORK %s", p.TenantName, name)
		}
	}
	return nil
}

func updateAppProfile(tx *commit.Tx, _, p *model.AppProfile) error { return createAppProfile(tx, p) }

func removeAppProfile(*commit.Tx, *model.AppProfile) error { return nil }

// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
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
	if !derive.ByACI(tx.Global()) {
		return nil
	}
	if err := checkGateway(tx); err != nil {
		return err
	}
	_, err := aci.Wish(tx.View, p)
	return err
}

func updateAppProfile(tx *commit.Tx, _, p *model.AppProfile) error { return createAppProfile(tx, p) }

func removeAppProfile(*commit.Tx, *model.AppProfile) error { return nil }

// checkGateway refuses a profile of an ACI fabric while the hosts' attachment to the fabric is not configured.
func checkGateway(tx *commit.Tx) error {
	gw, _ := tx.Stored(model.KindAciGw(), "aciGw").(*model.AciGw)
	switch {
	case gw == nil:
		return model.Errorf(model.CodeNotReady, "", "the ACI gateway is not configured").
			Try("set it with netctl aci-gw set --phys-dom DOMAIN --path-bindings PATHS")
	case gw.PathBindings == "" && gw.NodeBindings == "":
		return model.Errorf(model.CodeNotReady, "", "No bindings specified for the ACI gateway").
			Try("set them with netctl aci-gw set --path-bindings PATHS or --node-bindings NODES")
	}
	return nil
}

// checkFabricGroup refuses policies for a group of an application profile that an ACI fabric cannot express.
func checkFabricGroup(tx *commit.Tx, g *model.EndpointGroup) error {
	if !derive.ByACI(tx.Global()) || len(tx.Referrers(g.Kind(), g.ObjectKey(), model.KindAppProfile().Name)) == 0 {
		return nil
	}
	for _, policy := range g.Policies {
		for _, key := range derive.RulesOf(tx, model.Key(g.TenantName, policy)) {
			rule, _ := tx.Stored(model.KindRule(), key).(*model.Rule)
			if err := aci.Expressible(rule); err != nil {
				return err
			}
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"cmp"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

func createGroup(tx *commit.Tx, g *model.EndpointGroup) error {
	if err := tenantOf(tx, g.TenantName); err != nil {
		return err
	}
	n := tx.Network(g.On())
	if n == nil || !tx.Has(model.KindNetwork().Name, model.Key(g.TenantName, g.NetworkName)) {
		return model.Errorf(model.CodeNotFound, "networkName", "Network %s not found", g.NetworkName).
			Try("create it with netctl network create --tenant %s --subnet ADDRESS/LENGTH %s", g.TenantName, g.NetworkName)
	}
	if tx.Has(model.KindNetwork().Name, g.ObjectKey()) {
		return model.Errorf(model.CodeConflict, "groupName", "Endpoint group %s conflicts with the network of the same name", g.GroupName).
			Try("networks and groups of a tenant share their names; choose another")
	}
	r := groupRecord(g, n.Record)
	if err := ownVLAN(tx, g, r); err != nil {
		return err
	}
	if err := checkPool(tx, n, g.IpPool, r); err != nil {
		return err
	}
	if err := checkNames(tx, g); err != nil {
		return err
	}
	var err error
	if r.Number, err = tx.Numbers().Groups.First(); err != nil {
		return model.Errorf(model.CodeExhausted, "", "no group numbers available").Because(err).Try("delete a group")
	}
	limit(r, profileOf(tx, g))
	if err := tx.Put(record.Groups+r.ID.String(), r); err != nil {
		return err
	}
	return derive.Attach(tx, r, nil, g.Policies)
}

// profileOf returns the net profile of a group, nil if it has none.
func profileOf(tx *commit.Tx, g *model.EndpointGroup) *model.Netprofile {
	p, _ := tx.Object(model.KindNetprofile(), model.Key(g.TenantName, g.NetProfile)).(*model.Netprofile)
	return p
}

func updateGroup(tx *commit.Tx, old, g *model.EndpointGroup) error {
	if g.NetworkName != old.NetworkName {
		return model.Errorf(model.CodeImmutable, "networkName", "Cannot change network association after epg is created.").
			Try("group %s is on network %s; delete the group and create it again", g.GroupName, old.NetworkName)
	}
	if g.IpPool != old.IpPool {
		return model.Errorf(model.CodeImmutable, "ipPool", "Cannot change IP pool after epg is created.").
			Try("group %s has the pool %q; delete the group and create it again", g.GroupName, old.IpPool)
	}
	g.CfgdTag = old.CfgdTag // the original ignored a change, and clients post the value that they have
	if err := checkNames(tx, g); err != nil {
		return err
	}
	if err := checkFabricGroup(tx, g); err != nil {
		return err
	}
	have := tx.Group(g.Identity())
	if have == nil {
		return model.Errorf(model.CodeInternal, "", "group %s has no record in the store", g.GroupName).Try("delete the group and create it again")
	}
	r := *have
	if limit(&r, profileOf(tx, g)); r != *have {
		if err := tx.Put(record.Groups+r.ID.String(), &r); err != nil {
			return err
		}
	}
	return derive.Attach(tx, &r, old.Policies, g.Policies)
}

func removeGroup(tx *commit.Tx, g *model.EndpointGroup) error {
	if profiles := tx.Referrers(model.KindEndpointGroup(), g.ObjectKey(), model.KindAppProfile().Name); len(profiles) > 0 {
		return model.Errorf(model.CodeInUse, "", "Cannot delete %s: part of app profile", g.GroupName).Try("remove it from %s first", some(profiles))
	}
	id := g.Identity()
	if tx.CountIn(id) > 0 {
		var names []string
		for _, e := range tx.EndpointsIn(id) {
			names = append(names, e.ID.Endpoint+" on "+e.Host)
		}
		return model.Errorf(model.CodeInUse, "", "group %s has active endpoints", g.GroupName).Try("remove the containers %s first", some(names))
	}
	if err := outlive(tx, "group "+g.GroupName, tx.DockerNetworksIn(id)); err != nil {
		return err
	}
	have := tx.Group(id)
	if have == nil {
		return nil
	}
	if n := tx.Network(have.Network); n != nil && have.Pool.First.IsValid() {
		for _, h := range tx.HoldsOn(n) { // they are in a pool that is removed
			if n.BlockAt(h.Address) == id {
				tx.EndHold(h.Network, h.Address)
			}
		}
	}
	tx.Delete(record.Groups + id.String())
	return derive.Attach(tx, have, g.Policies, nil)
}

func groupRecord(g *model.EndpointGroup, n *record.Network) *record.Group {
	return &record.Group{
		ID: g.Identity(), Network: n.ID, Encap: n.Encap, PktTag: n.PktTag, ExtPktTag: n.ExtPktTag,
		Tag: cmp.Or(g.CfgdTag, g.GroupName+"."+g.TenantName),
	}
}

// GroupRecord returns the record of a group on a network, with the limits of its net profile, nil if it has none. It lacks the group's number
// and, in an ACI fabric, its VLAN id. A pool that is not of the network is an error.
func GroupRecord(g *model.EndpointGroup, n *record.Network, p *model.Netprofile) (*record.Group, error) {
	r := groupRecord(g, n)
	limit(r, p)
	if g.IpPool == "" {
		return r, nil
	}
	var err error
	if r.Pool, err = ipam.ParseRange(g.IpPool, n.Subnet); err != nil {
		return nil, model.Errorf(model.CodeInvalid, "ipPool", "%v", err).Try("ipPool takes first-last within %s", n.Subnet)
	}
	return r, nil
}

// ownVLAN gives a group of an ACI fabric its own VLAN id, by which the fabric identifies it.
func ownVLAN(tx *commit.Tx, g *model.EndpointGroup, r *record.Group) error {
	if !derive.ByACI(tx.Global()) {
		return nil
	}
	if r.Encap != record.VLAN {
		return model.Errorf(model.CodeInvalid, "networkName", "network %s is a %s network; groups of an ACI fabric need a vlan network", g.NetworkName, r.Encap).
			Try("create a network with --encap vlan")
	}
	vlan, err := tx.Numbers().VLANs.First()
	if err != nil {
		return model.Errorf(model.CodeExhausted, "", "no vlans available").Because(err).Try("widen the range with netctl global set --vlan-range, or delete a network or group")
	}
	r.PktTag = vlan
	return nil
}

// checkPool checks that the pool can be taken from the network.
func checkPool(tx *commit.Tx, n *catalog.Network, pool string, r *record.Group) error {
	if pool == "" {
		return nil
	}
	wanted, err := ipam.ParseRange(pool, n.Record.Subnet)
	if err != nil {
		return model.Errorf(model.CodeInvalid, "ipPool", "%v", err).Try("ipPool takes first-last within %s", n.Record.Subnet)
	}
	r.Pool = wanted
	own, _ := n.Pool4()
	for rested := true; rested; { // the quarantine after a release ends
		_, rested = tx.EndOldestQuarantine(n, func(a netip.Addr) bool { return wanted.Contains(a) && own.Contains(a) })
	}
	own, _ = n.Pool4()
	if err := own.CheckAll(wanted); err != nil {
		return model.Errorf(model.CodeConflict, "ipPool", "%v", err).Because(err).
			Try("every address of the pool must be free; %s", catalog.FreeText(own))
	}
	return nil
}

// checkNames checks that the objects that the group names exist.
func checkNames(tx *commit.Tx, g *model.EndpointGroup) error {
	for _, name := range g.Policies {
		if !tx.Has(model.KindPolicy().Name, model.Key(g.TenantName, name)) {
			return model.Errorf(model.CodeNotFound, "policies", "Policy not found").Unknown(model.KindPolicy(), model.Key(g.TenantName, name), tx.Keys)
		}
	}
	if g.NetProfile != "" && !tx.Has(model.KindNetprofile().Name, model.Key(g.TenantName, g.NetProfile)) {
		return model.Errorf(model.CodeNotFound, "netProfile", "netprofile not found").Unknown(model.KindNetprofile(), model.Key(g.TenantName, g.NetProfile), tx.Keys)
	}
	for _, name := range g.ExtContractsGrps {
		if !tx.Has(model.KindExtContractsGroup().Name, model.Key(g.TenantName, name)) {
			return model.Errorf(model.CodeNotFound, "extContractsGrps", "External contracts group not found").
				Unknown(model.KindExtContractsGroup(), model.Key(g.TenantName, name), tx.Keys)
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// mayBeDirect refuses direct access between hosts and endpoints while two endpoints could have the same address.
func mayBeDirect(tx *commit.Tx, g *model.Global) error {
	if record.HostAccess(g.HostAccess) != record.HostDirect {
		return nil
	}
	private, err := netip.ParsePrefix(g.PvtSubnet)
	if err != nil {
		return model.Errorf(model.CodeInvalid, "pvtSubnet", "private subnet %s is not valid", g.PvtSubnet).Because(err)
	}
	var shared []string
	for _, s := range tx.Shared() {
		shared = append(shared, s.String())
	}
	for _, n := range tx.Networks("") {
		if n.Record.Subnet.Overlaps(private) {
			shared = append(shared, n.Record.ID.String()+" and the private subnet ("+private.String()+")")
		}
	}
	if len(shared) > 0 {
		return model.Errorf(model.CodeConflict, "hostAccess", "hosts cannot meet containers by their own addresses: networks share addresses: %s", some(shared)).
			Try("delete all but one of them first")
	}
	return nil
}

// unique refuses a network whose addresses are those of another network of any tenant, or private ones of hosts, if hosts access endpoints
// by these.
func unique(tx *commit.Tx, r *record.Network) error {
	g := tx.Global()
	if g.HostAccess != record.HostDirect {
		return nil
	}
	for _, s := range []struct {
		field  string
		prefix netip.Prefix
	}{{"ipv6Subnet", r.Subnet6}, {"subnet", r.Subnet}} {
		if o := tx.Sharing(r.ID.Tenant, s.prefix); o != nil {
			return model.Errorf(model.CodeConflict, s.field, "subnet %s overlaps with that of network %s of another tenant", s.prefix, o.Record.ID).
				Try("choose a subnet that no tenant uses: hosts meet containers by their own addresses (netctl global inspect: hostAccess direct)")
		}
		if g.PvtSubnet.Overlaps(s.prefix) {
			return model.Errorf(model.CodeConflict, s.field, "subnet %s overlaps with the private subnet %s of hosts", s.prefix, g.PvtSubnet).
				Try("choose another subnet")
		}
	}
	return nil
}

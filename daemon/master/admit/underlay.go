// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// ofHosts refuses a network whose subnet hosts will route to, if hosts and netmasters already have addresses there: these would be
// allocated again, and packets to them would use the new route.
func ofHosts(tx *commit.Tx, r *record.Network) error {
	if g := tx.Global(); r.Kind != record.InfraNetwork && (g == nil || g.HostAccess != "direct") {
		return nil
	}
	taken := func(a netip.Addr, whose string) error {
		for field, p := range map[string]netip.Prefix{"subnet": r.Subnet, "ipv6Subnet": r.Subnet6} {
			if p.IsValid() && p.Contains(a.Unmap()) {
				return model.Errorf(model.CodeConflict, field, "subnet %s has address %s of %s", p, a, whose).Try("choose a subnet that no host is in")
			}
		}
		return nil
	}
	for _, h := range tx.Hosts() {
		for _, a := range []netip.Addr{h.VTEP, h.Control.Addr(), h.Node4, h.Node6} {
			if err := taken(a, "host "+h.Label); err != nil {
				return err
			}
		}
	}
	for _, m := range tx.Services(record.ServiceMaster) {
		if a, err := netip.ParseAddr(m.HostAddr); err == nil {
			if err := taken(a, "a netmaster"); err != nil {
				return err
			}
		}
	}
	return nil
}

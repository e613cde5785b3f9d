// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/ownership"
	"github.com/contiv/contiv/daemon/record"
)

// ownInterfaces returns interfaces that each host has of Linux, Open vSwitch or Contiv, reported or not.
func ownInterfaces() []string {
	return []string{"lo", "all", "default", "contiv0", "contivh0", "inb01", "vx", "ovs-netdev", "ovs-system", "vxlan_sys_4789"}
}

// onHosts refuses an infra network that hosts cannot join: every host gets an interface of the network's name, with an address of its
// subnet.
func onHosts(tx *commit.Tx, r *record.Network) error {
	if r.Kind != record.InfraNetwork {
		return nil
	}
	name := r.ID.Name
	conflict := func(field, what, remedy string) error {
		return model.Errorf(model.CodeConflict, field, "%s", what).Try("%s", remedy)
	}
	const another = "use another name: every host gets an interface that is called like an infra network"
	if !record.InterfaceName(name) {
		return model.Errorf(model.CodeInvalid, "networkName", "infra network %s: its name is that of an interface on every host, which has 15 letters at most", name).Try("use a shorter one")
	}
	if slices.Contains(ownInterfaces(), name) {
		return conflict("networkName", "every host has an interface "+name+" already", another)
	}
	for _, n := range tx.Networks("") {
		if o := n.Record; o.Kind == record.InfraNetwork && o.ID.Name == name && o.ID != r.ID {
			return conflict("networkName", "infra network "+name+" of tenant "+o.ID.Tenant+" has an interface "+name+" on every host", another)
		}
	}
	for _, h := range tx.Hosts() {
		switch field, what := ownership.Clash(r, h); field {
		case "":
		case "networkName":
			return conflict(field, what, another)
		default:
			return conflict(field, what, "choose a subnet that no host is in")
		}
	}
	return nil
}

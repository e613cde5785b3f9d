// SPDX-License-Identifier: Apache-2.0

package dockernet

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// found is the result of a wish.
type found struct {
	id      identity.Network // without a name if it gets that of the Docker network
	network *catalog.Network // nil: it must be created
	group   string           // or ""
}

// find finds the requested network and group. subnet is Docker's, or invalid.
func (w wish) find(v *catalog.View, subnet netip.Prefix) (found, error) {
	if w.tenant != "" && v.Tenant(w.tenant) == nil {
		return found{}, model.Errorf(model.CodeNotFound, "Options."+optionTenant, "Tenant not found").Try("create it with netctl tenant create %s", w.tenant)
	}
	switch {
	case w.group != "":
		return w.byGroup(v)
	case w.network != "":
		return w.byNetwork(v, subnet)
	case w.tag != "":
		return w.byTag(v)
	case subnet.IsValid():
		return w.bySubnet(v, subnet)
	}
	return found{}, model.Errorf(model.CodeInvalid, "Options", "no option names the network").Try(words)
}

func (w wish) byGroup(v *catalog.View) (found, error) {
	id := identity.Group{Tenant: cmp.Or(w.tenant, defaultTenant), Name: w.group}
	g := v.Group(id)
	if g == nil {
		return found{}, model.Errorf(model.CodeNotFound, "Options."+optionGroup, "endpoint group %s not found", id).
			Try("create it with netctl group create --tenant %s %s %s", id.Tenant, cmp.Or(w.network, "NETWORK"), w.group)
	}
	if w.network != "" && w.network != g.Network.Name {
		return found{}, model.Errorf(model.CodeInvalid, "Options."+optionGroup, "group %s is not on network %s", w.group, w.network).
			Try("it is on network %s", g.Network.Name)
	}
	return known(v, g.Network, w.group)
}

// known returns an existing network.
func known(v *catalog.View, id identity.Network, group string) (found, error) {
	n := v.Network(id)
	if n == nil || n.Record.Kind == record.InfraNetwork || !n.Record.Subnet.IsValid() {
		return found{}, model.Errorf(model.CodeInvalid, "Options", "network %s is not for containers", id).
			Try("%s lists them", model.KindNetwork().Listing())
	}
	return found{id: id, network: n, group: group}, nil
}

func (w wish) byNetwork(v *catalog.View, subnet netip.Prefix) (found, error) {
	id := identity.Network{Tenant: cmp.Or(w.tenant, defaultTenant), Name: w.network}
	switch {
	case v.Network(id) != nil:
		return known(v, id, "")
	case subnet.IsValid():
		return found{id: id}, nil
	}
	return found{}, model.Errorf(model.CodeNotFound, "Options."+optionNetwork, "network %s not found", id).
		Try("create it with netctl network create, or give --subnet to have it made")
}

// byTag finds the group, else the network, with a tag.
func (w wish) byTag(v *catalog.View) (found, error) {
	var groups, networks []found
	var names []string
	for _, g := range v.Groups(w.tenant) {
		if g.Tag == w.tag {
			groups, names = append(groups, found{id: g.Network, group: g.ID.Name}), append(names, "group "+g.ID.String())
		}
	}
	if len(groups) == 0 {
		for _, n := range v.Networks(w.tenant) {
			if n.Record.Tag == w.tag && n.Record.Kind != record.InfraNetwork {
				networks, names = append(networks, found{id: n.Record.ID}), append(names, "network "+n.Record.ID.String())
			}
		}
	}
	switch all := append(groups, networks...); len(all) {
	case 1:
		return known(v, all[0].id, all[0].group)
	case 0:
		return found{}, model.Errorf(model.CodeNotFound, "Options."+optionTag, "no group and no network has the tag %q", w.tag).
			Try("a group's is GROUP.TENANT and a network's NETWORK.TENANT unless they were created with --tag")
	}
	return found{}, model.Errorf(model.CodeConflict, "Options."+optionTag, "the tag %q is of several", w.tag).
		Try("it is of %s: name one by its tenant, network and group", strings.Join(names, ", "))
}

// bySubnet finds the network with a subnet; if there is none, it must be created.
func (w wish) bySubnet(v *catalog.View, subnet netip.Prefix) (found, error) {
	var out []identity.Network
	var names []string
	for _, n := range v.Networks(w.tenant) {
		if (n.Record.Subnet == subnet || n.Record.Subnet6 == subnet) && n.Record.Kind != record.InfraNetwork {
			out, names = append(out, n.Record.ID), append(names, n.Record.ID.String())
		}
	}
	switch len(out) {
	case 0:
		return found{id: identity.Network{Tenant: cmp.Or(w.tenant, defaultTenant)}}, nil
	case 1:
		return known(v, out[0], "")
	}
	return found{}, model.Errorf(model.CodeConflict, "Pool", "several networks have subnet %s", subnet).
		Try("they are %s: name one with --ipam-opt tenant=T --ipam-opt network=N", strings.Join(names, ", "))
}

// pool returns the pool of the addresses of a family. subnet is Docker's, or invalid.
func (f found) pool(subnet netip.Prefix, v6 bool) (identity.Pool, error) {
	p := identity.Pool{Network: f.id, Group: f.group, Subnet: subnet}
	if f.network == nil {
		if subnet.Addr().Is6() != v6 {
			return p, model.Errorf(model.CodeInvalid, "Pool", "subnet %s is of the other family", subnet)
		}
		return p, nil
	}
	own := f.network.Record.Subnet
	if v6 {
		own = f.network.Record.Subnet6
	}
	if !own.IsValid() {
		return p, model.Errorf(model.CodeInvalid, "V6", "network %s has no IPv6 subnet", f.id).Try("leave --ipv6 out, or create the network with --subnetv6")
	}
	if subnet.IsValid() && subnet != own {
		return p, model.Errorf(model.CodeConflict, "Pool", "subnet %s is not the one of network %s", subnet, f.id).Try("it is %s; leave --subnet out", own)
	}
	p.Subnet = own
	return p, nil
}

// gateway returns the gateway of a family, "" if there is none or it is not known yet.
func (f found) gateway(v6 bool) string {
	if f.network == nil {
		return ""
	}
	r := f.network.Record
	a, bits := r.Gateway, r.Subnet.Bits()
	if v6 {
		a, bits = r.Gateway6, r.Subnet6.Bits()
	}
	if !a.IsValid() {
		return ""
	}
	return netip.PrefixFrom(a, bits).String()
}

// has refuses subnets that are not the network's.
func (f found) has(subnets []netip.Prefix) error {
	for _, s := range subnets {
		if _, err := f.pool(s, s.Addr().Is6()); err != nil {
			return err
		}
	}
	return nil
}

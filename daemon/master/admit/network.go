// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"cmp"
	"errors"
	"net/netip"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ipam"
)

func createNetwork(tx *commit.Tx, n *model.Network) error {
	if g := tx.Global(); g == nil || g.FwdMode == "" {
		return model.Errorf(model.CodeNotReady, "", "global configuration is not ready").Try("set it with netctl global set --fwd-mode bridge")
	}
	if err := tenantOf(tx, n.TenantName); err != nil {
		return err
	}
	r, err := NetworkRecord(n)
	if err != nil {
		return err
	}
	if err := overlaps(tx, r); err != nil {
		return err
	}
	if err := unique(tx, r); err != nil {
		return err
	}
	if err := ofHosts(tx, r); err != nil {
		return err
	}
	if err := onHosts(tx, r); err != nil {
		return err
	}
	if err := ofRouters(tx, r); err != nil {
		return err
	}
	if tx.Has(model.KindEndpointGroup().Name, n.ObjectKey()) {
		return model.Errorf(model.CodeConflict, "networkName", "Network %s conflicts with the endpoint group of the same name", n.NetworkName).
			Try("networks and groups of a tenant share their names; choose another")
	}
	if err := chooseTags(tx, n, r); err != nil {
		return err
	}
	return tx.Put(record.Networks+r.ID.String(), r)
}

func removeNetwork(tx *commit.Tx, n *model.Network) error {
	key := n.ObjectKey()
	if groups := tx.Referrers(model.KindNetwork(), key, model.KindEndpointGroup().Name); len(groups) > 0 {
		return model.Errorf(model.CodeInUse, "", "cannot delete %s has %d endpoint groups", n.NetworkName, len(groups)).
			Try("delete %s first", some(groups))
	}
	if services := tx.Referrers(model.KindNetwork(), key, model.KindServiceLB().Name); len(services) > 0 {
		return model.Errorf(model.CodeInUse, "", "cannot delete %s has %d services", n.NetworkName, len(services)).
			Try("delete %s first", some(services))
	}
	id := n.Identity()
	if list := tx.LoadBalancersOn(id); len(list) > 0 {
		var names []string
		for _, l := range list {
			names = append(names, l.Name())
		}
		return model.Errorf(model.CodeInUse, "", "cannot delete %s has addresses of services of Kubernetes", n.NetworkName).
			Try("delete the services %s first, or have them name another network", some(names))
	}
	known := tx.Network(id)
	if known != nil && n.NwType != record.InfraNetwork && known.Endpoints() > 0 {
		var names []string
		for _, e := range tx.EndpointsOf(known) {
			names = append(names, e.ID.Endpoint+" on "+e.Host)
		}
		return model.Errorf(model.CodeInUse, "", "Error: Network has active endpoints").Try("remove the containers %s first", some(names))
	}
	if err := outlive(tx, "network "+n.NetworkName, tx.DockerNetworksOf(id)); err != nil {
		return err
	}
	if known != nil {
		// The remaining ones are the hosts' own, in an infra network: they are deleted with it.
		for _, e := range tx.EndpointsOf(known) {
			tx.Delete(record.Endpoints + e.ID.String())
		}
	}
	for key, h := range tx.Holds() {
		if h.Network == id {
			tx.Delete(key)
		}
	}
	tx.Delete(record.Networks + id.String())
	return nil
}

// NetworkRecord returns a network's record without the tags that netmaster chooses. Errors are *model.Error, and name the field.
func NetworkRecord(n *model.Network) (*record.Network, error) {
	r := &record.Network{
		ID: n.Identity(), Kind: n.NwType, Encap: record.Encap(n.Encap), Tag: cmp.Or(n.CfgdTag, n.Identity().Dotted()),
	}
	spec, err := ipam.ParseSpec(n.Subnet)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "subnet", "Network subnet format not valid").Because(err).Try("%v", err)
	}
	r.Subnet, r.Addresses = spec.Prefix.Masked(), spec.Range()
	if n.Gateway != "" {
		if spec.Gateway, err = netip.ParseAddr(n.Gateway); err != nil {
			return nil, model.Errorf(model.CodeInvalid, "gateway", "gateway %s is not an address", n.Gateway)
		}
		r.Gateway = spec.Gateway
	}
	if _, err := ipam.New(spec); err != nil {
		field := "subnet"
		if n.Gateway != "" && !spec.Prefix.Contains(spec.Gateway) {
			field = "gateway"
		}
		return nil, model.Errorf(model.CodeInvalid, field, "%v", err).Try("choose an address of %s that containers may have", spec.Prefix.Masked())
	}
	if n.Ipv6Subnet == "" {
		if n.Ipv6Gateway != "" {
			return nil, model.Errorf(model.CodeInvalid, "ipv6Gateway", "IPv6 gateway %s without an IPv6 subnet", n.Ipv6Gateway).Try("set ipv6Subnet, or leave ipv6Gateway out")
		}
		return r, nil
	}
	return r, network6(n, r)
}

func network6(n *model.Network, r *record.Network) error {
	prefix, err := netip.ParsePrefix(n.Ipv6Subnet)
	if err != nil {
		return model.Errorf(model.CodeInvalid, "ipv6Subnet", "IPv6 subnet %s is not valid", n.Ipv6Subnet)
	}
	r.Subnet6 = prefix.Masked()
	spec := ipam.Spec6{Prefix: prefix}
	if n.Ipv6Gateway != "" {
		if spec.Gateway, err = netip.ParseAddr(n.Ipv6Gateway); err != nil {
			return model.Errorf(model.CodeInvalid, "ipv6Gateway", "IPv6 gateway %s is not an address", n.Ipv6Gateway)
		}
		r.Gateway6 = spec.Gateway
	}
	if _, err := ipam.New6(spec); err != nil {
		field := "ipv6Subnet"
		if spec.Gateway.IsValid() && !prefix.Contains(spec.Gateway) {
			field = "ipv6Gateway"
		}
		return model.Errorf(model.CodeInvalid, field, "%v", err).Try("choose an address of %s that containers may have", prefix.Masked())
	}
	return nil
}

// overlaps refuses a subnet that shares addresses with another network of the tenant. IPv6 is checked first.
func overlaps(tx *commit.Tx, r *record.Network) error {
	if r.Subnet6.IsValid() {
		if o := tx.Overlapping(r.ID.Tenant, ipam.RangeOf(r.Subnet6)); o != nil {
			return model.Errorf(model.CodeConflict, "ipv6Subnet", "ipv6 subnet %s overlaps with %s of network %s", r.Subnet6, o.Record.Subnet6, o.Record.ID).
				Try("choose a subnet that the tenant does not use")
		}
	}
	if o := tx.Overlapping(r.ID.Tenant, r.Addresses); o != nil {
		return model.Errorf(model.CodeConflict, "subnet", "subnet %s overlaps with %s of network %s", r.Addresses, o.Record.Declared(), o.Record.ID).
			Try("choose a subnet that the tenant does not use")
	}
	return nil
}

// chooseTags gives the network its VLAN id or VNI.
func chooseTags(tx *commit.Tx, n *model.Network, r *record.Network) error {
	numbers := tx.Numbers()
	if r.Encap == record.VLAN {
		vlan, err := free(numbers.VLANs, n.PktTag)
		switch {
		case errors.Is(err, ipam.ErrNoNumber):
			return model.Errorf(model.CodeExhausted, "pktTag", "no vlans available").Try("widen the range with netctl global set --vlan-range, or delete a network")
		case err != nil:
			return model.Errorf(model.CodeConflict, "pktTag", "requested vlan not available - vlan:%d", n.PktTag).Because(err).Try("%v; leave pktTag out to take the lowest free one", err)
		}
		r.PktTag = vlan
		return nil
	}
	vni, err := free(numbers.VXLANs, n.PktTag)
	switch {
	case errors.Is(err, ipam.ErrNoNumber):
		return model.Errorf(model.CodeExhausted, "pktTag", "no vxlans available").Try("widen the range with netctl global set --vxlan-range, or delete a network")
	case errors.Is(err, ipam.ErrNumberOutOfRange) && n.PktTag < numbers.VXLANs.Range().Min:
		return model.Errorf(model.CodeInvalid, "pktTag", "requested vxlan is out of range").Because(err).Try("VNIs come from %s", numbers.VXLANs.Range())
	case err != nil:
		return model.Errorf(model.CodeConflict, "pktTag", "requested vxlan not available").Because(err).Try("%v; leave pktTag out to take the lowest free one", err)
	}
	local, err := numbers.LocalVLANs.First()
	if err != nil {
		return model.Errorf(model.CodeExhausted, "pktTag", "no local vlans available").Because(err).Try("delete a vxlan network")
	}
	r.PktTag, r.ExtPktTag = local, vni
	return nil
}

// free returns n if it is free, or the lowest free number for 0.
func free(pool *ipam.Numbers, n int) (int, error) {
	if n == 0 {
		return pool.First()
	}
	return n, pool.Check(n)
}

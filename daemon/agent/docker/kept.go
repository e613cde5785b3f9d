// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Options of networks that the agent keeps, and of their pools (package dockerd).
const (
	optionTenant  = "tenant"
	optionNetwork = "network"
	optionGroup   = "group"
	optionTag     = "contiv-tag"        // only of networks of users
	optionManaged = "io.contiv.managed" // "true": the agent keeps the network
)

// defaultTenant is the tenant of those who name none.
const defaultTenant = "default"

// kept returns what a network stands for that the agent keeps.
func (d *Driver) kept(id string) (record.DockerNetwork, bool) {
	if d.Kept == nil {
		return record.DockerNetwork{}, false
	}
	return d.Kept.Find(id)
}

// segmentOf is what options name.
func segmentOf(options map[string]string) (identity.Network, string) {
	return identity.Network{Tenant: cmp.Or(options[optionTenant], defaultTenant), Name: options[optionNetwork]}, options[optionGroup]
}

// createKept accepts a network that the agent keeps, as its option says; known is false for others. Anyone may give the option, so the network and the group are
// compared with those of the cluster: who gives it gets no more than with any other network.
func (d *Driver) createKept(q networkRequest) (out empty, known bool, err error) {
	said := options(q.Options)
	if d.Kept == nil || said[optionManaged] != "true" {
		return out, false, nil
	}
	request, err := networkOf(q, false)
	if err != nil {
		return out, true, err
	}
	id, group := segmentOf(said)
	n, is := d.Segments.Segment(id, group)
	if !is || said[optionTenant] == "" || said[optionTag] != "" {
		what := "network " + id.String()
		if group != "" {
			what = "group " + group + " on " + what
		}
		return out, true, model.Errorf(model.CodeNotFound, "Options."+optionManaged, "the agent does not keep a Docker network for %s", what).
			Try("leave -o %s out: the agent gives it to the networks that it creates for networks and groups of the cluster", optionManaged)
	}
	made := record.DockerNetwork{ID: request.ID, Network: id, Group: group, Host: d.Host, Managed: true, Internal: request.Internal}
	for _, p := range request.Pools {
		subnet, _ := netip.ParsePrefix(p.Subnet) // which networkOf has read
		if subnet != n.Subnet && subnet != n.Subnet6 || slices.Contains(made.Pools, subnet) {
			return out, true, model.Errorf(model.CodeConflict, "Pools", "subnet %s is not the one of network %s", subnet, id).Try("leave -o %s out", optionManaged)
		}
		pool := identity.Pool{Network: id, Group: group, Subnet: subnet}.String()
		if asked := d.pools.requested(p.Subnet); len(asked) > 0 && !slices.Contains(asked, pool) {
			return out, true, model.Errorf(model.CodeConflict, "Options", "the options of the driver say pool %s, those of IPAM %s", pool, asked[0]).
				Try("say the same with -o and --ipam-opt")
		}
		made.Pools = append(made.Pools, subnet)
	}
	if !slices.Contains(made.Pools, n.Subnet) {
		return out, true, model.Errorf(model.CodeInvalid, "Pools", "the Docker network has no IPv4 subnet").Try("leave --ipv4=false out")
	}
	d.Kept.Add(made)
	d.pools.made(made)
	return out, true, nil
}

// deleteKept forgets a network that the agent keeps.
func (d *Driver) deleteKept(q networkID) (out empty, known bool, err error) {
	return out, d.Kept != nil && d.Kept.Remove(q.NetworkID), nil
}

// knownPool says where addresses come from of a network that the agent knows, by its name. All else is for a netmaster, refusals too.
func (d *Driver) knownPool(q requestPoolRequest) (out requestPoolResponse, known bool, err error) {
	if d.Kept == nil || q.Options[optionTag] != "" || q.SubPool != "" && q.SubPool != q.Pool {
		return out, false, nil
	}
	id, group := segmentOf(q.Options)
	p, known := d.pool(id, group, q.V6)
	if !known || q.Pool != "" && q.Pool != p.Pool {
		return out, false, nil
	}
	return d.given(p), true, nil
}

// knownGateway is the gateway of a network that the agent knows.
func (d *Driver) knownGateway(q requestAddressRequest) (out requestAddressResponse, known bool, err error) {
	pool, err := identity.ParsePool(q.PoolID)
	if d.Kept == nil || err != nil || q.Options[keyAddressType] != typeGateway {
		return out, false, nil
	}
	p, known := d.pool(pool.Network, pool.Group, pool.Subnet.Addr().Is6())
	if !known || p.PoolID != q.PoolID {
		return out, false, nil
	}
	out.Address, err = gatewayOf(pool, p, q.Address)
	return out, true, err
}

// pool is where the addresses of a family come from; false: the agent does not know the network and group, or the network has none.
func (d *Driver) pool(id identity.Network, group string, v6 bool) (out model.DockerPoolResponse, known bool) {
	n, known := d.Segments.Segment(id, group)
	subnet, gateway := n.Subnet, n.Gateway
	if v6 {
		subnet, gateway = n.Subnet6, n.Gateway6
	}
	if !known || !subnet.IsValid() {
		return out, false
	}
	out = model.DockerPoolResponse{PoolID: identity.Pool{Network: id, Group: group, Subnet: subnet}.String(), Pool: subnet.String(), Exists: true}
	if gateway.IsValid() {
		out.Gateway = netip.PrefixFrom(gateway, subnet.Bits()).String()
	}
	return out, true
}

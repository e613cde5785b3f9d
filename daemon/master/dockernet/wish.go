// SPDX-License-Identifier: Apache-2.0

package dockernet

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Options of Docker's networks, both for the network driver and for the IPAM driver.
const (
	optionTenant  = "tenant"
	optionNetwork = "network"
	optionGroup   = "group"
	optionTag     = "contiv-tag"        // of a group, else of a network
	optionEncap   = "encap"             // of a new network
	optionPktTag  = "pkt-tag"           // its VLAN id or VNI
	optionManaged = "io.contiv.managed" // "true": an agent creates it
)

// words describe the options on a command line.
const words = "docker network create takes --ipam-opt tenant=T --ipam-opt network=N --ipam-opt group=G, --ipam-opt contiv-tag=TAG or --subnet ADDRESS/LENGTH"

// defaultTenant is the tenant of requests that name none.
const defaultTenant = "default"

// wish is the requested network of a new Docker network.
type wish struct {
	tenant, network, group, tag string
	encap                       string
	pktTag                      int
	managed                     bool
}

// wishOf parses options. It ignores those of other drivers.
func wishOf(options map[string]string) (wish, error) {
	w := wish{tenant: options[optionTenant], network: options[optionNetwork], group: options[optionGroup], tag: options[optionTag],
		encap: options[optionEncap], managed: options[optionManaged] == "true"}
	if w.encap != "" && !slices.Contains([]string{string(record.VLAN), string(record.VXLAN)}, w.encap) {
		return w, model.Errorf(model.CodeInvalid, "Options."+optionEncap, "encapsulation %q is unknown", w.encap).Try("it is vlan or vxlan")
	}
	if text := options[optionPktTag]; text != "" {
		var err error
		if w.pktTag, err = strconv.Atoi(text); err != nil || w.pktTag < 1 {
			return w, model.Errorf(model.CodeInvalid, "Options."+optionPktTag, "%q is no VLAN id or VNI", text).Try("leave it out to take the lowest free one")
		}
	}
	return w, nil
}

// with adds what the pools of the network imply, which the same engine has requested. The options must not contradict them. Pools that
// differ imply nothing unless the options select one.
func (w wish) with(v *catalog.View, requested []string) (wish, error) {
	if w.tag != "" && len(requested) > 0 {
		f, err := w.find(v, netip.Prefix{})
		if err != nil {
			return w, err
		}
		w.tenant, w.network, w.group = f.id.Tenant, f.id.Name, f.group
	}
	var pools []identity.Pool
	for _, text := range requested {
		p, err := identity.ParsePool(text)
		if err != nil {
			return w, model.Errorf(model.CodeInvalid, "Requested", "%v", err)
		}
		if p.Subnet = (netip.Prefix{}); !slices.Contains(pools, p) {
			pools = append(pools, p)
		}
	}
	if len(pools) == 0 {
		return w, nil
	}
	fits := slices.DeleteFunc(slices.Clone(pools), func(p identity.Pool) bool { return !w.fits(p) })
	if len(fits) > 1 && (w.tenant != "" || w.network != "" || w.group != "") {
		fits = slices.DeleteFunc(fits, func(p identity.Pool) bool {
			return p.Network.Tenant != cmp.Or(w.tenant, defaultTenant) || w.network != "" && p.Network.Name != w.network || p.Group != w.group
		})
	}
	switch {
	case len(fits) == 0 && len(pools) == 1:
		return w, model.Errorf(model.CodeConflict, "Options", "the options of the driver say network %q and group %q of tenant %q, those of IPAM network %q and group %q of tenant %q",
			w.network, w.group, cmp.Or(w.tenant, defaultTenant), pools[0].Network.Name, pools[0].Group, pools[0].Network.Tenant).
			Try("say the same with -o and --ipam-opt, or only with --ipam-opt")
	case len(fits) != 1:
		return w, model.Errorf(model.CodeConflict, "Options", "several Docker networks with this subnet are being made").
			Try("say with -o tenant=T -o network=N -o group=G which it is, or try again in a minute")
	}
	w.tenant, w.network, w.group = fits[0].Network.Tenant, cmp.Or(fits[0].Network.Name, w.network), cmp.Or(fits[0].Group, w.group)
	return w, nil
}

// fits reports whether a pool matches the wish.
func (w wish) fits(p identity.Pool) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(w.tenant, p.Network.Tenant) && same(w.network, p.Network.Name) && same(w.group, p.Group)
}

// made returns the network to create for a Docker network.
func (w wish) made(id identity.Network, q model.DockerNetworkRequest) *model.Network {
	n := &model.Network{TenantName: id.Tenant, NetworkName: cmp.Or(id.Name, q.ID), NwType: record.DataNetwork, Encap: cmp.Or(w.encap, string(record.VXLAN)),
		PktTag: w.pktTag, CfgdTag: w.tag}
	n.Key = model.Key(n.TenantName, n.NetworkName)
	for _, p := range q.Pools {
		if prefix, _ := netip.ParsePrefix(p.Subnet); prefix.Addr().Is4() {
			n.Subnet, n.Gateway = p.Subnet, host(p.Gateway)
		} else {
			n.Ipv6Subnet, n.Ipv6Gateway = p.Subnet, host(p.Gateway)
		}
	}
	return n
}

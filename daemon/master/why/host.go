// SPDX-License-Identifier: Apache-2.0

package why

import (
	"fmt"

	"github.com/contiv/contiv/identity"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// asClient returns the endpoint of a host in its infrastructure network of the other end's tenant, as which the switches see it. A host
// without one has no address among the containers; then lacks is the reason, and try the remedy, unless a host reaches the other end by
// other means.
func asClient(v *catalog.View, host, asked end) (client end, lacks, try string) {
	// services of Kubernetes are reached by the host's own address
	if host.kind != kindHost || asked.service == nil && asked.endpoint == nil {
		return host, "", ""
	}
	tenant := tenant(asked)
	n := v.Network(identity.Network{Tenant: tenant, Name: record.HostNetwork})
	if n == nil || n.Record.Kind != record.InfraNetwork || n.Record.Encap != record.VXLAN {
		if asked.service == nil {
			return host, "", "" // possibly by its private address
		}
		return host, fmt.Sprintf("host %s has no address among the containers of tenant %s, so its processes reach no service there", host.object, tenant),
			fmt.Sprintf("Make a network for the hosts: netctl network create %s -t %s --nw-type infra --encap vxlan --subnet SUBNET --gateway ADDRESS",
				record.HostNetwork, tenant)
	}
	if g := v.Global(); asked.service == nil && asked.endpoint.ID.Network != n.Record.ID && (g == nil || g.FwdMode != fwdRouting) {
		return host, "", "" // there are no routes to containers of other networks
	}
	e := v.Endpoint(identity.Endpoint{Network: n.Record.ID, Endpoint: host.object})
	if e == nil {
		return host, fmt.Sprintf("host %s has no interface in network %s", host.object, n.Record.ID), "Its netplugin makes one, and says in its log what it lacks."
	}
	host.endpoint, host.address, host.standsIn = e, addressOf(e), true
	return host, "", ""
}

// agree gives both ends addresses of the same family: that of the end that has only one.
func agree(a, b *end) {
	for _, pair := range [][2]*end{{a, b}, {b, a}} {
		one, other := pair[0], pair[1]
		if one.endpoint == nil || one.explicit || !other.address.IsValid() || one.address.Is4() == other.address.Is4() {
			continue
		}
		if own := addressOfFamily(one.endpoint, other.address); own.IsValid() {
			one.address = own
			return
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// Sizes of the agent's part of the cluster.
const (
	here     = 100 // endpoints
	networks = 3   // on which they are
	self     = "h0"
	tenant   = "t0"
)

// layout is the distribution of the cluster's endpoints over tenants.
type layout struct {
	name, what string
	endpoints  int // of the agent's tenant
	hosts      int // with these endpoints
	most       int // resident memory, in MiB
	settled    int // in steady state
}

// layouts returns the two layouts with a promised figure.
func layouts(endpoints int) []layout {
	const packed = 2500 // endpoints of a tenant
	return []layout{
		{"packed", fmt.Sprintf("%d of each tenant", packed), min(packed, endpoints), packed / here, 80, 80},
		{"one", "all of one tenant", endpoints, max(1, endpoints/here), 200, 100},
	}
}

// host returns the label of a host.
func (l *layout) host(n int) string { return fmt.Sprint("h", n) }

// vtep returns the tunnel address of a host.
func (l *layout) vtep(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 168, byte(n / 250), byte(1 + n%250)})
}

// network returns one of the tenant's networks.
func (l *layout) network(n int) identity.Network {
	return identity.Network{Tenant: tenant, Name: fmt.Sprint("net", n)}
}

// endpoint returns one of the tenant's endpoints, the first of which are here.
func (l *layout) endpoint(i int) record.Endpoint {
	host, net, at := i/here%l.hosts, i%networks, i/networks+1
	ip := netip.AddrFrom4([4]byte{10, byte(net), byte(at >> 8), byte(at)})
	four := ip.As4()
	name := fmt.Sprintf("%064x", 1<<40+i)
	return record.Endpoint{ID: identity.Endpoint{Network: l.network(net), Endpoint: name}, ContainerID: name, CommonName: fmt.Sprint("app-", i),
		Host: l.host(host), VTEP: l.vtep(host), IP: ip, MAC: record.MAC(append([]byte{2, 2}, four[:]...)), Machine: "4c4c4544-0042-4a10-8051-" + fmt.Sprintf("%012x", host)}
}

// shards returns the shards that the host receives.
func (l *layout) shards() (out []channel.Update, err error) {
	all, own := channel.Update{Shard: channel.Cluster, Full: true}, channel.Update{Shard: channel.Tenant(tenant), Full: true}
	put := func(u *channel.Update, key string, value any) {
		text, failed := json.Marshal(value)
		if failed != nil {
			err = failed
		}
		u.Items = append(u.Items, channel.Item{Key: key, Value: text, Revision: uint64(len(all.Items) + len(own.Items) + 1)})
	}
	put(&all, record.GlobalKey, record.Global{ID: "global", FwdMode: record.FwdBridge, ArpMode: record.ArpProxy, PvtSubnet: ofnet.DefaultPrivate()})
	for n := range l.hosts {
		put(&all, record.Hosts+l.host(n), record.Host{Label: l.host(n), Machine: l.host(n), VTEP: l.vtep(n), Port: 4789})
	}
	put(&own, record.Tenants+tenant, record.Tenant{ID: tenant, Tenant: tenant, VRF: 1})
	for n := range networks {
		id := l.network(n)
		put(&own, record.Networks+id.String(), record.Network{ID: id, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 2 + n, ExtPktTag: 1 + n,
			Subnet: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n)}), 16), Gateway: netip.AddrFrom4([4]byte{10, byte(n), 255, 254})})
	}
	for i := range l.endpoints {
		e := l.endpoint(i)
		put(&own, record.Endpoints+e.ID.String(), e)
	}
	return []channel.Update{all, own}, err
}

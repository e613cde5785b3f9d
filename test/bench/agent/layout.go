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

// What the agent has.
const (
	here     = 100 // endpoints
	networks = 3   // that these are on
	self     = "h0"
	tenant   = "t0"
)

// layout is how the endpoints of the cluster are spread over tenants.
type layout struct {
	name, what string
	endpoints  int // of the agent's tenant
	hosts      int // that have them
	most       int // resident memory, in MiB
	settled    int // when it has settled
}

// layouts are the two that are promised something.
func layouts(endpoints int) []layout {
	const packed = 2500 // endpoints of a tenant
	return []layout{
		{"packed", fmt.Sprintf("%d of each tenant", packed), min(packed, endpoints), packed / here, 80, 80},
		{"one", "all of one tenant", endpoints, max(1, endpoints/here), 200, 100},
	}
}

// host is the label of a host.
func (l *layout) host(n int) string { return fmt.Sprint("h", n) }

// vtep is where the tunnels of a host end.
func (l *layout) vtep(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 168, byte(n / 250), byte(1 + n%250)})
}

// network is one of the tenant's.
func (l *layout) network(n int) identity.Network {
	return identity.Network{Tenant: tenant, Name: fmt.Sprint("net", n)}
}

// endpoint is one of the tenant's, the first of which are here.
func (l *layout) endpoint(i int) record.Endpoint {
	host, net, at := i/here%l.hosts, i%networks, i/networks+1
	ip := netip.AddrFrom4([4]byte{10, byte(net), byte(at >> 8), byte(at)})
	four := ip.As4()
	name := fmt.Sprintf("%064x", 1<<40+i)
	return record.Endpoint{ID: identity.Endpoint{Network: l.network(net), Endpoint: name}, ContainerID: name, CommonName: fmt.Sprint("app-", i),
		Host: l.host(host), VTEP: l.vtep(host), IP: ip, MAC: record.MAC(append([]byte{2, 2}, four[:]...)), Machine: "4c4c4544-0042-4a10-8051-" + fmt.Sprintf("%012x", host)}
}

// shards are what the host is told.
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

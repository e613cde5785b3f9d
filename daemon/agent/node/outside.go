package node

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// The host's own interface towards routers outside. Its traffic goes untagged by the uplink.
const (
	outsideName = "inb01"
	portOutside = 1100
)

// outside is the bgp.Link of a node.
type outside struct{ n *Node }

// Ensure needs an uplink.
func (o outside) Ensure(ctx context.Context, addresses ...netip.Prefix) (port uint32, mac ofnet.MAC, err error) {
	if len(o.n.Uplinks) == 0 {
		return 0, mac, fmt.Errorf("a BGP router needs an uplink: start netplugin with --vlan-uplinks")
	}
	sum := sha256.Sum256([]byte("contiv " + o.n.Host))
	hw := localMAC(sum[10:15])
	copy(mac[:], hw)
	if p, ok := o.n.sw.Port(outsideName); !ok || p.OFPort != portOutside {
		ctx, cancel := context.WithTimeout(ctx, prepareLimit)
		defer cancel()
		p, err := o.n.sw.EnsurePort(ctx, ovsdb.InternalSpec(outsideName, portOutside, hw))
		if err != nil {
			return 0, mac, err
		}
		if p.OFPort != portOutside {
			return 0, mac, fmt.Errorf("port %s has OpenFlow number %d, want %d: is another port of bridge %s in the way?", outsideName, p.OFPort, portOutside, BridgeName)
		}
	}
	// Routers ask for the addresses by an uplink, at which the port answers, and no one else.
	for _, nic := range o.n.Uplinks {
		if _, err := o.n.links.LimitARP(nic); err != nil {
			return 0, mac, err
		}
	}
	if err := o.n.links.EnsureAddresses(outsideName, addresses...); err != nil {
		return 0, mac, err
	}
	return portOutside, mac, o.n.links.WatchNeighbours(outsideName)
}

// Remove deletes the port.
func (o outside) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, prepareLimit)
	defer cancel()
	return o.n.sw.RemovePort(ctx, outsideName)
}

func (o outside) Neighbour(addr netip.Addr) (ofnet.MAC, bool) {
	return o.n.links.Neighbour(outsideName, addr)
}

func (o outside) Ask(addr netip.Addr) error { return o.n.links.Greet(addr) }

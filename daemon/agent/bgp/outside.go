// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// The host's own interface towards routers outside. Its traffic is untagged on the uplink.
const (
	InterfaceName = "inb01"
	portOutside   = 1100
)

// portTimeout bounds one change of that interface; the next change waits if Open vSwitch is away.
const portTimeout = 15 * time.Second

// Outside is the Link of a host.
type Outside struct {
	Host    string   // label
	Bridge  string   // name
	Uplinks []string // NICs
	Switch  *ovsdb.Switch
	Links   *link.Host
}

// Ensure requires an uplink.
func (o *Outside) Ensure(ctx context.Context, addresses ...netip.Prefix) (port uint32, mac ofnet.MAC, err error) {
	if len(o.Uplinks) == 0 {
		return 0, mac, fmt.Errorf("a BGP router needs an uplink: start netplugin with --vlan-uplinks")
	}
	sum := sha256.Sum256([]byte("contiv " + o.Host))
	hw := append(net.HardwareAddr{2}, sum[10:15]...)
	copy(mac[:], hw)
	if p, ok := o.Switch.Port(InterfaceName); !ok || p.OFPort != portOutside {
		ctx, cancel := context.WithTimeout(ctx, portTimeout)
		defer cancel()
		p, err := o.Switch.EnsurePort(ctx, ovsdb.InternalSpec(InterfaceName, portOutside, hw))
		if err != nil {
			return 0, mac, err
		}
		if p.OFPort != portOutside {
			return 0, mac, fmt.Errorf("port %s has OpenFlow number %d, want %d: is another port of bridge %s in the way?", InterfaceName, p.OFPort, portOutside, o.Bridge)
		}
	}
	// Routers send queries for the addresses by an uplink, where only the port answers.
	for _, nic := range o.Uplinks {
		if _, err := o.Links.LimitARP(nic); err != nil {
			return 0, mac, err
		}
	}
	if err := o.Links.EnsureAddresses(InterfaceName, addresses...); err != nil {
		return 0, mac, err
	}
	return portOutside, mac, o.Links.WatchNeighbours(InterfaceName)
}

// Remove deletes the port.
func (o *Outside) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, portTimeout)
	defer cancel()
	return o.Switch.RemovePort(ctx, InterfaceName)
}

// Neighbour returns the Ethernet address of a router from the kernel.
func (o *Outside) Neighbour(addr netip.Addr) (ofnet.MAC, bool) {
	return o.Links.Neighbour(InterfaceName, addr)
}

// Ask makes the kernel resolve that of a router.
func (o *Outside) Ask(addr netip.Addr) error { return o.Links.Greet(addr) }

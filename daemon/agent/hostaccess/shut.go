// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
)

// shut returns the part of a guard that the switch itself closes to endpoints; own are the addresses of this host. The switch closes it
// first: a route learned from outside bypasses the guard, and other programs may have emptied it.
func shut(g *link.Guard, own []netip.Addr) *ofnet.Closed {
	out := &ofnet.Closed{Machines: g.Protected, Ports: protocolPorts(g.Control), Open: protocolPorts(g.Open)}
	if g.Meet {
		for _, a := range g.Known {
			for _, p := range g.Shut {
				out.Doors = append(out.Doors, netip.AddrPortFrom(a, p.First))
			}
		}
		return out
	}
	out.Machines, out.Own = slices.Clone(g.Protected), own
	for _, a := range g.Known {
		if !slices.Contains(own, a) {
			out.Machines = append(out.Machines, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return out
}

func protocolPorts(list []link.Ports) (out []ofnet.ProtocolPorts) {
	for _, p := range list {
		out = append(out, ofnet.ProtocolPorts{Protocol: p.Protocol, PortRange: ofnet.PortRange{First: p.First, Last: p.Last}})
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package link

// Room is the maximum size of packets between hosts, in bytes.
type Room struct {
	Tunnel   int // MTU of the interface that carries the tunnel address
	Overhead int // of a tunnel
	Trunk    int // the smallest MTU of the uplinks; 0: there are none
}

// InTunnel is the MTU of packets in tunnels. If hosts route - in a routed cluster, and where they meet containers - any packet may also
// take the trunk.
func (r Room) InTunnel(routed bool) int {
	room := r.Tunnel - r.Overhead
	if routed && r.Trunk != 0 {
		room = min(room, r.Trunk)
	}
	return room
}

// OnTrunk is the MTU of packets on the trunk. A tag needs no room, because NICs accept a tagged frame of full MTU. If hosts route, any
// packet may also take a tunnel.
func (r Room) OnTrunk(routed bool) int {
	switch {
	case routed:
		return r.InTunnel(true)
	case r.Trunk != 0:
		return r.Trunk
	}
	return r.Tunnel
}

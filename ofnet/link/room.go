package link

// Room is how large packets between hosts may be, in bytes.
type Room struct {
	Tunnel   int // MTU of the interface that carries the tunnel address
	Overhead int // of a tunnel
	Trunk    int // the least MTU of the uplinks; 0: there are none
}

// InTunnel is the MTU of what goes by tunnels. Where hosts route - in a routed cluster, and where they meet containers - any packet may go by the trunk, too.
func (r Room) InTunnel(routed bool) int {
	room := r.Tunnel - r.Overhead
	if routed && r.Trunk != 0 {
		room = min(room, r.Trunk)
	}
	return room
}

// OnTrunk is the MTU of what goes by the trunk. A tag takes no room, because NICs take a tagged frame of full MTU. Where hosts route any packet may go
// by a tunnel, too.
func (r Room) OnTrunk(routed bool) int {
	switch {
	case routed:
		return r.InTunnel(true)
	case r.Trunk != 0:
		return r.Trunk
	}
	return r.Tunnel
}

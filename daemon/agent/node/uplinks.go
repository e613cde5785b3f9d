package node

import (
	"context"
	"slices"

	"github.com/contiv/contiv/ofnet/ovsdb"
)

// portsOf is the part of *ovsdb.Switch that uplinks needs.
type portsOf interface {
	Port(name string) (ovsdb.Port, bool)
}

// uplinkPort is the OpenFlow number of the uplink at place i: 1001, and then from 1003 on, past the host's.
func uplinkPort(i int) uint32 {
	if i == 0 {
		return portUplink
	}
	return portHost + uint32(i)
}

// activeUplink is the first of the uplinks that has a link, the first of all when none has.
func activeUplink(ports portsOf, nics []string) int {
	return max(0, slices.IndexFunc(nics, func(nic string) bool {
		p, ok := ports.Port(nic)
		return ok && p.Up
	}))
}

// followUplinks tells which uplink is active, now and whenever that changes, until ctx ends.
func (n *Node) followUplinks(ctx context.Context) error {
	last := 0
	for {
		changed := n.db.Changed()
		if now := activeUplink(n.sw, n.Uplinks); now != last {
			n.Log.Warn("another uplink takes over", "from", n.Uplinks[last], "to", n.Uplinks[now])
			n.sync.SetActiveUplink(uplinkPort(now))
			last = now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

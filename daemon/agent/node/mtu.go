package node

import (
	"context"
	"time"

	"github.com/contiv/contiv/ofnet/link"
)

func (n *Node) newMTU(ctx context.Context, mtu int) {
	if old := n.mtu.Swap(int64(mtu)); old == int64(mtu) {
		return
	}
	n.Log.Info("MTU of the underlay", "vtep", n.VTEP, "mtu", mtu)
	n.limitARP() // the tunnel's address has come, perhaps with a bridge
	n.adjustMTU(ctx)
}

func (n *Node) adjustMTU(ctx context.Context) {
	if err := n.attach.AdjustMTU(ctx); err != nil {
		n.Log.Warn("MTU of containers", "error", err)
	}
}

// room is how large packets between hosts may be, as of the last look at the NICs.
func (n *Node) room() link.Room {
	return link.Room{Tunnel: int(n.mtu.Load()), Overhead: link.VXLANOverhead(n.VTEP), Trunk: int(n.trunkMTU.Load())}
}

// measureTrunk reads the least MTU of the uplinks, and reports whether it is another one. A NIC that is not there does not count.
func (n *Node) measureTrunk() (changed bool) {
	least := 0
	for _, nic := range n.Uplinks {
		if at, err := n.links.Interface(nic); err == nil && (least == 0 || at.MTU < least) {
			least = at.MTU
		}
	}
	if least == 0 {
		return false
	}
	return n.trunkMTU.Swap(int64(least)) != int64(least)
}

// trunkLook is how often the uplinks' MTU is read without a notification of the kernel.
const trunkLook = 10 * time.Second

// followTrunk gives containers the MTU of the trunk whenever that changes, until ctx ends.
func (n *Node) followTrunk(ctx context.Context) error {
	tick := time.NewTicker(trunkLook)
	defer tick.Stop()
	for {
		changed := n.links.Changed()
		if n.measureTrunk() {
			n.Log.Info("MTU of the uplinks", "uplinks", n.Uplinks, "mtu", n.trunkMTU.Load())
			n.adjustMTU(ctx)
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

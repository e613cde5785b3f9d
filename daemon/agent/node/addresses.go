package node

import (
	"context"
	"net/netip"
)

// nodeAddresses are the machine's own addresses by which containers meet it: those it was told, else those of the interface that has the
// control address.
func (n *Node) nodeAddresses() (four, six netip.Addr) {
	if n.Node4.IsValid() || n.Node6.IsValid() {
		return n.Node4, n.Node6
	}
	if !n.CtrlIP.IsValid() {
		return four, six
	}
	four, six, err := n.links.NodeAddresses(n.CtrlIP)
	if err != nil {
		n.Log.Warn("the machine's own addresses are not known, so containers do not meet it by these; name them with --node-addresses", "error", err)
	}
	return four, six
}

// followDirect makes the MTU of containers follow when hosts are met by own addresses from now on, or no longer, until ctx ends.
func (n *Node) followDirect(ctx context.Context) error {
	last := n.desired.Direct()
	for {
		changed := n.desired.Changed()
		if now := n.desired.Direct(); now != last {
			last = now
			n.adjustMTU(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

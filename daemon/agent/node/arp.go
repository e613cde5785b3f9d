package node

import (
	"errors"
	"io/fs"
)

// limitARP keeps the kernel from answering ARP for this host's addresses at NICs that are ports of the userspace datapath. Such a
// NIC is the kernel's too, so a question for the tunnel's address, which is at a bridge's local port, would be answered twice:
// with the MAC of that port, and with the NIC's. Who believes the second one sends tunnel packets that no one takes.
func (n *Node) limitARP() {
	if n.sw.DatapathType() != "netdev" {
		return
	}
	for _, nic := range n.sw.Devices() {
		switch changed, err := n.links.LimitARP(nic); {
		case errors.Is(err, fs.ErrNotExist): // Open vSwitch says so itself
		case err != nil:
			n.Log.Warn("other hosts may send tunnel packets to the wrong MAC", "interface", nic, "error", err)
		case changed:
			n.Log.Info("the kernel answers ARP at a NIC of Open vSwitch for the NIC's own addresses alone", "interface", nic)
		}
	}
}

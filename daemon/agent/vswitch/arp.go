// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"errors"
	"io/fs"
)

// LimitARP keeps the kernel from answering ARP for this host's addresses at NICs that are ports of the userspace datapath. Such a
// NIC is the kernel's too, so a question for the tunnel's address, which is at a bridge's local port, would be answered twice:
// with the MAC of that port, and with the NIC's. A host that believes the second answer sends tunnel packets that no one receives.
func (c *Connection) LimitARP() {
	if !c.Userspace() {
		return
	}
	for _, nic := range c.Switch.Devices() {
		switch changed, err := c.links.LimitARP(nic); {
		case errors.Is(err, fs.ErrNotExist): // Open vSwitch says so itself
		case err != nil:
			c.log.Warn("other hosts may send tunnel packets to the wrong MAC", "interface", nic, "error", err)
		case changed:
			c.log.Info("the kernel answers ARP at a NIC of Open vSwitch only for the NIC's own addresses", "interface", nic)
		}
	}
}

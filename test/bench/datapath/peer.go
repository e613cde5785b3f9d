// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/contiv/contiv/test/bench/harness"
)

// The peer's own names and numbers on a host.
const (
	peerBridge = "peer"
	peerWire   = "peerwire"
	peerTunnel = "peervx"
	peerPort   = 4790 // of UDP: 4789 is Open vSwitch's
)

// peerVTEP is the address of the peer's tunnels on a host.
func (h *host) peerVTEP() string { return fmt.Sprintf("198.51.100.%d", h.number) }

// bridged makes number n of all containers, on a Linux bridge of its host, as the CNI plugin bridge does.
func bridged(tb *harness.Stand, h *host, n int) *container {
	c := newNamespace(tb, h, n)
	h.IP("link", "set", c.device(), "master", peerBridge, "up")
	return c
}

// peers gives both hosts a Linux bridge, and connects the bridges by the kernel's own VXLAN tunnel over a wire.
func peers(a, b *host) {
	connect(a, b, peerWire)
	for _, pair := range [][2]*host{{a, b}, {b, a}} {
		h, other := pair[0], pair[1]
		h.IP("addr", "add", h.peerVTEP()+"/24", "dev", peerWire)
		h.IP("link", "add", peerBridge, "type", "bridge")
		h.IP("link", "add", peerTunnel, "type", "vxlan", "id", fmt.Sprint(vni), "remote", other.peerVTEP(), "dstport", fmt.Sprint(peerPort), "dev", peerWire)
		h.IP("link", "set", peerTunnel, "master", peerBridge, "up")
		h.IP("link", "set", peerBridge, "up")
	}
}

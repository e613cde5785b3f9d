// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet"
)

// Announce is an unsolicited broadcast in a network that an address is at a link address: a gratuitous ARP request (RFC 5227 section 3), or
// a neighbor advertisement that overrides (RFC 4861 section 7.2.6).
func Announce(a netip.Addr, mac ofnet.MAC) []byte {
	if a.Is4() {
		b := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, mac[:]...)
		b = append(b, 0x08, 0x06, 0, 1, 0x08, 0, 6, 4, 0, 1)
		b = append(append(b, mac[:]...), a.AsSlice()...)
		b = append(append(b, 0, 0, 0, 0, 0, 0), a.AsSlice()...)
		return append(b, make([]byte, 60-len(b))...) // the minimum length of Ethernet
	}
	const size, advertisement, override = 32, 136, 0x20
	allNodes := netip.IPv6LinkLocalAllNodes()
	b := append([]byte{0x33, 0x33, 0, 0, 0, 1}, mac[:]...)
	b = be.AppendUint16(b, etherIP6)
	b = append(b, 0x60, 0, 0, 0, 0, size, protoICMP6, 255)
	b = append(append(b, a.AsSlice()...), allNodes.AsSlice()...)
	at := len(b)
	b = append(b, advertisement, 0, 0, 0, override, 0, 0, 0)
	b = append(append(b, a.AsSlice()...), 2, 1)
	b = append(b, mac[:]...)
	be.PutUint16(b[at+2:], ^sum(sum(sum(protoICMP6+size, a.AsSlice()), allNodes.AsSlice()), b[at:]))
	return b
}

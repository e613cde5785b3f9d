// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"errors"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
)

// ARPAnnouncement is the claim of an address resolution frame: its sender has an address at a link address.
type ARPAnnouncement struct {
	EthSrc ofnet.MAC  // of the frame
	Link   ofnet.MAC  // in the message; EthSrc if it has none
	Addr   netip.Addr // the claimed address; invalid: none, as in a query of a sender without an address
}

// ErrNoAnnouncement is returned by ParseAnnouncement for anything but a whole frame of ARP, or a solicitation or advertisement of neighbor
// discovery.
var ErrNoAnnouncement = errors.New("not a message of address resolution")

const (
	etherARP        = 0x0806
	arpSize         = 28
	ndSize          = 24 // of a solicitation or advertisement, without options
	ndSolicitation  = 135
	ndAdvertisement = 136
)

// ParseAnnouncement reads a frame without a tag (RFC 826, RFC 4861 sections 4.3 and 4.4).
func ParseAnnouncement(b []byte) (c ARPAnnouncement, err error) {
	if len(b) < ethSize {
		return c, ErrNoAnnouncement
	}
	copy(c.EthSrc[:], b[6:])
	c.Link = c.EthSrc
	switch inner := b[ethSize:]; {
	case be.Uint16(b[12:]) == etherARP && len(inner) >= arpSize && be.Uint64(inner)>>16 == 0x0001_0800_0604:
		c.Link, c.Addr = ofnet.MAC(inner[8:14]), netip.AddrFrom4([4]byte(inner[14:18]))
	case be.Uint16(b[12:]) == etherIP6 && len(inner) >= ip6Size+ndSize && inner[0]>>4 == 6 && inner[6] == protoICMP6:
		c.solicits(inner)
	default:
		return ARPAnnouncement{}, ErrNoAnnouncement
	}
	if !c.Addr.IsValid() {
		return ARPAnnouncement{}, ErrNoAnnouncement
	}
	if c.Addr.IsUnspecified() {
		c.Addr = netip.Addr{}
	}
	return c, nil
}

// solicits reads a packet of neighbor discovery.
func (c *ARPAnnouncement) solicits(packet []byte) {
	body, option := packet[ip6Size:], byte(0)
	switch body[0] {
	case ndSolicitation:
		c.Addr, option = netip.AddrFrom16([16]byte(packet[8:24])), 1
	case ndAdvertisement:
		c.Addr, option = netip.AddrFrom16([16]byte(body[8:24])), 2
	}
	for rest := body[ndSize:]; len(rest) >= 8 && rest[1] > 0 && int(rest[1])*8 <= len(rest); rest = rest[int(rest[1])*8:] {
		if rest[0] == option {
			c.Link = ofnet.MAC(rest[2:8])
			return
		}
	}
}

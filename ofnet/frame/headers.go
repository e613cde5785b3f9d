// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"errors"
	"net/netip"
)

// Headers are the source and destination of a packet.
type Headers struct {
	Src, Dst         netip.Addr
	Protocol         uint8  // of IP
	SrcPort, DstPort uint16 // of TCP, UDP and SCTP, where the packet has them
	ICMPType         uint8  // of ICMP and ICMPv6
	Later            bool   // a fragment other than the first, which has no ports
}

// ErrNotIP is returned by ParseHeaders for anything but an IP packet whose first headers are whole.
var ErrNotIP = errors.New("not a packet of IP")

const (
	protoTCP  = 6
	protoSCTP = 132
)

// ParseHeaders reads a frame without a tag, whose end may be missing (RFC 791, RFC 8200). It skips extension headers of IPv6.
func ParseHeaders(b []byte) (h Headers, err error) {
	if len(b) < ethSize {
		return h, ErrNotIP
	}
	ether, b := be.Uint16(b[12:]), b[ethSize:]
	switch {
	case ether == etherIP4 && len(b) >= ip4Size && b[0]>>4 == 4 && b[0]&0xf >= 5:
		h.Src, h.Dst, h.Protocol = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20])), b[9]
		h.Later = be.Uint16(b[6:])&0x1fff != 0
		b = b[min(len(b), int(b[0]&0xf)*4):]
	case ether == etherIP6 && len(b) >= ip6Size && b[0]>>4 == 6:
		h.Src, h.Dst, h.Protocol = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40])), b[6]
		b = h.pass(b[ip6Size:])
	default:
		return Headers{}, ErrNotIP
	}
	if h.Later {
		return h, nil
	}
	switch h.Protocol {
	case protoTCP, protoUDP, protoSCTP:
		if len(b) >= 4 {
			h.SrcPort, h.DstPort = be.Uint16(b), be.Uint16(b[2:])
		}
	case protoICMP, protoICMP6:
		if len(b) >= 1 {
			h.ICMPType = b[0]
		}
	}
	return h, nil
}

// pass skips extension headers (RFC 8200 section 4): hop-by-hop, routing, fragment and destination options.
func (h *Headers) pass(b []byte) []byte {
	for len(b) >= 8 {
		size := int(b[1])*8 + 8
		switch h.Protocol {
		case 0, 43, 60:
		case 44:
			size = 8
			h.Later = be.Uint16(b[2:])&^7 != 0
		default:
			return b
		}
		h.Protocol = b[0]
		b = b[min(len(b), size):]
	}
	return b
}

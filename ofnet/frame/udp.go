// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"encoding/binary"
	"errors"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
)

// UDP is a datagram with the headers that carry it.
type UDP struct {
	EthSrc, EthDst ofnet.MAC
	Src, Dst       netip.AddrPort // of one family
	Payload        []byte
}

var be = binary.BigEndian

// Sizes of headers, and what their fields say.
const (
	ethSize  = 14
	ip4Size  = 20
	ip6Size  = 40
	udpSize  = 8
	etherIP4 = 0x0800
	etherIP6 = 0x86dd
	protoUDP = 17
	freshTTL = 64
)

// ErrNotUDP is returned by ParseUDP for anything but a whole, plain UDP datagram.
var ErrNotUDP = errors.New("not a plain UDP datagram")

// ParseUDP reads an Ethernet frame (RFC 768, RFC 791, RFC 8200). The payload shares memory with b.
func ParseUDP(b []byte) (u UDP, err error) {
	if len(b) < ethSize {
		return u, ErrNotUDP
	}
	copy(u.EthDst[:], b)
	copy(u.EthSrc[:], b[6:])
	ether, b := be.Uint16(b[12:]), b[ethSize:]
	var src, dst netip.Addr
	switch {
	case ether == etherIP4 && len(b) >= ip4Size && b[0] == 0x45 && b[9] == protoUDP:
		n := int(be.Uint16(b[2:]))
		const fragment = 0x3fff // more fragments, or an offset
		if n < ip4Size || n > len(b) || be.Uint16(b[6:])&fragment != 0 {
			return u, ErrNotUDP
		}
		src, dst = netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
		b = b[ip4Size:n]
	case ether == etherIP6 && len(b) >= ip6Size && b[0]>>4 == 6 && b[6] == protoUDP:
		n := ip6Size + int(be.Uint16(b[4:]))
		if n > len(b) {
			return u, ErrNotUDP
		}
		src, dst = netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
		if src.Is4In6() || dst.Is4In6() {
			return u, ErrNotUDP
		}
		b = b[ip6Size:n]
	default:
		return u, ErrNotUDP
	}
	if len(b) < udpSize || int(be.Uint16(b[4:])) != len(b) {
		return u, ErrNotUDP
	}
	u.Src, u.Dst = netip.AddrPortFrom(src, be.Uint16(b)), netip.AddrPortFrom(dst, be.Uint16(b[2:]))
	u.Payload = b[udpSize:]
	return u, nil
}

// Reply is the datagram in the other direction.
func (u UDP) Reply(payload []byte) UDP {
	return UDP{EthSrc: u.EthDst, EthDst: u.EthSrc, Src: u.Dst, Dst: u.Src, Payload: payload}
}

// Append writes the datagram as an Ethernet frame, with checksums and a fresh TTL. It truncates payloads longer than 65507 bytes.
func (u UDP) Append(b []byte) []byte {
	const most = 0xffff - ip4Size - udpSize
	payload := u.Payload[:min(len(u.Payload), most)]
	size := udpSize + len(payload)
	b = append(b, u.EthDst[:]...)
	b = append(b, u.EthSrc[:]...)
	src, dst := u.Src.Addr().AsSlice(), u.Dst.Addr().AsSlice()
	if u.Src.Addr().Is4() {
		b = be.AppendUint16(b, etherIP4)
		at := len(b)
		b = append(b, 0x45, 0)
		b = be.AppendUint16(b, uint16(ip4Size+size))
		b = append(b, 0, 0, 0x40, 0, freshTTL, protoUDP, 0, 0) // do not fragment: the id needs no value (RFC 6864)
		b = append(append(b, src...), dst...)
		be.PutUint16(b[at+10:], ^sum(0, b[at:]))
	} else {
		b = be.AppendUint16(b, etherIP6)
		b = append(b, 0x60, 0, 0, 0)
		b = be.AppendUint16(b, uint16(size))
		b = append(b, protoUDP, freshTTL)
		b = append(append(b, src...), dst...)
	}
	at := len(b)
	b = be.AppendUint16(b, u.Src.Port())
	b = be.AppendUint16(b, u.Dst.Port())
	b = be.AppendUint16(b, uint16(size))
	b = append(append(b, 0, 0), payload...)
	// The pseudo header: addresses, protocol, length.
	c := ^sum(sum(sum(sum(protoUDP, be.AppendUint16(nil, uint16(size))), src), dst), b[at:])
	if c == 0 {
		c = 0xffff // 0 means that there is no checksum
	}
	be.PutUint16(b[at+6:], c)
	return b
}

// sum continues a ones' complement sum (RFC 1071).
func sum(start uint16, b []byte) uint16 {
	s := uint32(start)
	for ; len(b) >= 2; b = b[2:] {
		s += uint32(be.Uint16(b))
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

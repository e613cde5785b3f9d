// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/netip"

	"github.com/contiv/contiv/ofnet"
)

// frame is an Ethernet frame as these tests speak of it; two frames that print alike are alike.
type frame struct {
	kind     string // arp, udp, tcp, sctp, gre, ping, pong, ns, na, ra, or raw: no protocol that a switch knows
	vlan     int    // 0: untagged
	dst, src ofnet.MAC
	from, to netip.Addr // of IP, or the sender and target of ARP
	ttl      uint8
	op       uint16     // of ARP
	sha, tha ofnet.MAC  // of ARP; of ND sha is the link address in the option
	target   netip.Addr // of ND
	ports    [2]uint16  // of UDP and TCP, from and to; none: 40000 and 40001
	flags    byte       // of TCP
}

// TCP flags.
const syn, ack = 0x02, 0x10

// source and destination are the ports of UDP and TCP.
func (f frame) source() uint16      { return cmp.Or(f.ports[0], 40000) }
func (f frame) destination() uint16 { return cmp.Or(f.ports[1], 40001) }

func hex(m ofnet.MAC) string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

// String is everything that counts about the frame.
func (f frame) String() string {
	s := fmt.Sprintf("%s %s>%s", f.kind, hex(f.src), hex(f.dst))
	if f.vlan != 0 {
		s = fmt.Sprintf("vlan %d %s", f.vlan, s)
	}
	switch f.kind {
	case "raw":
		return s
	case "arp":
		return fmt.Sprintf("%s op %d %s is %s, asks %s at %s", s, f.op, f.from, hex(f.sha), f.to, hex(f.tha))
	case "ns", "na":
		return fmt.Sprintf("%s %s>%s target %s link %s", s, f.from, f.to, f.target, hex(f.sha))
	case "tcp", "udp", "sctp":
		return fmt.Sprintf("%s %s:%d>%s:%d flags %#x ttl %d", s, f.from, f.source(), f.to, f.destination(), f.flags, f.ttl)
	}
	return fmt.Sprintf("%s %s>%s ttl %d", s, f.from, f.to, f.ttl)
}

// The numbers of the protocols.
const (
	typeARP, typeIP4, typeIP6      = 0x0806, 0x0800, 0x86dd
	protoICMP, protoUDP, protoICM6 = 1, 17, 58
	protoTCP, protoGRE             = 6, 47
	protoSCTP                      = 132
	typeNone                       = 0x88b5 // for experiments (IEEE 802)
)

// icmpKinds are the ICMPv4 and ICMPv6 types of kinds.
var icmpKinds = map[string][2]byte{"ping": {8, 128}, "pong": {0, 129}, "ra": {0, 134}, "ns": {0, 135}, "na": {0, 136}}

var be = binary.BigEndian

// bytes is the frame on the wire.
func (f frame) bytes() []byte {
	b := append(append([]byte(nil), f.dst[:]...), f.src[:]...)
	if f.vlan != 0 {
		b = be.AppendUint16(be.AppendUint16(b, 0x8100), uint16(f.vlan))
	}
	switch {
	case f.kind == "raw":
		return append(be.AppendUint16(b, typeNone), make([]byte, 46)...)
	case f.kind == "arp":
		b = append(be.AppendUint16(b, typeARP), 0, 1, 8, 0, 6, 4)
		b = append(be.AppendUint16(b, f.op), f.sha[:]...)
		b = append(append(b, f.from.AsSlice()...), f.tha[:]...)
		return append(append(b, f.to.AsSlice()...), make([]byte, 18)...)
	case f.from.Is4():
		body, proto := f.body()
		b = append(be.AppendUint16(b, typeIP4), f.header4(proto, len(body))...)
		return append(b, body...)
	}
	body, proto := f.body()
	b = append(be.AppendUint16(b, typeIP6), 0x60, 0, 0, 0)
	b = append(be.AppendUint16(b, uint16(len(body))), proto, f.ttl)
	b = append(append(b, f.from.AsSlice()...), f.to.AsSlice()...)
	return append(b, body...)
}

func (f frame) header4(proto byte, size int) []byte {
	h := append(be.AppendUint16([]byte{0x45, 0}, uint16(20+size)), 0, 1, 0, 0, f.ttl, proto, 0, 0)
	h = append(append(h, f.from.AsSlice()...), f.to.AsSlice()...)
	be.PutUint16(h[10:], checksum(h))
	return h
}

// body is the frame's layer 4 with its checksum.
func (f frame) body() (b []byte, proto byte) {
	at := 2
	switch f.kind {
	case "udp":
		const payload = "contiv"
		b = be.AppendUint16(be.AppendUint16(nil, f.source()), f.destination())
		b = be.AppendUint16(b, uint16(8+len(payload)))
		b, proto, at = append(append(b, 0, 0), payload...), protoUDP, 6
	case "tcp":
		b = be.AppendUint16(be.AppendUint16(nil, f.source()), f.destination())
		b = append(b, 0, 0, 0, 1, 0, 0, 0, 1, 5<<4, f.flags, 0xff, 0xff, 0, 0, 0, 0)
		proto, at = protoTCP, 16
	case "sctp": // an INIT chunk (RFC 9260 section 3.3.2), with the checksum of appendix A
		b = be.AppendUint16(be.AppendUint16(nil, f.source()), f.destination())
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 20, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1)
		binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
		return b, protoSCTP
	case "gre":
		return []byte{0, 0, 0x88, 0xb5, 0, 0, 0, 0}, protoGRE
	case "ping", "pong":
		b = append([]byte{icmpKinds[f.kind][0], 0, 0, 0, 0, 7, 0, 1}, "contiv"...)
		proto = protoICMP
		if f.from.Is6() {
			b[0], proto = icmpKinds[f.kind][1], protoICM6
		}
	case "ra":
		b, proto = append([]byte{icmpKinds["ra"][1]}, make([]byte, 15)...), protoICM6
	default: // ns, na
		b = append([]byte{icmpKinds[f.kind][1], 0, 0, 0, 0, 0, 0, 0}, f.target.AsSlice()...)
		option := byte(1)
		if f.kind == "na" {
			option = 2
		}
		if f.sha != (ofnet.MAC{}) {
			b = append(append(b, option, 1), f.sha[:]...)
		}
		proto = protoICM6
	}
	be.PutUint16(b[at:], checksum(f.pseudo(proto, len(b)), b))
	return b, proto
}

// pseudo is the header that the checksum of layer 4 covers; ICMPv4 has none.
func (f frame) pseudo(proto byte, size int) []byte {
	if proto == protoICMP {
		return nil
	}
	b := append(f.from.AsSlice(), f.to.AsSlice()...)
	return append(be.AppendUint32(b, uint32(size)), 0, 0, 0, proto)
}

// checksum is that of RFC 1071 over the parts, of which all but the last have even lengths.
func checksum(parts ...[]byte) uint16 {
	var sum uint32
	for _, b := range parts {
		for i, x := range b {
			sum += uint32(x) << (8 * (1 - i%2))
		}
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// decode reads what has come off the wire.
func decode(b []byte) (f frame, err error) {
	if len(b) < 14 {
		return f, fmt.Errorf("frame of %d bytes", len(b))
	}
	f.dst, f.src = ofnet.MAC(b[:6]), ofnet.MAC(b[6:12])
	kind, b := be.Uint16(b[12:]), b[14:]
	if kind == 0x8100 && len(b) >= 4 {
		f.vlan = int(be.Uint16(b) & 0xfff)
		kind, b = be.Uint16(b[2:]), b[4:]
	}
	switch {
	case kind == typeARP && len(b) >= 28:
		f.kind, f.op = "arp", be.Uint16(b[6:])
		f.sha, f.tha = ofnet.MAC(b[8:14]), ofnet.MAC(b[18:24])
		f.from, f.to = netip.AddrFrom4([4]byte(b[14:18])), netip.AddrFrom4([4]byte(b[24:28]))
		return f, nil
	case kind == typeIP4 && len(b) >= 20:
		size := int(be.Uint16(b[2:]))
		if size < 20 || size > len(b) || checksum(b[:20]) != 0 {
			return f, fmt.Errorf("IPv4 header with a wrong length or checksum: %x", b[:20])
		}
		f.ttl, f.from, f.to = b[8], netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
		return f, f.layer4(b[9], b[20:size])
	case kind == typeIP6 && len(b) >= 40:
		size := int(be.Uint16(b[4:]))
		if size > len(b)-40 {
			return f, fmt.Errorf("IPv6 payload of %d bytes in %d", size, len(b)-40)
		}
		f.ttl, f.from, f.to = b[7], netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
		return f, f.layer4(b[6], b[40:40+size])
	}
	f.kind = "raw"
	return f, nil
}

func (f *frame) layer4(proto byte, b []byte) error {
	if proto == protoGRE {
		f.kind = "gre"
		return nil
	}
	if proto == protoSCTP && len(b) >= 12 {
		sum := binary.LittleEndian.Uint32(b[8:])
		copy(b[8:], []byte{0, 0, 0, 0})
		if crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) != sum {
			return fmt.Errorf("SCTP with a wrong checksum: %x", b)
		}
		f.kind, f.ports = "sctp", [2]uint16{be.Uint16(b), be.Uint16(b[2:])}
		return nil
	}
	if len(b) < 8 || checksum(f.pseudo(proto, len(b)), b) != 0 {
		return fmt.Errorf("protocol %d with a wrong checksum: %x", proto, b)
	}
	if proto == protoUDP || proto == protoTCP && len(b) >= 20 {
		f.kind, f.ports = "udp", [2]uint16{be.Uint16(b), be.Uint16(b[2:])}
		if proto == protoTCP {
			f.kind, f.flags = "tcp", b[13]
		}
		return nil
	}
	family := 0
	if proto == protoICM6 {
		family = 1
	}
	for kind, types := range icmpKinds {
		if types[family] == b[0] && (types[0] != 0 || family == 1 || kind == "pong") {
			f.kind = kind
		}
	}
	if f.kind == "ns" || f.kind == "na" {
		f.target = netip.AddrFrom16([16]byte(b[8:24]))
		if len(b) >= 32 {
			f.sha = ofnet.MAC(b[26:32])
		}
	}
	return nil
}

// vxlan puts a frame into a tunnel packet between two machines of the underlay.
func vxlan(inner frame, vni uint32, dst ofnet.MAC, from, to netip.Addr) []byte {
	outer := frame{dst: dst, src: ofnet.MAC{2, 0, 0, 0, 0, 2}, from: from, to: to, ttl: 64}
	body := append(be.AppendUint32([]byte{8, 0, 0, 0}, vni<<8), inner.bytes()...)
	udp := append(be.AppendUint16([]byte{0x9c, 0x40, 0x12, 0xb5}, uint16(8+len(body))), 0, 0)
	b := append(append([]byte(nil), outer.dst[:]...), outer.src[:]...)
	b = append(be.AppendUint16(b, typeIP4), outer.header4(protoUDP, len(udp)+len(body))...)
	return append(append(b, udp...), body...)
}

// unwrap reads a tunnel packet off the underlay; ok is false when b is none.
func unwrap(b []byte) (inner []byte, vni uint32, to netip.Addr, ok bool) {
	const headers = 14 + 20 + 8 + 8
	if len(b) < headers || be.Uint16(b[12:]) != typeIP4 || b[23] != protoUDP || be.Uint16(b[36:]) != 4789 {
		return nil, 0, netip.Addr{}, false
	}
	return b[headers:], be.Uint32(b[46:]) >> 8, netip.AddrFrom4([4]byte(b[30:34])), true
}

// SPDX-License-Identifier: Apache-2.0

package flow

import "maps"

// Field is a packet field, tunnel field, register or connection tracking field that a match tests or an action sets. The order of fields is
// the order in which ovs-ofctl prints a match, and the canonical order inside a Match.
type Field uint8

// The fields. Reg0 + n is register n, XReg0 + n the 64-bit pair of registers 2n and 2n+1, XXReg0 + n four registers.
const (
	NoField Field = iota
	PktMark
	ConjID
	CTState
	CTZone
	CTMark
	CTLabel
	CTNwSrc
	CTNwDst
	CTIPv6Src
	CTIPv6Dst
	CTIPProto
	CTTPSrc
	CTTPDst
	EthType
	Reg0
)

// The fields that follow the sixteen registers.
const (
	TunID Field = Reg0 + 16 + iota
	TunSrc
	TunDst
	TunIPv6Src
	TunIPv6Dst
	Metadata
	InPort
	VlanVID
	VlanPCP
	EthSrc
	EthDst
	IPv6Src
	IPv6Dst
	IPSrc
	IPDst
	ARPSPA
	ARPTPA
	IPProto
	ARPOp
	ARPSHA
	ARPTHA
	IPDSCP
	IPECN
	IPTTL
	ICMPType
	ICMPCode
	ICMPv6Type
	ICMPv6Code
	NDTarget
	NDSLL
	NDTLL
	NDReserved
	NDOptionsType
	TCPSrc
	TCPDst
	UDPSrc
	UDPDst
	SCTPSrc
	SCTPDst
	TCPFlags
	XReg0
)

// The wide register views, and the count of fields.
const (
	XXReg0    Field = XReg0 + 8
	numFields       = XXReg0 + 4
)

// form selects the text format of a value.
type form uint8

const (
	formHex form = iota
	formDec
	formMAC
	formIP4
	formIP6
	formState // +new-rel flags
	formVlan
	formPort
	formDSCP
)

// OXM classes (OpenFlow 1.3.5 section 7.2.3.3; the others are Open vSwitch's, nicira-ext.h and ovs-fields(7)).
const (
	classNXM0     = 0x0000
	classNXM1     = 0x0001
	classEricsson = 0x1000
	classOXM      = 0x8000
	classPktReg   = 0x8001
	classExp      = 0xffff
)

// Ethernet types and IP protocols that a match names.
const (
	etherIPv4 = 0x0800
	etherARP  = 0x0806
	etherIPv6 = 0x86dd

	protoICMP   = 1
	protoTCP    = 6
	protoUDP    = 17
	protoICMPv6 = 58
	protoSCTP   = 132
)

// fieldInfo describes a Field: its wire header, names and width.
type fieldInfo struct {
	match string // name in a match
	set   string // name in set_field
	nx    string // name in load, move and output
	class uint16
	num   uint8
	size  uint8  // bytes on the wire
	bits  uint8  // significant low bits
	form  form   // how it prints
	alt   uint32 // header in load, move and output, when it is not the one above
	ether uint16 // Ethernet type that the field presumes; 0 when any
	proto uint8  // IP protocol that the field presumes; 0 when any
}

// discovers reports whether the field is one of neighbor discovery, which presumes ICMPv6 code 0 (ovs-fields(7), "ICMPv6 Neighbor Discovery
// Fields"). A flow must match the code: Open vSwitch lets the kernel's datapath compare these fields only if it compares both type and
// code, and otherwise applies the flow to all senders and targets.
func (f Field) discovers() bool { return f >= NDTarget && f <= NDOptionsType }

// fields is a constant table, filled once from literals and never changed.
var fields = buildFields()

// fullMasks has the mask of all significant bits of each field, left-aligned as in a Term.
var fullMasks = buildFullMasks()

func buildFullMasks() (t [numFields][16]byte) {
	for f := range t {
		full := int(fields[f].size) * 8
		for b := full - int(fields[f].bits); b < full; b++ {
			t[f][b/8] |= 0x80 >> (b % 8)
		}
	}
	return t
}

func buildFields() (t [numFields]fieldInfo) {
	set := func(f Field, i fieldInfo) {
		if i.bits == 0 {
			i.bits = i.size * 8 // at most 128
		}
		t[f] = i
	}
	set(PktMark, fieldInfo{match: "pkt_mark", nx: "NXM_NX_PKT_MARK", class: classNXM1, num: 33, size: 4})
	set(ConjID, fieldInfo{match: "conj_id", nx: "NXM_NX_CONJ_ID", class: classNXM1, num: 37, size: 4, form: formDec})
	set(CTState, fieldInfo{match: "ct_state", nx: "NXM_NX_CT_STATE", class: classNXM1, num: 105, size: 4, form: formState})
	set(CTZone, fieldInfo{match: "ct_zone", nx: "NXM_NX_CT_ZONE", class: classNXM1, num: 106, size: 2, form: formDec})
	set(CTMark, fieldInfo{match: "ct_mark", nx: "NXM_NX_CT_MARK", class: classNXM1, num: 107, size: 4})
	set(CTLabel, fieldInfo{match: "ct_label", nx: "NXM_NX_CT_LABEL", class: classNXM1, num: 108, size: 16})
	set(CTNwSrc, fieldInfo{match: "ct_nw_src", nx: "NXM_NX_CT_NW_SRC", class: classNXM1, num: 120, size: 4, form: formIP4, ether: etherIPv4})
	set(CTNwDst, fieldInfo{match: "ct_nw_dst", nx: "NXM_NX_CT_NW_DST", class: classNXM1, num: 121, size: 4, form: formIP4, ether: etherIPv4})
	set(CTIPv6Src, fieldInfo{match: "ct_ipv6_src", nx: "NXM_NX_CT_IPV6_SRC", class: classNXM1, num: 122, size: 16, form: formIP6, ether: etherIPv6})
	set(CTIPv6Dst, fieldInfo{match: "ct_ipv6_dst", nx: "NXM_NX_CT_IPV6_DST", class: classNXM1, num: 123, size: 16, form: formIP6, ether: etherIPv6})
	set(CTIPProto, fieldInfo{match: "ct_nw_proto", nx: "NXM_NX_CT_NW_PROTO", class: classNXM1, num: 119, size: 1, form: formDec})
	set(CTTPSrc, fieldInfo{match: "ct_tp_src", nx: "NXM_NX_CT_TP_SRC", class: classNXM1, num: 124, size: 2, form: formDec})
	set(CTTPDst, fieldInfo{match: "ct_tp_dst", nx: "NXM_NX_CT_TP_DST", class: classNXM1, num: 125, size: 2, form: formDec})
	set(EthType, fieldInfo{match: "dl_type", set: "eth_type", nx: "NXM_OF_ETH_TYPE", class: classOXM, num: 5, alt: nxm(0, 3, 2), size: 2})
	for i := range Field(16) {
		set(Reg0+i, fieldInfo{match: "reg" + itoa(i), nx: "NXM_NX_REG" + itoa(i), class: classNXM1, num: uint8(i), size: 4})
	}
	for i := range Field(8) {
		set(XReg0+i, fieldInfo{match: "xreg" + itoa(i), nx: "OXM_OF_PKT_REG" + itoa(i), class: classPktReg, num: uint8(i), size: 8})
	}
	for i := range Field(4) {
		set(XXReg0+i, fieldInfo{match: "xxreg" + itoa(i), nx: "NXM_NX_XXREG" + itoa(i), class: classNXM1, num: 111 + uint8(i), size: 16})
	}
	set(TunID, fieldInfo{match: "tun_id", nx: "NXM_NX_TUN_ID", class: classOXM, num: 38, alt: nxm(1, 16, 8), size: 8})
	set(TunSrc, fieldInfo{match: "tun_src", nx: "NXM_NX_TUN_IPV4_SRC", class: classNXM1, num: 31, size: 4, form: formIP4})
	set(TunDst, fieldInfo{match: "tun_dst", nx: "NXM_NX_TUN_IPV4_DST", class: classNXM1, num: 32, size: 4, form: formIP4})
	set(TunIPv6Src, fieldInfo{match: "tun_ipv6_src", nx: "NXM_NX_TUN_IPV6_SRC", class: classNXM1, num: 109, size: 16, form: formIP6})
	set(TunIPv6Dst, fieldInfo{match: "tun_ipv6_dst", nx: "NXM_NX_TUN_IPV6_DST", class: classNXM1, num: 110, size: 16, form: formIP6})
	set(Metadata, fieldInfo{match: "metadata", nx: "OXM_OF_METADATA", class: classOXM, num: 2, size: 8})
	set(InPort, fieldInfo{match: "in_port", nx: "NXM_OF_IN_PORT", class: classOXM, num: 0, alt: nxm(0, 0, 2), size: 4, form: formPort})
	set(VlanVID, fieldInfo{match: "dl_vlan", set: "vlan_vid", nx: "OXM_OF_VLAN_VID", class: classOXM, num: 6, size: 2, bits: 13, form: formVlan})
	set(VlanPCP, fieldInfo{match: "dl_vlan_pcp", set: "vlan_pcp", nx: "OXM_OF_VLAN_PCP", class: classOXM, num: 7, size: 1, bits: 3, form: formDec})
	set(EthSrc, fieldInfo{match: "dl_src", set: "eth_src", nx: "NXM_OF_ETH_SRC", class: classOXM, num: 4, alt: nxm(0, 2, 6), size: 6, form: formMAC})
	set(EthDst, fieldInfo{match: "dl_dst", set: "eth_dst", nx: "NXM_OF_ETH_DST", class: classOXM, num: 3, alt: nxm(0, 1, 6), size: 6, form: formMAC})
	set(IPv6Src, fieldInfo{match: "ipv6_src", nx: "NXM_NX_IPV6_SRC", class: classOXM, num: 26, alt: nxm(1, 19, 16), size: 16, form: formIP6, ether: etherIPv6})
	set(IPv6Dst, fieldInfo{match: "ipv6_dst", nx: "NXM_NX_IPV6_DST", class: classOXM, num: 27, alt: nxm(1, 20, 16), size: 16, form: formIP6, ether: etherIPv6})
	set(IPSrc, fieldInfo{match: "nw_src", set: "ip_src", nx: "NXM_OF_IP_SRC", class: classOXM, num: 11, alt: nxm(0, 7, 4), size: 4, form: formIP4, ether: etherIPv4})
	set(IPDst, fieldInfo{match: "nw_dst", set: "ip_dst", nx: "NXM_OF_IP_DST", class: classOXM, num: 12, alt: nxm(0, 8, 4), size: 4, form: formIP4, ether: etherIPv4})
	set(ARPSPA, fieldInfo{match: "arp_spa", nx: "NXM_OF_ARP_SPA", class: classOXM, num: 22, alt: nxm(0, 16, 4), size: 4, form: formIP4, ether: etherARP})
	set(ARPTPA, fieldInfo{match: "arp_tpa", nx: "NXM_OF_ARP_TPA", class: classOXM, num: 23, alt: nxm(0, 17, 4), size: 4, form: formIP4, ether: etherARP})
	set(IPProto, fieldInfo{match: "nw_proto", set: "ip_proto", nx: "NXM_OF_IP_PROTO", class: classOXM, num: 10, alt: nxm(0, 6, 1), size: 1, form: formDec})
	set(ARPOp, fieldInfo{match: "arp_op", nx: "NXM_OF_ARP_OP", class: classOXM, num: 21, alt: nxm(0, 15, 2), size: 2, form: formDec, ether: etherARP})
	set(ARPSHA, fieldInfo{match: "arp_sha", nx: "NXM_NX_ARP_SHA", class: classOXM, num: 24, alt: nxm(1, 17, 6), size: 6, form: formMAC, ether: etherARP})
	set(ARPTHA, fieldInfo{match: "arp_tha", nx: "NXM_NX_ARP_THA", class: classOXM, num: 25, alt: nxm(1, 18, 6), size: 6, form: formMAC, ether: etherARP})
	set(IPDSCP, fieldInfo{match: "nw_tos", set: "ip_dscp", nx: "OXM_OF_IP_DSCP", class: classOXM, num: 8, size: 1, bits: 6, form: formDSCP})
	set(IPECN, fieldInfo{match: "nw_ecn", nx: "NXM_NX_IP_ECN", class: classOXM, num: 9, alt: nxm(1, 28, 1), size: 1, bits: 2, form: formDec})
	set(IPTTL, fieldInfo{match: "nw_ttl", nx: "NXM_NX_IP_TTL", class: classNXM1, num: 29, size: 1, form: formDec})
	set(ICMPType, fieldInfo{match: "icmp_type", nx: "NXM_OF_ICMP_TYPE", class: classOXM, num: 19, alt: nxm(0, 13, 1), size: 1, form: formDec, ether: etherIPv4, proto: protoICMP})
	set(ICMPCode, fieldInfo{match: "icmp_code", nx: "NXM_OF_ICMP_CODE", class: classOXM, num: 20, alt: nxm(0, 14, 1), size: 1, form: formDec, ether: etherIPv4, proto: protoICMP})
	set(ICMPv6Type, fieldInfo{match: "icmp_type", set: "icmpv6_type", nx: "NXM_NX_ICMPV6_TYPE", class: classOXM, num: 29, alt: nxm(1, 21, 1), size: 1, form: formDec, ether: etherIPv6, proto: protoICMPv6})
	set(ICMPv6Code, fieldInfo{match: "icmp_code", set: "icmpv6_code", nx: "NXM_NX_ICMPV6_CODE", class: classOXM, num: 30, alt: nxm(1, 22, 1), size: 1, form: formDec, ether: etherIPv6, proto: protoICMPv6})
	set(NDTarget, fieldInfo{match: "nd_target", nx: "NXM_NX_ND_TARGET", class: classOXM, num: 31, alt: nxm(1, 23, 16), size: 16, form: formIP6, ether: etherIPv6, proto: protoICMPv6})
	set(NDSLL, fieldInfo{match: "nd_sll", nx: "NXM_NX_ND_SLL", class: classOXM, num: 32, alt: nxm(1, 24, 6), size: 6, form: formMAC, ether: etherIPv6, proto: protoICMPv6})
	set(NDTLL, fieldInfo{match: "nd_tll", nx: "NXM_NX_ND_TLL", class: classOXM, num: 33, alt: nxm(1, 25, 6), size: 6, form: formMAC, ether: etherIPv6, proto: protoICMPv6})
	set(NDReserved, fieldInfo{match: "nd_reserved", nx: "ERICOXM_OF_ICMPV6_ND_RESERVED", class: classEricsson, num: 1, size: 4, form: formDec, ether: etherIPv6, proto: protoICMPv6})
	set(NDOptionsType, fieldInfo{match: "nd_options_type", nx: "ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE", class: classEricsson, num: 2, size: 1, form: formDec, ether: etherIPv6, proto: protoICMPv6})
	set(TCPSrc, fieldInfo{match: "tp_src", set: "tcp_src", nx: "NXM_OF_TCP_SRC", class: classOXM, num: 13, alt: nxm(0, 9, 2), size: 2, form: formDec, proto: protoTCP})
	set(TCPDst, fieldInfo{match: "tp_dst", set: "tcp_dst", nx: "NXM_OF_TCP_DST", class: classOXM, num: 14, alt: nxm(0, 10, 2), size: 2, form: formDec, proto: protoTCP})
	set(UDPSrc, fieldInfo{match: "tp_src", set: "udp_src", nx: "NXM_OF_UDP_SRC", class: classOXM, num: 15, alt: nxm(0, 11, 2), size: 2, form: formDec, proto: protoUDP})
	set(UDPDst, fieldInfo{match: "tp_dst", set: "udp_dst", nx: "NXM_OF_UDP_DST", class: classOXM, num: 16, alt: nxm(0, 12, 2), size: 2, form: formDec, proto: protoUDP})
	set(SCTPSrc, fieldInfo{match: "tp_src", set: "sctp_src", nx: "OXM_OF_SCTP_SRC", class: classOXM, num: 17, size: 2, form: formDec, proto: protoSCTP})
	set(SCTPDst, fieldInfo{match: "tp_dst", set: "sctp_dst", nx: "OXM_OF_SCTP_DST", class: classOXM, num: 18, size: 2, form: formDec, proto: protoSCTP})
	set(TCPFlags, fieldInfo{match: "tcp_flags", nx: "NXM_NX_TCP_FLAGS", class: classNXM1, num: 34, size: 2, bits: 12, proto: protoTCP})
	return t
}

func itoa(f Field) string {
	if f >= 10 {
		return "1" + string(rune('0'+f-10))
	}
	return string(rune('0' + f))
}

// Bits is the width of the field in bits.
func (f Field) Bits() int {
	if f >= numFields {
		return 0
	}
	return int(fields[f].bits)
}

// String is the field's name as set_field spells it.
func (f Field) String() string {
	if f == NoField || f >= numFields {
		return "?"
	}
	if s := fields[f].set; s != "" {
		return s
	}
	return fields[f].match
}

// oxmHeader is the 4-byte header of the field in a match or set_field, without its mask bit.
func (i *fieldInfo) oxmHeader() uint32 {
	return uint32(i.class)<<16 | uint32(i.num)<<9 | uint32(i.size)
}

// nxHeader is the header that Open vSwitch writes in load, move and output: the older NXM one where there is one.
func (i *fieldInfo) nxHeader() uint32 {
	if i.alt != 0 {
		return i.alt
	}
	return i.oxmHeader()
}

// nxm makes a class 0 or class 1 header.
func nxm(class, num, size uint32) uint32 { return class<<16 | num<<9 | size }

// headers indexes the fields by header. Like fields it is filled once and then only read.
var headers = buildHeaders()

func buildHeaders() map[uint32]Field {
	m := make(map[uint32]Field, 2*numFields)
	for f := NoField + 1; f < numFields; f++ {
		m[fields[f].oxmHeader()] = f
		m[fields[f].nxHeader()] = f
	}
	return m
}

// fieldOf finds a field by an OXM or NXM header; the mask bit and a doubled length must be removed before.
func fieldOf(header uint32) Field { return headers[header] }

// fieldByName finds a field by one of the names that ovs-ofctl accepts: in a match, in set_field, or in NXM form.
func fieldByName(name string) Field { return fieldNames[name] }

var fieldNames = buildFieldNames()

func buildFieldNames() map[string]Field {
	m := make(map[string]Field, 3*numFields)
	// In descending order, so that of two fields with one match name (tp_dst, icmp_type) the first one keeps it.
	for f := numFields - 1; f > NoField; f-- {
		i := fields[f]
		m[i.match], m[i.nx] = f, f
		if i.set != "" {
			m[i.set] = f
		}
	}
	// The names of the same fields that ovs-ofctl also takes.
	maps.Copy(m, map[string]Field{
		"eth_type": EthType, "tunnel_id": TunID, "ipv6_proto": IPProto, "icmpv6_type": ICMPv6Type, "icmpv6_code": ICMPv6Code,
		"ip_ttl": IPTTL, "ip_ecn": IPECN, "OXM_OF_ETH_SRC": EthSrc, "OXM_OF_ETH_DST": EthDst, "OXM_OF_IN_PORT": InPort,
		"OXM_OF_IPV4_SRC": IPSrc, "OXM_OF_IPV4_DST": IPDst, "vlan_vid": VlanVID, "nw_tos": IPDSCP,
	})
	return m
}

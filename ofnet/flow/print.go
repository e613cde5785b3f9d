// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// String prints the flow as ovs-ofctl does, with the number of its table.
func (f Flow) String() string { return f.Text(nil) }

// Text prints the flow as ovs-ofctl does, with the name of its table and of those it goes to.
func (f Flow) Text(names Tables) string {
	b := fmt.Appendf(nil, "cookie=%#x,", uint64(f.Cookie))
	b = append(b, f.place(names)...)
	b = append(b, " actions="...)
	return string(f.Actions.append(b, names))
}

// place prints what identifies the flow in its switch.
func (f *Flow) place(names Tables) string {
	b := append([]byte("table="), tableName(f.Table, names)...)
	b = fmt.Appendf(b, ",priority=%d", f.Priority)
	if m := f.Match.String(); m != "" {
		b = append(append(b, ','), m...)
	}
	return string(b)
}

func tableName(t TableID, names Tables) string {
	if n := names.Name(t); n != "" {
		return n
	}
	return strconv.Itoa(int(t))
}

// String prints the match as ovs-ofctl does; the empty string is every packet.
func (m Match) String() string {
	var b []byte
	m.print(func(_ *Term, text []byte) {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	})
	return string(b)
}

// print calls part with each condition and its text, which is valid until part returns; with nil for the protocol's word, and for unknown
// fields.
func (m Match) print(part func(t *Term, text []byte)) {
	var buf [64]byte
	ether, proto, both := m.protocol()
	for t := range m.terms {
		switch {
		case t.field == EthType && ether != "":
			part(nil, append(buf[:0], ether...))
		case t.field != IPProto || !both:
			part(&t, t.append(buf[:0], proto))
		}
	}
	for tlv := range m.raw {
		part(nil, append(append(buf[:0], "raw="...), hex.EncodeToString([]byte(tlv))...))
	}
}

// protocol names the match's protocol in one word. both reports whether the word covers the IP protocol too.
func (m Match) protocol() (word string, proto uint64, both bool) {
	e, ok := m.Uint(EthType)
	if !ok {
		return "", 0, false
	}
	proto, hasProto := m.Uint(IPProto)
	for i := range protocols {
		p := &protocols[i]
		if uint64(p.ether) != e {
			continue
		}
		if p.proto == 0 {
			return p.word, proto, false
		}
		if hasProto && uint64(p.proto) == proto {
			return p.word, proto, true
		}
	}
	return "", proto, false
}

// protocols are the words for protocols, the narrower ones of an Ethernet type first.
var protocols = [...]struct {
	word  string
	ether uint16
	proto uint8
}{
	{"icmp", etherIPv4, protoICMP}, {"tcp", etherIPv4, protoTCP}, {"udp", etherIPv4, protoUDP},
	{"sctp", etherIPv4, protoSCTP}, {"ip", etherIPv4, 0},
	{"icmp6", etherIPv6, protoICMPv6}, {"tcp6", etherIPv6, protoTCP}, {"udp6", etherIPv6, protoUDP},
	{"sctp6", etherIPv6, protoSCTP}, {"ipv6", etherIPv6, 0},
	{"arp", etherARP, 0},
}

func (t *Term) append(b []byte, proto uint64) []byte {
	i := &fields[t.field]
	size := int(i.size)
	value, mask := t.value[:size], t.mask[:size]
	masked := !t.whole()
	if t.field == VlanVID && masked {
		return fmt.Appendf(b, "vlan_tci=0x%04x/0x%04x", uintOf(value), uintOf(mask))
	}
	name := i.match
	if i.proto != 0 && uint64(i.proto) != proto && i.set != "" {
		name = i.set // without its protocol, the short name would say another field
	}
	b = append(append(b, name...), '=')
	switch i.form {
	case formState:
		if masked {
			return appendFlags(b, uint32(uintOf(value)), uint32(uintOf(mask)))
		}
	case formIP4, formIP6:
		return appendAddr(b, value, mask)
	case formDec, formDSCP, formPort:
		if masked {
			return append(append(append(b, hexOf(value)...), '/'), hexOf(mask)...)
		}
	}
	b = appendValue(b, t.field, value, true)
	if masked {
		b = append(b, '/')
		b = appendValue(b, t.field, mask, true)
	}
	return b
}

// appendValue prints a field's value; a match shows VLAN and DSCP without their wire decoration.
func appendValue(b []byte, f Field, value []byte, match bool) []byte {
	switch fields[f].form {
	case formDec:
		return strconv.AppendUint(b, uintOf(value), 10)
	case formPort:
		return append(b, portName(uint32(uintOf(value)))...)
	case formVlan:
		v := uintOf(value)
		if match {
			v &^= 0x1000
		}
		return strconv.AppendUint(b, v, 10)
	case formDSCP:
		v := uintOf(value)
		if match {
			v <<= 2
		}
		return strconv.AppendUint(b, v, 10)
	case formMAC:
		for n, x := range value {
			if n > 0 {
				b = append(b, ':')
			}
			b = append(b, "0123456789abcdef"[x>>4], "0123456789abcdef"[x&15])
		}
		return b
	case formIP4, formIP6:
		a, _ := netip.AddrFromSlice(value)
		return a.AppendTo(b)
	}
	return append(b, hexOf(value)...)
}

func appendAddr(b, value, mask []byte) []byte {
	a, _ := netip.AddrFromSlice(value)
	b = a.AppendTo(b)
	ones, gap, whole := 0, false, true
	for _, m := range mask {
		for bit := 7; bit >= 0; bit-- {
			on := m>>bit&1 == 1
			whole = whole && !(on && gap)
			gap = gap || !on
			if on {
				ones++
			}
		}
	}
	b = append(b, '/')
	if !whole {
		m, _ := netip.AddrFromSlice(mask)
		return m.AppendTo(b)
	}
	if ones == len(mask)*8 {
		return b[:len(b)-1]
	}
	return strconv.AppendInt(b, int64(ones), 10)
}

var stateNames = [...]string{"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"}

func appendFlags(b []byte, value, mask uint32) []byte {
	for n, name := range stateNames {
		bit := uint32(1) << n
		if mask&bit == 0 {
			continue
		}
		sign := byte('-')
		if value&bit != 0 {
			sign = '+'
		}
		b = append(append(b, sign), name...)
	}
	if rest := mask &^ (1<<len(stateNames) - 1); rest != 0 {
		b = fmt.Appendf(b, "+%#x", rest)
	}
	return b
}

func uintOf(b []byte) (v uint64) {
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

// hexOf prints a value as C's %#x does: 0 has no prefix.
func hexOf(value []byte) string {
	s := strings.TrimLeft(hex.EncodeToString(value), "0")
	if s == "" {
		return "0"
	}
	return "0x" + s
}

var portNames = map[uint32]string{
	PortInPort: "IN_PORT", PortTable: "TABLE", PortNormal: "NORMAL", PortFlood: "FLOOD", PortAll: "ALL",
	PortController: "CONTROLLER", PortLocal: "LOCAL", PortAny: "ANY",
}

func portName(p uint32) string {
	if s, ok := portNames[p]; ok {
		return s
	}
	return strconv.FormatUint(uint64(p), 10)
}

var groupTypes = [...]string{"all", "select", "indirect", "ff"}

// String prints the group type as ovs-ofctl does.
func (t GroupType) String() string {
	if int(t) < len(groupTypes) {
		return groupTypes[t]
	}
	return strconv.Itoa(int(t))
}

// String prints the group as ovs-ofctl does.
func (g Group) String() string { return g.Text(nil) }

// Text prints the group as ovs-ofctl does, with the names of the tables it goes to.
func (g Group) Text(names Tables) string {
	b := fmt.Appendf(nil, "group_id=%d,type=%v", g.ID, g.Type)
	for k := range g.Buckets.All {
		b = append(b, ",bucket="...)
		if k.Weight != 0 {
			b = fmt.Appendf(b, "weight:%d,", k.Weight)
		}
		if k.WatchPort != 0 {
			b = fmt.Appendf(b, "watch_port:%s,", portName(k.WatchPort))
		}
		b = append(b, "actions="...)
		b = k.Actions.append(b, names)
	}
	return string(b)
}

// String prints the meter as ovs-ofctl does.
func (m Meter) String() string {
	unit := "kbps"
	if m.Packets {
		unit = "pktps"
	}
	if m.Burst == 0 {
		return fmt.Sprintf("meter=%d %s bands=type=drop rate=%d", m.ID, unit, m.Rate)
	}
	return fmt.Sprintf("meter=%d %s burst bands=type=drop rate=%d burst_size=%d", m.ID, unit, m.Rate, m.Burst)
}

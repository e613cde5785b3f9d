// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"net/netip"
)

// Term is one condition of a Match, with what it presumes: a TCP port presumes IP protocol 6.
type Term struct {
	field Field
	ether uint16
	proto uint8
	value [16]byte // the field's bytes, left-aligned
	mask  [16]byte
}

func newTerm(f Field) Term {
	t := Term{field: f}
	if f < numFields {
		t.ether, t.proto = fields[f].ether, fields[f].proto
	}
	return t
}

// exact sets the mask to all significant bits of the field.
func (t *Term) exact() { t.mask = fullMasks[t.field] }

// whole reports whether the mask has all significant bits of the field.
func (t *Term) whole() bool { return t.mask == fullMasks[t.field] }

func (t *Term) put(b *[16]byte, v uint64) {
	size := int(fields[t.field].size)
	for n := size - 1; n >= 0 && n >= size-8; n-- {
		b[n] = byte(v)
		v >>= 8
	}
}

// Eq matches if field f, of at most 64 bits, has the value v.
func Eq(f Field, v uint64) Term {
	t := newTerm(f)
	t.put(&t.value, v)
	t.exact()
	return t
}

// EqMask matches if the bits of field f selected by mask have the value v.
func EqMask(f Field, v, mask uint64) Term {
	t := newTerm(f)
	t.put(&t.value, v)
	t.put(&t.mask, mask)
	return t
}

// EqBit matches if bit n of field f, counted from the lowest, is set or not; it reaches all bits of wide fields.
func EqBit(f Field, n int, set bool) Term {
	t := newTerm(f)
	at, bit := int(fields[f].size)-1-n/8, byte(1)<<(n%8)
	t.mask[at] = bit
	if set {
		t.value[at] = bit
	}
	return t
}

// EqBits matches if a range of at most 64 bits of a field has the value v; it reaches all bits of wide fields.
func EqBits(r Bits, v uint64) Term {
	t := newTerm(r.Field)
	size := int(fields[r.Field].size)
	for n := range r.N {
		at, bit := size-1-(r.First+n)/8, byte(1)<<((r.First+n)%8)
		t.mask[at] |= bit
		if v>>n&1 != 0 {
			t.value[at] |= bit
		}
	}
	return t
}

// EqMAC matches if field f is the Ethernet address m.
func EqMAC(f Field, m [6]byte) Term {
	t := newTerm(f)
	copy(t.value[:], m[:])
	t.exact()
	return t
}

// EqMACMask matches if the bits of field f selected by mask are those of m.
func EqMACMask(f Field, m, mask [6]byte) Term {
	t := newTerm(f)
	copy(t.value[:], m[:])
	copy(t.mask[:], mask[:])
	return t
}

// EqAddr matches if field f is the address a; the family of a must be the field's.
func EqAddr(f Field, a netip.Addr) Term {
	t := newTerm(f)
	putAddr(&t.value, f, a)
	t.exact()
	return t
}

// EqPrefix matches if field f lies in p.
func EqPrefix(f Field, p netip.Prefix) Term {
	t := newTerm(f)
	putAddr(&t.value, f, p.Addr())
	for b := range p.Bits() {
		t.mask[b/8] |= 0x80 >> (b % 8)
	}
	return t
}

func putAddr(b *[16]byte, f Field, a netip.Addr) {
	a = a.Unmap()
	if !a.IsValid() || a.Is4() != (fields[f].size == 4) {
		panic(fmt.Sprintf("flow: address %v in field %v", a, f))
	}
	copy(b[:], a.AsSlice())
}

// The protocols of a match, as ovs-ofctl names them.

func IP() Term    { return Eq(EthType, etherIPv4) }
func IPv6() Term  { return Eq(EthType, etherIPv6) }
func ARP() Term   { return Eq(EthType, etherARP) }
func ICMP() Term  { return protocol(etherIPv4, protoICMP) }
func ICMP6() Term { return protocol(etherIPv6, protoICMPv6) }
func TCP() Term   { return protocol(etherIPv4, protoTCP) }
func TCP6() Term  { return protocol(etherIPv6, protoTCP) }

func protocol(ether uint16, proto uint8) Term {
	t := Eq(IPProto, uint64(proto))
	t.ether = ether
	return t
}

// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Match selects packets. The zero Match selects every packet. It is immutable; equal matches are equal with ==, whatever order and pieces
// they were built from.
type Match struct {
	oxm string // OpenFlow match fields (OXM TLVs) in Field order; unknown fields follow, in byte order
}

// NewMatch joins terms; the masks of terms over one field are joined. It adds what the terms presume. Contradicting terms are a mistake in
// the program, and NewMatch panics.
func NewMatch(terms ...Term) Match {
	m, err := Join(terms...)
	if err != nil {
		panic("flow: " + err.Error())
	}
	return m
}

// Join is NewMatch for terms that come from outside: contradicting terms are an error.
func Join(terms ...Term) (Match, error) {
	var b builder
	for i := range terms {
		t := &terms[i]
		if t.ether != 0 {
			e := Eq(EthType, uint64(t.ether))
			if err := b.add(&e); err != nil {
				return Match{}, err
			}
		}
		if t.proto != 0 {
			p := Eq(IPProto, uint64(t.proto))
			if err := b.add(&p); err != nil {
				return Match{}, err
			}
		}
		if t.field.discovers() {
			c := Eq(ICMPv6Code, 0)
			if err := b.add(&c); err != nil {
				return Match{}, err
			}
		}
		if err := b.add(t); err != nil {
			return Match{}, err
		}
	}
	return b.match(), nil
}

// builder gathers terms by field, sorted.
type builder struct {
	n     int
	few   [12]Term
	many  []Term
	extra []string // unknown TLVs
}

func (b *builder) terms() []Term {
	if b.many != nil {
		return b.many
	}
	return b.few[:b.n]
}

func (b *builder) add(t *Term) error {
	if t.field == NoField || t.field >= numFields {
		return fmt.Errorf("match field %d is unknown", t.field)
	}
	list := b.terms()
	at := len(list)
	for at > 0 && list[at-1].field > t.field {
		at--
	}
	if at > 0 && list[at-1].field == t.field {
		o := &list[at-1]
		for i := range o.value {
			if both := o.mask[i] & t.mask[i]; (o.value[i]^t.value[i])&both != 0 {
				return fmt.Errorf("match asks for two values of %v", t.field)
			}
			o.value[i] = o.value[i]&o.mask[i] | t.value[i]&t.mask[i]
			o.mask[i] |= t.mask[i]
		}
		return nil
	}
	if b.many == nil && b.n == len(b.few) {
		b.many = append(make([]Term, 0, 2*b.n), b.few[:]...)
	}
	if b.many != nil {
		b.many = append(b.many, Term{})
		list = b.many
	} else {
		b.n++
		list = b.few[:b.n]
	}
	copy(list[at+1:], list[at:])
	list[at] = *t
	return nil
}

func (b *builder) match() Match {
	var buf [256]byte
	out := buf[:0]
	for i := range b.terms() {
		out = appendTerm(out, &b.terms()[i])
	}
	for _, x := range b.extra {
		out = append(out, x...)
	}
	return Match{string(out)}
}

// appendTerm writes t in canonical form: nothing when the mask is empty, no mask when it is full.
func appendTerm(out []byte, t *Term) []byte {
	i := &fields[t.field]
	size := int(i.size)
	if t.mask == [16]byte{} {
		return out
	}
	h := i.oxmHeader()
	if t.whole() {
		out = binary.BigEndian.AppendUint32(out, h)
		for n := range size {
			out = append(out, t.value[n]&t.mask[n])
		}
		return out
	}
	out = binary.BigEndian.AppendUint32(out, h|0x100+h&0xff) // mask bit; the length covers value and mask
	for n := range size {
		out = append(out, t.value[n]&t.mask[n])
	}
	return append(out, t.mask[:size]...)
}

// OXM is the match as OpenFlow carries it: TLVs, without the ofp_match header and padding.
func (m Match) OXM() string { return m.oxm }

// IsZero reports whether the match selects every packet.
func (m Match) IsZero() bool { return m.oxm == "" }

// Has reports whether the match tests f.
func (m Match) Has(f Field) bool {
	for t := range m.terms {
		if t.field == f {
			return true
		}
	}
	return false
}

// Uint returns the value of f as far as the match fixes it, and whether the match tests f at all.
func (m Match) Uint(f Field) (v uint64, ok bool) {
	for t := range m.terms {
		if t.field != f {
			continue
		}
		for _, b := range t.value[:fields[f].size] {
			v = v<<8 | uint64(b)
		}
		return v, true
	}
	return 0, false
}

// Addr returns the value of an address field, and whether the match fixes all its bits.
func (m Match) Addr(f Field) (a netip.Addr, ok bool) {
	for t := range m.terms {
		if t.field == f && t.whole() {
			a = addrOf(f, t.value[:fields[f].size])
			return a, a.IsValid()
		}
	}
	return a, false
}

// terms yields the known terms in order.
func (m Match) terms(yield func(Term) bool) {
	rest := m.oxm
	for len(rest) > 0 {
		t, _, n := nextTLV(rest)
		if t.field != NoField && !yield(t) {
			return
		}
		rest = rest[n:]
	}
}

// raw yields the unknown TLVs in order.
func (m Match) raw(yield func(string) bool) {
	rest := m.oxm
	for len(rest) > 0 {
		t, tlv, n := nextTLV(rest)
		if t.field == NoField && !yield(tlv) {
			return
		}
		rest = rest[n:]
	}
}

// nextTLV cuts one TLV off b, which must begin with a whole one: DecodeMatch and the builder ensure that.
func nextTLV(b string) (t Term, tlv string, n int) {
	n = 4 + int(b[3])
	if t, ok := tcpFlags(b[:n]); ok {
		return t, b[:n], n
	}
	h := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	size := int(b[3])
	masked := h&0x100 != 0 && h>>16 != classExp
	if masked {
		size /= 2
		h = h&^0x1ff | uint32(size)
	}
	f := fieldOf(h)
	if f == NoField || int(fields[f].size) != size || masked && n != 4+2*size {
		return Term{}, b[:n], n
	}
	t.field = f
	copy(t.value[:size], b[4:])
	if masked {
		copy(t.mask[:size], b[4+size:n])
	} else {
		t.exact()
	}
	return t, b[:n], n
}

// tcpFlags decodes the form in which Open vSwitch reports TCP flags over OpenFlow 1.3: as an experimenter field of the Open Networking
// Foundation (EXT-109, meta-flow.h). The switch accepts either form.
func tcpFlags(tlv string) (t Term, ok bool) {
	const plain, masked = "\xff\xff\x54\x06ONF\x00", "\xff\xff\x55\x08ONF\x00"
	const head = len(plain)
	switch {
	case len(tlv) == head+2 && tlv[:head] == plain:
		t.field = TCPFlags
		t.exact()
	case len(tlv) == head+4 && tlv[:head] == masked:
		t.field = TCPFlags
		copy(t.mask[:2], tlv[head+2:])
	default:
		return t, false
	}
	copy(t.value[:2], tlv[head:])
	return t, true
}

// DecodeMatch reads OXM TLVs, which a switch sends in any order, into the canonical Match. Unknown fields are kept unchanged. Truncated,
// repeated and contradicting fields are errors.
func DecodeMatch(oxm []byte) (Match, error) {
	var b builder
	rest := string(oxm)
	for len(rest) > 0 {
		if len(rest) < 4 || len(rest) < 4+int(rest[3]) {
			return Match{}, fmt.Errorf("match field is cut off after %d bytes", len(oxm)-len(rest))
		}
		t, tlv, n := nextTLV(rest)
		if t.field == NoField {
			at := len(b.extra)
			for at > 0 && b.extra[at-1] > tlv {
				at--
			}
			b.extra = append(b.extra[:at], append([]string{tlv}, b.extra[at:]...)...)
		} else if err := b.add(&t); err != nil {
			return Match{}, err
		}
		rest = rest[n:]
	}
	return b.match(), nil
}

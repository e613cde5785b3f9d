// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"net/netip"

	"github.com/contiv/contiv/ofnet/flow"
)

// The connection tracker extension of Open vSwitch, from version 3.1 on (NXT_CT_FLUSH; openflow/nicira-ext.h).
const (
	experimenterNicira = 0x00002320
	ctFlush            = 32
)

// Properties of a CTFlush, and of the tuples in it.
const (
	ctOrig  = 0
	ctReply = 1
	ctZone  = 2

	tupleSrc     = 0
	tupleDst     = 1
	tupleSrcPort = 2
	tupleDstPort = 3
)

// CTFlush makes the switch delete tracked connections. A version of Open vSwitch before 3.1 answers OFPBRC_BAD_SUBTYPE.
type CTFlush struct{ flow.Connections }

// Type is TypeExperimenter.
func (*CTFlush) Type() Type { return TypeExperimenter }

func (m *CTFlush) append(b []byte, _ uint32) []byte {
	b = be.AppendUint32(b, experimenterNicira)
	b = be.AppendUint32(b, ctFlush)
	b = append(b, m.Protocol, 0, 0, 0, 0, 0, 0, 0) // the family is that of the addresses
	b = appendTuple(b, ctOrig, m.Orig)
	b = appendTuple(b, ctReply, m.Reply)
	return appendShort(b, ctZone, m.Zone)
}

// appendTuple writes a property that holds properties, unless it would be empty.
func appendTuple(b []byte, kind uint16, t flow.Tuple) []byte {
	if t == (flow.Tuple{}) {
		return b
	}
	start := len(b)
	b = append(be.AppendUint16(b, kind), 0, 0, 0, 0, 0, 0)
	for i, a := range []netip.Addr{t.Src, t.Dst} {
		if a.IsValid() {
			long := a.As16()
			b = be.AppendUint16(be.AppendUint16(b, uint16(tupleSrc+i)), 20)
			b = append(append(b, long[:]...), 0, 0, 0, 0)
		}
	}
	for i, p := range []uint16{t.SrcPort, t.DstPort} {
		if p != 0 {
			b = appendShort(b, uint16(tupleSrcPort+i), p)
		}
	}
	be.PutUint16(b[start+2:], uint16(len(b)-start))
	return b
}

// appendShort writes a property of two bytes.
func appendShort(b []byte, kind, v uint16) []byte {
	return append(be.AppendUint16(be.AppendUint16(be.AppendUint16(b, kind), 8), v), 0, 0)
}

func decodeCTFlush(r *reader) *CTFlush {
	m := &CTFlush{}
	m.Protocol = r.u8()
	r.skip(7)
	r.properties(func(kind uint16, p *reader) {
		switch kind {
		case ctOrig, ctReply:
			p.skip(4)
			t := p.tuple()
			if kind == ctOrig {
				m.Orig = t
			} else {
				m.Reply = t
			}
		case ctZone:
			m.Zone = p.u16()
		}
	})
	return m
}

func (r *reader) tuple() (t flow.Tuple) {
	r.properties(func(kind uint16, p *reader) {
		switch kind {
		case tupleSrc:
			t.Src = p.address()
		case tupleDst:
			t.Dst = p.address()
		case tupleSrcPort:
			t.SrcPort = p.u16()
		case tupleDstPort:
			t.DstPort = p.u16()
		}
	})
	return t
}

// address reads 16 bytes; IPv4 addresses are mapped (RFC 4291 section 2.5.5.2). The unspecified IPv6 address matches any.
func (r *reader) address() netip.Addr {
	b := r.read(16)
	if b == nil {
		return netip.Addr{}
	}
	a := netip.AddrFrom16([16]byte(b)).Unmap()
	if a == netip.IPv6Unspecified() {
		return netip.Addr{}
	}
	return a
}

// properties reads the rest as properties - kind, length, body, padded to eight bytes - and calls each with their bodies.
func (r *reader) properties(each func(kind uint16, body *reader)) {
	for r.err == nil && len(r.b) > 0 {
		whole := r.sub("property", 2, 4)
		if r.err != nil {
			return
		}
		r.read(min(-len(whole)&7, len(r.b)))
		body := &reader{b: whole[4:]}
		each(be.Uint16(whole), body)
		if r.err == nil {
			r.err = body.err
		}
	}
}

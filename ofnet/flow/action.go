// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"unique"
)

// Port is an OpenFlow port number. The reserved ones are named here (OpenFlow 1.3.5 section 7.2.1).
type Port = uint32

// The reserved ports.
const (
	PortInPort     Port = 0xfffffff8
	PortTable      Port = 0xfffffff9
	PortNormal     Port = 0xfffffffa
	PortFlood      Port = 0xfffffffb
	PortAll        Port = 0xfffffffc
	PortController Port = 0xfffffffd
	PortLocal      Port = 0xfffffffe
	PortAny        Port = 0xffffffff
)

// OpenFlow action types, and the Nicira subtypes (ovs-actions(7)).
const (
	actOutput       = 0
	actPushVLAN     = 17
	actPopVLAN      = 18
	actGroup        = 22
	actSetTTL       = 23
	actDecTTL       = 24
	actSetField     = 25
	actExperimenter = 0xffff

	nicira = 0x00002320

	nxRegMove       = 6
	nxRegLoad       = 7
	nxMultipath     = 10
	nxResubmitTable = 14
	nxOutputReg     = 15
	nxConjunction   = 34
	nxCT            = 35
	nxNAT           = 36
	nxCTClear       = 43
)

// Instruction types (OpenFlow 1.3.5 section 7.2.4).
const (
	insGoto      = 1
	insMetadata  = 2
	insWrite     = 3
	insApply     = 4
	insClear     = 5
	insMeter     = 6
	insAction    = insApply
	insMeterSize = 8
)

// Action is one step: an action that is applied at once, or one of the instructions goto_table and meter, which ovs-ofctl writes in the
// same list. It is immutable.
type Action struct {
	instruction uint8
	n           uint8
	short       [40]byte
	long        string // used when the wire form is longer than short
}

func newAction(instruction uint8, wire []byte) Action {
	a := Action{instruction: instruction}
	if len(wire) > len(a.short) {
		a.long = string(wire)
		return a
	}
	a.n = uint8(copy(a.short[:], wire))
	return a
}

func (a *Action) appendTo(b []byte) []byte {
	if a.long != "" {
		return append(b, a.long...)
	}
	return append(b, a.short[:a.n]...)
}

var be = binary.BigEndian

// nx starts a Nicira action of the given total size.
func nx(buf []byte, subtype uint16, size int) []byte {
	buf = be.AppendUint16(buf, actExperimenter)
	buf = be.AppendUint16(buf, uint16(size))
	buf = be.AppendUint32(buf, nicira)
	return be.AppendUint16(buf, subtype)
}

func zeros(b []byte, n int) []byte {
	for range n {
		b = append(b, 0)
	}
	return b
}

// Output sends the packet to a port. A packet that came in by p needs PortInPort.
func Output(p Port) Action {
	if p == PortController {
		return Trace(0xffff) // the whole packet, unbuffered
	}
	return output(p, 0)
}

// Trace sends the controller at most the given number of the packet's first bytes; 65535 is the whole packet.
func Trace(most uint16) Action { return output(PortController, most) }

func output(p Port, most uint16) Action {
	var buf [16]byte
	b := be.AppendUint16(buf[:0], actOutput)
	b = be.AppendUint16(b, 16)
	b = be.AppendUint32(b, p)
	b = be.AppendUint16(b, most)
	return newAction(insAction, zeros(b, 6))
}

// Bits is a range of bits of a field, as in reg2[0..15].
type Bits struct {
	Field Field
	First int // lowest bit
	N     int // count of bits
}

// All is the whole of field f.
func All(f Field) Bits { return Bits{f, 0, f.Bits()} }

// Bit is one bit of field f.
func Bit(f Field, n int) Bits { return Bits{f, n, 1} }

// Range is the bits first to last of field f, both included.
func Range(f Field, first, last int) Bits { return Bits{f, first, last - first + 1} }

func (r Bits) ofsNBits() uint16 { return uint16(r.First<<6 | (r.N - 1)) }

// OutputField sends the packet to the port whose number a field holds.
func OutputField(r Bits) Action {
	var buf [24]byte
	b := nx(buf[:0], nxOutputReg, 24)
	b = be.AppendUint16(b, r.ofsNBits())
	b = be.AppendUint32(b, fields[r.Field].nxHeader())
	b = be.AppendUint16(b, 0xffff)
	return newAction(insAction, zeros(b, 6))
}

// The lengths of actions that are appended as a block.
const loadLen, resubmitLen = 24, 16

// Load writes v into bits of a field; at most 64 bits.
func Load(to Bits, v uint64) Action {
	var buf [loadLen]byte
	b := nx(buf[:0], nxRegLoad, loadLen)
	b = be.AppendUint16(b, to.ofsNBits())
	b = be.AppendUint32(b, fields[to.Field].nxHeader())
	return newAction(insAction, be.AppendUint64(b, v))
}

// Move copies bits of one field to as many bits of another.
func Move(from, to Bits) Action {
	var buf [24]byte
	b := nx(buf[:0], nxRegMove, 24)
	b = be.AppendUint16(b, uint16(from.N))
	b = be.AppendUint16(b, uint16(from.First))
	b = be.AppendUint16(b, uint16(to.First))
	b = be.AppendUint32(b, fields[from.Field].nxHeader())
	return newAction(insAction, be.AppendUint32(b, fields[to.Field].nxHeader()))
}

// SetField writes a whole field of at most 64 bits.
func SetField(f Field, v uint64) Action {
	t := Term{field: f}
	t.put(&t.value, v)
	return encodeSetField(&t)
}

// SetMAC writes an Ethernet address field.
func SetMAC(f Field, m [6]byte) Action {
	t := Term{field: f}
	copy(t.value[:], m[:])
	return encodeSetField(&t)
}

// SetAddr writes an address field; the family of a must be the field's.
func SetAddr(f Field, a netip.Addr) Action {
	t := Term{field: f}
	putAddr(&t.value, f, a)
	return encodeSetField(&t)
}

func encodeSetField(t *Term) Action {
	var buf [40]byte
	i := &fields[t.field]
	n := 4 + 4 + int(i.size)
	pad := -n & 7
	b := be.AppendUint16(buf[:0], actSetField)
	b = be.AppendUint16(b, uint16(n+pad))
	b = be.AppendUint32(b, i.oxmHeader())
	b = append(b, t.value[:i.size]...)
	return newAction(insAction, zeros(b, pad))
}

func plain(kind uint16, operand ...byte) Action {
	var buf [8]byte
	b := be.AppendUint16(buf[:0], kind)
	b = be.AppendUint16(b, 8)
	b = append(b, operand...)
	return newAction(insAction, zeros(b, 8-len(b)))
}

// PushVLAN adds an empty 802.1Q tag; set vlan_vid next.
func PushVLAN() Action { return plain(actPushVLAN, 0x81, 0x00) }

// PopVLAN removes the outer tag.
func PopVLAN() Action { return plain(actPopVLAN) }

// ToGroup hands the packet to a group.
func ToGroup(id uint32) Action {
	return plain(actGroup, byte(id>>24), byte(id>>16), byte(id>>8), byte(id))
}

// DecTTL lowers the TTL or hop limit by one and drops the packet when it was 1.
func DecTTL() Action { return plain(actDecTTL) }

// SetTTL writes the TTL or hop limit.
func SetTTL(v uint8) Action { return plain(actSetTTL, v) }

// Resubmit looks the packet up in table t, and continues the list from there.
func Resubmit(t TableID) Action {
	var buf [resubmitLen]byte
	b := nx(buf[:0], nxResubmitTable, resubmitLen)
	b = be.AppendUint16(b, 0xfff8) // OFPP_IN_PORT: the in_port stays
	b = append(b, byte(t))
	return newAction(insAction, zeros(b, 3))
}

// Conjunction makes this flow clause k, counted from 1, of the n clauses of the conjunction id.
func Conjunction(id uint32, k, n int) Action {
	var buf [16]byte
	b := nx(buf[:0], nxConjunction, 16)
	b = append(b, byte(k-1), byte(n))
	return newAction(insAction, be.AppendUint32(b, id))
}

// HashFields names the fields that Multipath hashes (ovs-actions(7), "multipath").
type HashFields uint16

// The hashes.
const (
	HashEthSrc HashFields = iota
	HashSymmetricL4
	HashSymmetricL3L4
	HashSymmetricL3L4UDP
	HashNwSrc
	HashNwDst
	HashSymmetricL3
)

// Multipath writes into bits one of n slots, chosen by highest random weight over the hashed fields; basis seeds
// the hash.
func Multipath(h HashFields, basis uint16, n int, to Bits) Action {
	const hrw = 2
	var buf [32]byte
	b := nx(buf[:0], nxMultipath, 32)
	b = be.AppendUint16(b, uint16(h))
	b = be.AppendUint16(b, basis)
	b = be.AppendUint16(b, 0)
	b = be.AppendUint16(b, hrw)
	b = be.AppendUint16(b, uint16(n-1))
	b = be.AppendUint32(b, 0) // arg
	b = be.AppendUint16(b, 0)
	b = be.AppendUint16(b, to.ofsNBits())
	return newAction(insAction, be.AppendUint32(b, fields[to.Field].nxHeader()))
}

// GotoTable continues in a table, which must have a higher number.
func GotoTable(t TableID) Action {
	return newAction(insGoto, []byte{0, insGoto, 0, 8, byte(t), 0, 0, 0})
}

// ToMeter sends the packet through a meter first.
func ToMeter(id uint32) Action {
	return newAction(insMeter, be.AppendUint32([]byte{0, insMeter, 0, insMeterSize}, id))
}

// Actions is what a flow does with a packet: a canonical list of OpenFlow instructions (meter, actions that apply
// at once, goto_table). The zero Actions drops the packet. It is immutable and comparable.
type Actions struct{ wire string }

// Do joins steps in order. A meter is moved to the start and a goto_table to the end, as in the switch.
func Do(steps ...Action) Actions {
	var buf [320]byte
	out := buf[:0]
	for i := range steps {
		if steps[i].instruction == insMeter {
			out = steps[i].appendTo(out)
		}
	}
	head := len(out)
	out = append(out, 0, insApply, 0, 0, 0, 0, 0, 0)
	for i := range steps {
		if steps[i].instruction == insApply {
			out = steps[i].appendTo(out)
		}
	}
	if n := len(out) - head; n > 8 {
		be.PutUint16(out[head+2:], uint16(min(n, 0xffff)))
	} else {
		out = out[:head]
	}
	for i := range steps {
		if k := steps[i].instruction; k == insGoto || k == insWrite {
			out = steps[i].appendTo(out)
		}
	}
	return Actions{string(out)}
}

// Shared returns the one copy of a among those made at about the same time: thousands of flows have the same few destinations.
func (a Actions) Shared() Actions { return Actions{unique.Make(a.wire).Value()} }

// Wire is the list as OpenFlow instructions.
func (a Actions) Wire() string { return a.wire }

// IsDrop reports whether the list is empty.
func (a Actions) IsDrop() bool { return a.wire == "" }

// Apply is the body of the list's apply-actions instruction.
func (a Actions) Apply() string {
	for rest := a.wire; len(rest) >= 8; {
		n := int(rest[2])<<8 | int(rest[3])
		if n < 8 || n > len(rest) {
			return ""
		}
		if rest[0] == 0 && rest[1] == insApply {
			return rest[8:n]
		}
		rest = rest[n:]
	}
	return ""
}

// DecodeInstructions reads OpenFlow instructions. Unknown instructions and actions are kept as they are; wrong
// lengths are an error.
func DecodeInstructions(wire []byte) (Actions, error) {
	for rest := wire; len(rest) > 0; {
		n, err := part("instruction", rest)
		if err != nil {
			return Actions{}, err
		}
		kind := be.Uint16(rest)
		if (kind == insApply || kind == insWrite) && n >= 8 {
			if err := checkActions(rest[8:n]); err != nil {
				return Actions{}, err
			}
		}
		rest = rest[n:]
	}
	return Actions{string(wire)}, nil
}

// DecodeActions reads OpenFlow actions, such as those of a packet-out, into a list that applies them.
func DecodeActions(wire []byte) (Actions, error) {
	if err := checkActions(wire); err != nil {
		return Actions{}, err
	}
	if len(wire) == 0 {
		return Actions{}, nil
	}
	if len(wire) > 0xffff-8 {
		return Actions{}, fmt.Errorf("action list of %d bytes is longer than 65527", len(wire))
	}
	return Do(newAction(insApply, wire)), nil
}

// part returns the length of the first instruction or action of b.
func part(what string, b []byte) (int, error) {
	if len(b) < 8 {
		return 0, fmt.Errorf("%s: %d bytes are left of at least 8", what, len(b))
	}
	n := int(be.Uint16(b[2:]))
	if n < 8 || n%8 != 0 || n > len(b) {
		return 0, fmt.Errorf("%s: length %d with %d bytes left", what, n, len(b))
	}
	return n, nil
}

func checkActions(b []byte) error {
	for len(b) > 0 {
		n, err := part("action", b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

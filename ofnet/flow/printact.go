// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
)

// String prints the list as ovs-ofctl does, with table numbers.
func (a Actions) String() string { return string(a.append(nil, nil)) }

// Text prints the list as ovs-ofctl does, with the names of tables.
func (a Actions) Text(names Tables) string { return string(a.append(nil, names)) }

func (a Actions) append(b []byte, names Tables) []byte {
	if a.wire == "" {
		return append(b, "drop"...)
	}
	start := len(b)
	a.print(names, func(_, text []byte, _ bool) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(b, text...)
	})
	return b
}

// print calls step with each instruction, and with each action of those that are applied: its bytes, and its text, which is valid until
// step returns.
func (a Actions) print(names Tables, step func(wire, text []byte, instruction bool)) {
	var buf [64]byte
	for rest := []byte(a.wire); len(rest) >= 8; {
		n := int(be.Uint16(rest[2:]))
		if n < 8 || n > len(rest) {
			break
		}
		ins := rest[:n]
		rest = rest[n:]
		text := buf[:0]
		switch be.Uint16(ins) {
		case insApply:
			eachAction(ins[8:], func(w []byte) { step(w, appendAction(buf[:0], w, names), false) })
			continue
		case insGoto:
			text = append(append(text, "goto_table:"...), tableName(TableID(ins[4]), names)...)
		case insMeter:
			text = fmt.Appendf(text, "meter:%d", be.Uint32(ins[4:]))
		case insClear:
			text = append(text, "clear_actions"...)
		default:
			text = append(append(text, "raw_instruction:"...), hex.EncodeToString(ins)...)
		}
		step(ins, text, true)
	}
}

// eachAction calls action with the bytes of each action of a list.
func eachAction(wire []byte, action func(w []byte)) {
	for len(wire) >= 8 {
		n := int(be.Uint16(wire[2:]))
		if n < 8 || n > len(wire) {
			break
		}
		action(wire[:n])
		wire = wire[n:]
	}
}

func appendActions(b, wire []byte, names Tables) []byte {
	start := len(b)
	eachAction(wire, func(w []byte) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = appendAction(b, w, names)
	})
	return b
}

// appendAction prints one action, whose whole bytes are w; it prints an unknown one raw.
func appendAction(b, w []byte, names Tables) []byte {
	switch kind := be.Uint16(w); {
	case kind == actOutput && len(w) == 16:
		switch p := be.Uint32(w[4:]); {
		case p == PortController:
			return fmt.Appendf(b, "CONTROLLER:%d", be.Uint16(w[8:]))
		case p > 0xffffff00:
			return append(b, portName(p)...)
		default:
			return fmt.Appendf(b, "output:%d", p)
		}
	case kind == actPushVLAN:
		return fmt.Appendf(b, "push_vlan:0x%04x", be.Uint16(w[4:]))
	case kind == actPopVLAN:
		return append(b, "pop_vlan"...)
	case kind == actGroup:
		return fmt.Appendf(b, "group:%d", be.Uint32(w[4:]))
	case kind == actDecTTL:
		return append(b, "dec_ttl"...)
	case kind == actSetTTL:
		return fmt.Appendf(b, "mod_nw_ttl:%d", w[4])
	case kind == actSetField:
		h := be.Uint32(w[4:])
		if f := fieldOf(h); f != NoField && len(w) >= 8+int(fields[f].size) && h == fields[f].oxmHeader() {
			b = append(b, "set_field:"...)
			b = appendValue(b, f, w[8:8+fields[f].size], false)
			return append(append(b, "->"...), f.String()...)
		}
	case kind == actExperimenter && be.Uint32(w[4:]) == nicira && len(w) >= 16:
		if out, ok := appendNicira(b, w, names); ok {
			return out
		}
	}
	return append(append(b, "raw:"...), hex.EncodeToString(w)...)
}

func appendNicira(b, w []byte, names Tables) ([]byte, bool) {
	switch sub := be.Uint16(w[8:]); {
	case sub == nxRegMove && len(w) == 24:
		n := int(be.Uint16(w[10:]))
		from, to := fieldOf(be.Uint32(w[16:])), fieldOf(be.Uint32(w[20:]))
		if from == NoField || to == NoField {
			return b, false
		}
		b = append(b, "move:"...)
		b = Bits{from, int(be.Uint16(w[12:])), n}.append(b)
		b = append(b, "->"...)
		return Bits{to, int(be.Uint16(w[14:])), n}.append(b), true
	case sub == nxRegLoad && len(w) == 24:
		to, ok := decodeBits(be.Uint16(w[10:]), be.Uint32(w[12:]))
		if !ok {
			return b, false
		}
		b = append(append(b, "load:"...), hexOf(w[16:24])...)
		return to.append(append(b, "->"...)), true
	case sub == nxOutputReg && len(w) == 24:
		from, ok := decodeBits(be.Uint16(w[10:]), be.Uint32(w[12:]))
		return from.append(append(b, "output:"...)), ok
	case sub == nxResubmitTable && len(w) == 16:
		b = append(b, "resubmit("...)
		if p := be.Uint16(w[10:]); p != 0xfff8 {
			b = strconv.AppendUint(b, uint64(p), 10)
		}
		b = append(append(b, ','), tableName(TableID(w[12]), names)...)
		return append(b, ')'), true
	case sub == nxConjunction && len(w) == 16:
		return fmt.Appendf(b, "conjunction(%d,%d/%d)", be.Uint32(w[12:]), int(w[10])+1, w[11]), true
	case sub == nxMultipath && len(w) == 32:
		to, ok := decodeBits(be.Uint16(w[26:]), be.Uint32(w[28:]))
		hash, algo := int(be.Uint16(w[10:])), int(be.Uint16(w[16:]))
		if !ok || hash >= len(hashNames) || algo >= len(multipathNames) {
			return b, false
		}
		b = fmt.Appendf(b, "multipath(%s,%d,%s,%d,%d,", hashNames[hash], be.Uint16(w[12:]), multipathNames[algo],
			int(be.Uint16(w[18:]))+1, be.Uint32(w[20:]))
		return append(to.append(b), ')'), true
	case sub == nxLearn2:
		return appendLearn(b, w, names)
	case sub == nxCTClear:
		return append(b, "ct_clear"...), true
	case sub == nxCT && len(w) >= 24:
		return appendCT(b, w, names), true
	case sub == nxNAT && len(w) >= 16:
		return appendNAT(b, w)
	}
	return b, false
}

var (
	hashNames = [...]string{"eth_src", "symmetric_l4", "symmetric_l3l4", "symmetric_l3l4+udp", "nw_src", "nw_dst",
		"symmetric_l3"}
	multipathNames = [...]string{"modulo_n", "hash_threshold", "hrw", "iter_hash"}
)

func decodeBits(ofsNBits uint16, header uint32) (Bits, bool) {
	f := fieldOf(header)
	return Bits{f, int(ofsNBits >> 6), int(ofsNBits&63) + 1}, f != NoField
}

func (r Bits) append(b []byte) []byte {
	i := &fields[r.Field]
	b = append(append(b, i.nx...), '[')
	bits := int(i.bits)
	if i.alt != 0 { // the older form can be narrower, as that of in_port
		bits = min(bits, int(i.alt&0xff)*8)
	}
	switch {
	case r.First == 0 && r.N >= bits:
	case r.N == 1:
		b = strconv.AppendInt(b, int64(r.First), 10)
	default:
		b = fmt.Appendf(b, "%d..%d", r.First, r.First+r.N-1)
	}
	return append(b, ']')
}

func appendCT(b, w []byte, names Tables) []byte {
	b = append(b, "ct("...)
	start := len(b)
	item := func(format string, args ...any) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, format, args...)
	}
	flags := be.Uint16(w[10:])
	if flags&1 != 0 {
		item("commit")
	}
	if flags&ctFlagForce != 0 {
		item("force")
	}
	if t := w[18]; t != ctNoRecirc {
		item("table=%s", tableName(TableID(t), names))
	}
	if src := be.Uint32(w[12:]); src != 0 {
		from, ok := decodeBits(be.Uint16(w[16:]), src)
		if ok {
			item("zone=%s", from.append(nil))
		} else {
			item("zone=raw:%08x%04x", src, be.Uint16(w[16:]))
		}
	} else if z := be.Uint16(w[16:]); z != 0 {
		item("zone=%d", z)
	}
	if alg := be.Uint16(w[22:]); alg != 0 {
		item("alg=%d", alg)
	}
	rest := w[24:]
	for len(rest) >= 16 && be.Uint16(rest) == actExperimenter && be.Uint16(rest[8:]) == nxNAT {
		n := int(be.Uint16(rest[2:]))
		if n < 16 || n > len(rest) {
			break
		}
		nat, ok := appendNAT(nil, rest[:n])
		if !ok {
			break
		}
		item("%s", nat)
		rest = rest[n:]
	}
	if len(rest) >= 8 {
		item("exec(%s)", appendActions(nil, rest, names))
	}
	return append(b, ')')
}

func appendNAT(b, w []byte) ([]byte, bool) {
	flags, present, rest := be.Uint16(w[12:]), be.Uint16(w[14:]), w[16:]
	start := len(b)
	take := func(n int) []byte {
		if len(rest) < n {
			n = len(rest)
		}
		x := rest[:n]
		rest = rest[n:]
		return x
	}
	addr := func(bit4, bit6 uint16) (a netip.Addr) {
		switch {
		case present&bit4 != 0:
			a, _ = netip.AddrFromSlice(take(4))
		case present&bit6 != 0:
			a, _ = netip.AddrFromSlice(take(16))
		}
		return a
	}
	port := func(bit uint16) uint16 {
		if present&bit == 0 {
			return 0
		}
		if x := take(2); len(x) == 2 {
			return be.Uint16(x)
		}
		return 0
	}
	if flags == 0 && present == 0 {
		return append(b, "nat"...), true
	}
	first, last := addr(natHas4Min, natHas6Min), addr(natHas4Max, natHas6Max)
	low, top := port(natHasPMin), port(natHasPMax)
	b = append(b, "nat("...)
	switch {
	case flags&natSrc != 0:
		b = append(b, "src"...)
	case flags&natDst != 0:
		b = append(b, "dst"...)
	default:
		return b[:start], false
	}
	if first.IsValid() {
		b = append(b, '=')
		six := first.Is6() && low != 0
		if six {
			b = append(b, '[')
		}
		b = first.AppendTo(b)
		if last.IsValid() {
			b = last.AppendTo(append(b, '-'))
		}
		if six {
			b = append(b, ']')
		}
		if low != 0 {
			b = fmt.Appendf(b, ":%d", low)
			if top != 0 {
				b = fmt.Appendf(b, "-%d", top)
			}
		}
	}
	for _, f := range [...]struct {
		bit  uint16
		word string
	}{{natPersistent, ",persistent"}, {natHash, ",hash"}, {natRandom, ",random"}} {
		if flags&f.bit != 0 {
			b = append(b, f.word...)
		}
	}
	return append(b, ')'), true
}

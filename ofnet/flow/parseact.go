// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// ParseActions reads an action list in the text form of ovs-ofctl, instructions included.
func ParseActions(text string, names Tables) (Actions, error) {
	text = strings.TrimSpace(text)
	if text == "drop" || text == "" {
		return Actions{}, nil
	}
	steps, err := parseSteps(splitTop(text), names)
	if err != nil {
		return Actions{}, err
	}
	a := Do(steps...)
	if len(a.wire) > 0xff00 {
		return Actions{}, fmt.Errorf("action list of %d bytes is too long for a message", len(a.wire))
	}
	return a, nil
}

func parseSteps(items []string, names Tables) ([]Action, error) {
	steps := make([]Action, 0, len(items))
	for _, item := range items {
		a, err := parseStep(item, names)
		if err != nil {
			return nil, err
		}
		steps = append(steps, a)
	}
	return steps, nil
}

func parseStep(s string, names Tables) (a Action, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("action %q: %w", short(s), err)
		}
	}()
	name, arg := s, ""
	if n := strings.IndexAny(s, ":("); n >= 0 {
		name, arg = s[:n], s[n+1:]
		if s[n] == '(' {
			if !strings.HasSuffix(arg, ")") {
				return a, fmt.Errorf("a parenthesis is open")
			}
			arg = arg[:len(arg)-1]
		}
	}
	switch name {
	case "CONTROLLER":
		n, err := strconv.ParseUint(cmp.Or(arg, "65535"), 10, 16)
		return Trace(uint16(n)), err
	case "pop_vlan", "strip_vlan":
		return PopVLAN(), nil
	case "dec_ttl":
		return DecTTL(), nil
	case "ct_clear":
		return ClearCT(), nil
	case "output", "push_vlan", "group", "mod_nw_ttl", "meter":
		return parseNumbered(name, arg)
	case "goto_table":
		t, err := parseTable(arg, names)
		return GotoTable(t), err
	case "resubmit":
		port, table, ok := strings.Cut(arg, ",")
		if !ok || port != "" {
			return a, fmt.Errorf("only resubmit(,table) is known")
		}
		t, err := parseTable(table, names)
		return Resubmit(t), err
	case "load":
		return parseLoad(arg)
	case "move":
		return parseMove(arg)
	case "set_field":
		return parseSetField(arg)
	case "conjunction":
		return parseConjunction(arg)
	case "multipath":
		return parseMultipath(arg)
	case "learn":
		return parseLearn(arg, names)
	case "ct":
		return parseCT(arg, names)
	case "raw", "raw_instruction":
		return parseRaw(arg, name == "raw_instruction")
	}
	for p, word := range portNames {
		if word == s && p != PortAny {
			return Output(p), nil
		}
	}
	return a, fmt.Errorf("unknown")
}

// parseNumbered reads the argument of an action that takes a number; that of an output may be a field.
func parseNumbered(name, arg string) (Action, error) {
	if name == "output" && strings.Contains(arg, "[") {
		r, err := parseBits(arg)
		return OutputField(r), err
	}
	bits := 32
	switch name {
	case "push_vlan":
		bits = 16
	case "mod_nw_ttl":
		bits = 8
	}
	n, err := strconv.ParseUint(arg, 0, bits)
	if err != nil {
		return Action{}, fmt.Errorf("%q is no number of %d bits", arg, bits)
	}
	switch name {
	case "push_vlan":
		if n != 0x8100 {
			return Action{}, fmt.Errorf("only tag type 0x8100 is known")
		}
		return PushVLAN(), nil
	case "group":
		return ToGroup(uint32(n)), nil
	case "mod_nw_ttl":
		return SetTTL(uint8(n)), nil
	case "meter":
		return ToMeter(uint32(n)), nil
	}
	return Output(uint32(n)), nil
}

func parseConjunction(arg string) (Action, error) {
	var id uint32
	var k, n uint8
	if c, err := fmt.Sscanf(arg, "%d,%d/%d", &id, &k, &n); err != nil || c != 3 || k == 0 {
		return Action{}, fmt.Errorf("want conjunction(id,k/n)")
	}
	return Conjunction(id, int(k), int(n)), nil
}

// parseRaw reads an action, or an instruction, as it is on the wire.
func parseRaw(arg string, instruction bool) (Action, error) {
	w, err := hex.DecodeString(arg)
	if err != nil {
		return Action{}, fmt.Errorf("not hexadecimal")
	}
	if n, err := part("action", w); err != nil || n != len(w) {
		return Action{}, fmt.Errorf("not one whole action")
	}
	if instruction {
		return newAction(insWrite, w), nil
	}
	return newAction(insApply, w), nil
}

func parseBits(s string) (Bits, error) {
	name, rest, ok := strings.Cut(s, "[")
	f := fieldByName(name)
	if !ok || f == NoField || !strings.HasSuffix(rest, "]") {
		return Bits{}, fmt.Errorf("%q names no field bits", s)
	}
	i := &fields[f]
	width := int(i.bits)
	if i.alt != 0 {
		width = min(width, int(i.alt&0xff)*8)
	}
	rest = rest[:len(rest)-1]
	if rest == "" {
		return Bits{f, 0, width}, nil
	}
	first, last, isRange := strings.Cut(rest, "..")
	a, err := strconv.ParseUint(first, 10, 8)
	b := a
	if err == nil && isRange {
		b, err = strconv.ParseUint(last, 10, 8)
	}
	if err != nil || b < a || int(b) >= width {
		return Bits{}, fmt.Errorf("%q is no range of bits of %v", s, f)
	}
	return Bits{f, int(a), int(b-a) + 1}, nil
}

func parseLoad(arg string) (Action, error) {
	value, to, ok := strings.Cut(arg, "->")
	r, err := parseBits(to)
	if !ok || err != nil {
		return Action{}, fmt.Errorf("want value->field[bits]")
	}
	v, err := strconv.ParseUint(value, 0, 64)
	if err != nil || r.N < 64 && v >= 1<<r.N {
		return Action{}, fmt.Errorf("%q does not fit in %d bits", value, r.N)
	}
	if r.N > 64 {
		return Action{}, fmt.Errorf("a load has at most 64 bits")
	}
	return Load(r, v), nil
}

func parseMove(arg string) (Action, error) {
	from, to, ok := strings.Cut(arg, "->")
	a, err := parseBits(from)
	if err != nil {
		return Action{}, err
	}
	b, err := parseBits(to)
	if !ok || err != nil {
		return Action{}, fmt.Errorf("want field[bits]->field[bits]")
	}
	if a.N != b.N {
		return Action{}, fmt.Errorf("moves %d bits to %d", a.N, b.N)
	}
	return Move(a, b), nil
}

func parseSetField(arg string) (Action, error) {
	value, name, ok := strings.Cut(arg, "->")
	f := fieldByName(name)
	if !ok || f == NoField {
		return Action{}, fmt.Errorf("want value->field")
	}
	t := Term{field: f}
	if err := parseValue(t.value[:], f, value, false); err != nil {
		return Action{}, err
	}
	return encodeSetField(&t), nil
}

func parseMultipath(arg string) (Action, error) {
	p := strings.Split(arg, ",")
	if len(p) != 6 {
		return Action{}, fmt.Errorf("want six arguments")
	}
	hash := -1
	for n, name := range hashNames {
		if name == p[0] {
			hash = n
		}
	}
	basis, err1 := strconv.ParseUint(p[1], 10, 16)
	links, err2 := strconv.ParseUint(p[3], 10, 16)
	to, err3 := parseBits(p[5])
	if hash < 0 || p[2] != "hrw" || p[4] != "0" || err1 != nil || err2 != nil || err3 != nil || links == 0 {
		return Action{}, fmt.Errorf("want multipath(hash,basis,hrw,n,0,field[bits])")
	}
	return Multipath(HashFields(hash), uint16(basis), int(links), to), nil
}

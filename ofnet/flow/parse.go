// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Parse reads a flow in the text form of ovs-ofctl: what String prints, and the lines of "ovs-ofctl dump-flows",
// whose statistics it skips. Tables may be given by number or by a name of names.
func Parse(line string, names Tables) (Flow, error) {
	var f Flow
	f.Priority = 32768 // ovs-ofctl(8): the default, which a dump leaves out
	head, acts, ok := strings.Cut(strings.TrimSpace(line), "actions=")
	if !ok {
		return f, fmt.Errorf("flow %q has no actions=", short(line))
	}
	var match []string
	for _, item := range splitTop(strings.ReplaceAll(head, " ", ",")) {
		key, value, _ := strings.Cut(item, "=")
		var err error
		switch key {
		case "", "duration", "n_packets", "n_bytes", "idle_age", "hard_age", "reset_counts":
		case "cookie":
			var v uint64
			v, err = strconv.ParseUint(value, 0, 64)
			f.Cookie = Cookie(v)
		case "table":
			f.Table, err = parseTable(value, names)
		case "priority":
			var v uint64
			v, err = strconv.ParseUint(value, 10, 16)
			f.Priority = uint16(v)
		default:
			match = append(match, item)
		}
		if err != nil {
			return f, fmt.Errorf("flow %q: %w", short(line), err)
		}
	}
	var err error
	if f.Match, err = parseMatch(match); err != nil {
		return f, fmt.Errorf("flow %q: %w", short(line), err)
	}
	if f.Actions, err = ParseActions(acts, names); err != nil {
		return f, fmt.Errorf("flow %q: %w", short(line), err)
	}
	return f, nil
}

// ParseSet reads lines of flows, groups and meters, as Set.Text prints them. It skips empty lines and comments.
func ParseSet(text string, names Tables) (Set, error) {
	var s Set
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "group_id="):
			g, err := ParseGroup(line, names)
			if err != nil {
				return s, err
			}
			s.AddGroup(g)
		case strings.HasPrefix(line, "meter="):
			m, err := ParseMeter(line)
			if err != nil {
				return s, err
			}
			s.AddMeter(m)
		default:
			f, err := Parse(line, names)
			if err != nil {
				return s, err
			}
			s.Add(f)
		}
	}
	return s, nil
}

// ParseMatch reads a match in the text form of ovs-ofctl.
func ParseMatch(text string) (Match, error) { return parseMatch(splitTop(text)) }

func short(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 160 {
		return s[:160] + "..."
	}
	return s
}

func parseTable(s string, names Tables) (TableID, error) {
	if id, ok := names.ID(s); ok {
		return id, nil
	}
	v, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		return 0, fmt.Errorf("table %q has no such name or number", s)
	}
	return TableID(v), nil
}

// splitTop splits at the commas outside parentheses and brackets.
func splitTop(s string) (out []string) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" || len(out) > 0 {
		out = append(out, last)
	}
	return out
}

func parseMatch(items []string) (Match, error) {
	var b builder
	six, proto := false, uint8(0)
	for _, item := range items {
		for i := range protocols {
			if p := &protocols[i]; p.word == item {
				six, proto = p.ether == etherIPv6, p.proto
				e := Eq(EthType, uint64(p.ether))
				if err := b.add(&e); err != nil {
					return Match{}, err
				}
				if p.proto != 0 {
					t := Eq(IPProto, uint64(p.proto))
					if err := b.add(&t); err != nil {
						return Match{}, err
					}
				}
			}
		}
	}
	for _, item := range items {
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			if item == "" || isProtocol(item) {
				continue
			}
			return Match{}, fmt.Errorf("match has %q, which is no protocol and has no value", item)
		}
		if key == "raw" {
			tlv, err := hex.DecodeString(value)
			if err != nil || len(tlv) < 4 || len(tlv) != 4+int(tlv[3]) {
				return Match{}, fmt.Errorf("match has %q, which is no OXM field", item)
			}
			m, err := DecodeMatch(append(tlv, b.match().oxm...))
			if err != nil {
				return Match{}, err
			}
			b = m.builder()
			continue
		}
		t, err := parseTerm(key, value, six, proto)
		if err != nil {
			return Match{}, err
		}
		if err := b.add(&t); err != nil {
			return Match{}, err
		}
	}
	return b.match(), nil
}

// builder takes the match apart again.
func (m Match) builder() (b builder) {
	for t := range m.terms {
		_ = b.add(&t) // the terms of one match never contradict
	}
	for tlv := range m.raw {
		b.extra = append(b.extra, tlv)
	}
	return b
}

func isProtocol(word string) bool {
	for i := range protocols {
		if protocols[i].word == word {
			return true
		}
	}
	return false
}

func parseTerm(key, value string, six bool, proto uint8) (Term, error) {
	if key == "vlan_tci" {
		key = "vlan_vid"
	} else if key == "dl_vlan" {
		v, err := strconv.ParseUint(value, 0, 12)
		return Eq(VlanVID, v|0x1000), err
	}
	f := fieldByName(key)
	switch {
	case f == NoField:
		return Term{}, fmt.Errorf("match has the unknown field %q", key)
	case (f == ICMPType || f == ICMPCode) && six:
		f += ICMPv6Type - ICMPType
	case key == "tp_src" || key == "tp_dst":
		switch proto {
		case protoUDP:
			f += UDPSrc - TCPSrc
		case protoSCTP:
			f += SCTPSrc - TCPSrc
		}
	}
	t := Term{field: f}
	if names := flagNames(f); names != nil && value != "" && strings.Contains("+-", value[:1]) {
		return t, parseFlags(&t, value, names)
	}
	if i := &fields[f]; i.form == formIP4 || i.form == formIP6 {
		if p, err := netip.ParsePrefix(value); err == nil && p.Addr().Is4() == (i.size == 4) {
			return EqPrefix(f, p), nil
		}
	}
	v, m, masked := strings.Cut(value, "/")
	if err := parseValue(t.value[:], f, v, true); err != nil {
		return t, err
	}
	if !masked {
		t.exact()
		return t, nil
	}
	return t, parseValue(t.mask[:], f, m, true)
}

// flagNames are the names of a field's bits, the lowest first; nil for other fields.
func flagNames(f Field) []string {
	switch f {
	case CTState:
		return stateNames[:]
	case TCPFlags:
		return tcpFlagNames[:]
	}
	return nil
}

// tcpFlagNames are the bits of tcp_flags (ovs-fields(7), "TCP Flags Field").
var tcpFlagNames = [...]string{"fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns"}

// parseFlags reads flags that must be set, "+new", and that must not, "-rel".
func parseFlags(t *Term, s string, names []string) error {
	var set, mask uint64
	for s != "" {
		n := strings.IndexAny(s[1:], "+-") + 1
		if n == 0 {
			n = len(s)
		}
		bit, found := uint64(0), false
		for i, name := range names {
			if s[1:n] == name {
				bit, found = 1<<i, true
			}
		}
		if !found {
			var err error
			if bit, err = strconv.ParseUint(s[1:n], 0, 8*int(fields[t.field].size)); err != nil {
				return fmt.Errorf("%v has the unknown flag %q", t.field, s[:n])
			}
		}
		mask |= bit
		if s[0] == '+' {
			set |= bit
		}
		s = s[n:]
	}
	t.put(&t.value, set)
	t.put(&t.mask, mask)
	return nil
}

// parseValue reads a value of f into b, the field's bytes at the left.
func parseValue(b []byte, f Field, s string, match bool) error {
	i := &fields[f]
	size := int(i.size)
	switch i.form {
	case formMAC:
		parts := strings.Split(s, ":")
		if len(parts) != 6 {
			return fmt.Errorf("%v: %q is no Ethernet address", f, s)
		}
		for n, p := range parts {
			v, err := strconv.ParseUint(p, 16, 8)
			if err != nil {
				return fmt.Errorf("%v: %q is no Ethernet address", f, s)
			}
			b[n] = byte(v)
		}
		return nil
	case formIP4, formIP6:
		a, err := netip.ParseAddr(s)
		if err != nil || a.Zone() != "" || a.Is4() != (size == 4) {
			return fmt.Errorf("%v: %q is no address of its family", f, s)
		}
		copy(b, a.AsSlice())
		return nil
	case formPort:
		for p, name := range portNames {
			if name == s {
				s = strconv.FormatUint(uint64(p), 10)
			}
		}
	}
	if hexa, ok := strings.CutPrefix(s, "0x"); ok && len(hexa) > 16 {
		if len(hexa)%2 == 1 {
			hexa = "0" + hexa
		}
		v, err := hex.DecodeString(hexa)
		if err != nil || len(v) > size {
			return fmt.Errorf("%v: %q is no value of %d bytes", f, s, size)
		}
		copy(b[size-len(v):size], v)
		return nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil || i.bits < 64 && v >= 1<<i.bits && i.form != formDSCP {
		return fmt.Errorf("%v: %q is no number of %d bits", f, s, i.bits)
	}
	if i.form == formDSCP && match {
		v >>= 2
	}
	if i.form == formDSCP && v > 63 {
		return fmt.Errorf("%v: %q is no number of %d bits", f, s, i.bits)
	}
	for n := size - 1; n >= 0; n-- {
		b[n] = byte(v)
		v >>= 8
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"strconv"
	"strings"
)

// appendLearn prints what Learn encodes, as ovs-ofctl does; ok is false for any other learn action.
func appendLearn(b, w []byte, names Tables) (_ []byte, ok bool) {
	l, err := decodeLearn(w)
	if err != nil {
		return b, false
	}
	b = append(append(b, "learn(table="...), tableName(l.Table, names)...)
	if l.Idle != 0 {
		b = fmt.Appendf(b, ",idle_timeout=%d", l.Idle)
	}
	b = fmt.Appendf(b, ",priority=%d,delete_learned,cookie=%#x", l.Priority, uint64(l.Cookie))
	if l.Limit != 0 {
		b = fmt.Appendf(b, ",limit=%d", l.Limit)
	}
	for _, p := range l.Match {
		switch whole := p.To.First == 0 && p.To.N == p.To.Field.Bits(); {
		case p.From == p.To:
			b = p.To.append(append(b, ','))
		case p.From.N > 0:
			b = p.From.append(append(p.To.append(append(b, ',')), '='))
		case whole && p.To.Field == EthType:
			b = fmt.Appendf(b, ",eth_type=%#x", p.Value)
		case whole:
			b = fmt.Appendf(b, ",%v=%#x", p.To.Field, p.Value)
		default:
			b = fmt.Appendf(p.To.append(append(b, ',')), "=%#x", p.Value)
		}
	}
	for _, p := range l.Load {
		b = append(b, ",load:"...)
		if p.From.N > 0 {
			b = p.From.append(b)
		} else {
			b = fmt.Appendf(b, "%#x", p.Value)
		}
		b = p.To.append(append(b, "->"...))
	}
	return append(b, ')'), true
}

// decodeLearn decodes what Learn encodes. Anything else is an error.
func decodeLearn(w []byte) (l Lesson, err error) {
	other := fmt.Errorf("learn is not of the form that Learn writes")
	const head = 40
	if len(w) < head || be.Uint16(w[8:]) != nxLearn2 {
		return l, other
	}
	l = Lesson{Table: TableID(w[26]), Idle: be.Uint16(w[10:]), Priority: be.Uint16(w[14:]), Cookie: Cookie(be.Uint64(w[16:])), Limit: be.Uint32(w[32:])}
	for rest := w[head:]; len(rest) >= 2 && be.Uint16(rest) != 0; {
		kind := be.Uint16(rest)
		p, n, ok := decodeLearned(rest)
		switch {
		case !ok:
			return l, other
		case kind&learnKinds == learnLoad:
			l.Load = append(l.Load, p)
		case kind&learnKinds == learnMatch && len(l.Load) == 0:
			l.Match = append(l.Match, p)
		default:
			return l, other
		}
		rest = rest[n:]
	}
	if again := Learn(l); string(again.appendTo(nil)) != string(w) {
		return l, other
	}
	return l, nil
}

// decodeLearned decodes one part of a learned flow, and returns its length in bytes.
func decodeLearned(b []byte) (p Learned, n int, ok bool) {
	kind := be.Uint16(b)
	width := int(kind & learnBits)
	bits := func() (r Bits) {
		if len(b) >= n+6 {
			r = Bits{fieldOf(be.Uint32(b[n:])), int(be.Uint16(b[n+4:])), width}
		}
		n += 6
		return r
	}
	n = 2
	if kind&learnImmediate != 0 {
		size := 2 * ((width + 15) / 16)
		if size > 8 || len(b) < n+size {
			return p, 0, false
		}
		p.Value = uintOf(b[n : n+size])
		n += size
	} else if p.From = bits(); p.From.Field == NoField {
		return p, 0, false
	}
	p.To = bits()
	return p, n, p.To.Field != NoField && width > 0
}

// parseLearn reads what appendLearn prints.
func parseLearn(arg string, names Tables) (a Action, err error) {
	l := Lesson{Priority: 32768}
	for item := range strings.SplitSeq(arg, ",") {
		name, value, isPair := strings.Cut(item, "=")
		number := func(bits int) (n uint64) {
			if err == nil {
				n, err = strconv.ParseUint(value, 0, bits)
			}
			return n
		}
		switch {
		case name == "table":
			l.Table, err = parseTable(value, names)
		case name == "idle_timeout":
			l.Idle = uint16(number(16))
		case name == "priority":
			l.Priority = uint16(number(16))
		case name == "cookie":
			l.Cookie = Cookie(number(64))
		case name == "limit":
			l.Limit = uint32(number(32))
		case item == "delete_learned":
		case strings.HasPrefix(item, "load:"):
			from, to, _ := strings.Cut(item[len("load:"):], "->")
			var p Learned
			p, err = parseLearned(to, from)
			l.Load = append(l.Load, p)
		default:
			if !isPair {
				value = name
			}
			var p Learned
			p, err = parseLearned(name, value)
			l.Match = append(l.Match, p)
		}
		if err != nil {
			return a, fmt.Errorf("%s: %w", item, err)
		}
	}
	return Learn(l), nil
}

// parseLearned parses the destination of a part of a learned flow, a field or bits of one, and its source: bits, or a number.
func parseLearned(to, from string) (p Learned, err error) {
	if f := fieldByName(to); f != NoField {
		p.To = All(f)
	} else if p.To, err = parseBits(to); err != nil {
		return p, err
	}
	if strings.Contains(from, "[") {
		p.From, err = parseBits(from)
		if err == nil && p.From.N != p.To.N {
			err = fmt.Errorf("%d bits for %d", p.From.N, p.To.N)
		}
		return p, err
	}
	if p.To.N > 64 {
		return p, fmt.Errorf("a number has at most 64 bits")
	}
	p.Value, err = strconv.ParseUint(from, 0, 64)
	if err == nil && p.To.N < 64 && p.Value >= 1<<p.To.N {
		err = fmt.Errorf("%q does not fit in %d bits", from, p.To.N)
	}
	return p, err
}

// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Range is the addresses First..Last of one family, both included.
type Range struct{ First, Last netip.Addr }

// RangeOf is all addresses of a prefix, network and broadcast address included.
func RangeOf(p netip.Prefix) Range {
	p = p.Masked()
	last := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(last)*8; bit++ {
		last[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(last)
	return Range{p.Addr(), addr}
}

// String prints "first-last", or only the address if there is one.
func (r Range) String() string {
	if r.First == r.Last {
		return r.First.String()
	}
	return r.First.String() + "-" + r.Last.String()
}

// Text lists addresses, which are in ascending order, as ranges and single ones joined by ", ".
func Text(rising []netip.Addr) string {
	var out []string
	for i := 0; i < len(rising); {
		j := i + 1
		for j < len(rising) && rising[j] == rising[j-1].Next() {
			j++
		}
		out = append(out, Range{rising[i], rising[j-1]}.String())
		i = j
	}
	return strings.Join(out, ", ")
}

// Contains reports whether a is in the range.
func (r Range) Contains(a netip.Addr) bool {
	return a.BitLen() == r.First.BitLen() && r.First.Compare(a) <= 0 && a.Compare(r.Last) <= 0
}

// Prefixes returns the fewest prefixes that together are the range, in ascending order: at most twice the bits of an address. A range that
// is not in order has none.
func (r Range) Prefixes() (out []netip.Prefix) {
	at := r.First
	for at.IsValid() && at.BitLen() == r.Last.BitLen() && at.Compare(r.Last) <= 0 {
		// The shortest prefix that begins here and does not exceed the range.
		p := netip.PrefixFrom(at, at.BitLen())
		for p.Bits() > 0 {
			wider := netip.PrefixFrom(at, p.Bits()-1)
			if wider.Masked().Addr() != at || RangeOf(wider).Last.Compare(r.Last) > 0 {
				break
			}
			p = wider
		}
		out = append(out, p)
		at = RangeOf(p).Last.Next()
	}
	return out
}

// ParsePrefixes parses addresses in the notation of rules: an address, a subnet, or "first-last" with or without a length, where last is an
// address or its last byte. It returns the fewest prefixes that together are these addresses.
func ParsePrefixes(text string) ([]netip.Prefix, error) {
	addrs, _, hasLength := strings.Cut(text, "/")
	first, last, isRange := strings.Cut(addrs, "-")
	if !isRange {
		if hasLength {
			p, err := netip.ParsePrefix(text)
			if err == nil && p.Addr().Is4In6() {
				err = fmt.Errorf("%q is an IPv4 address in the dress of IPv6", text)
			}
			return []netip.Prefix{p.Masked()}, err
		}
		last = first
	}
	if at := strings.LastIndexByte(first, '.'); at >= 0 && !strings.Contains(last, ".") {
		last = first[:at+1] + last
	}
	lo, err := netip.ParseAddr(first)
	if err != nil {
		return nil, err
	}
	hi, err := netip.ParseAddr(last)
	if err != nil {
		return nil, err
	}
	lo, hi = lo.Unmap(), hi.Unmap()
	if lo.BitLen() != hi.BitLen() || hi.Less(lo) || lo.Zone() != "" || hi.Zone() != "" {
		return nil, fmt.Errorf("%q is not a range of addresses from the lowest to the highest", text)
	}
	return Range{First: lo, Last: hi}.Prefixes(), nil
}

// Overlap reports whether two ranges have an address in common. Ranges of different families never do.
func Overlap(a, b Range) bool { return a.Contains(b.First) || b.Contains(a.First) }

// ParseRange parses the pool of a group, "first-last" in IPv4 or one address, which is a range of one. The ends must be in order and inside
// within.
func ParseRange(text string, within netip.Prefix) (Range, error) {
	r, err := parseRange(text)
	if err != nil {
		return Range{}, err
	}
	for _, a := range []netip.Addr{r.First, r.Last} {
		if !within.Contains(a) {
			return Range{}, fmt.Errorf("range %q: %s is not in %s: %w", text, a, within.Masked(), ErrOutOfRange)
		}
	}
	return r, nil
}

func parseRange(text string) (Range, error) {
	first, last, ok := strings.Cut(text, "-")
	if !ok {
		last = first
	}
	lo, err := parseAddr4(first)
	if err != nil {
		return Range{}, fmt.Errorf("range %q: first address: %w", text, err)
	}
	hi, err := parseAddr4(last)
	if err != nil {
		return Range{}, fmt.Errorf("range %q: last address: %w", text, err)
	}
	if hi.Less(lo) {
		return Range{}, fmt.Errorf("range %q: first address is greater than the last", text)
	}
	return Range{lo, hi}, nil
}

func parseAddr4(text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(strings.TrimSpace(text))
	if err != nil || !a.Is4() {
		return netip.Addr{}, fmt.Errorf("%q is not an IPv4 address", text)
	}
	return a, nil
}

// ParseSpec parses a subnet in an operator's notation, "address/length" or "first-last/length" in IPv4 with a length of 8 to 31. The ends
// of a range must lie in one subnet of that length and be in order; without a range the Spec's First and Last are not valid, which New
// reads as the whole subnet.
func ParseSpec(text string) (Spec, error) {
	addrs, length, ok := strings.Cut(text, "/")
	if !ok {
		return Spec{}, fmt.Errorf("subnet %q: a length is missing, as in 10.1.1.0/24", text)
	}
	bits, err := strconv.ParseUint(length, 10, 8)
	if err != nil || bits < minBits || bits > maxBits {
		return Spec{}, fmt.Errorf("subnet %q: length %q is not a number from %d to %d", text, length, minBits, maxBits)
	}
	r, err := parseRange(addrs)
	if err != nil {
		return Spec{}, fmt.Errorf("subnet %q: %w", text, err)
	}
	s := Spec{Prefix: netip.PrefixFrom(r.First, int(bits)).Masked()}
	if !s.Prefix.Contains(r.Last) {
		return Spec{}, fmt.Errorf("subnet %q: %s is not in %s: %w", text, r.Last, s.Prefix, ErrOutOfRange)
	}
	if strings.Contains(addrs, "-") {
		s.First, s.Last = r.First, r.Last
	}
	return s, nil
}

// MarshalText returns "first-last", "" for the zero Range.
func (r Range) MarshalText() ([]byte, error) {
	if !r.First.IsValid() {
		return nil, nil
	}
	return []byte(r.First.String() + "-" + r.Last.String()), nil
}

// UnmarshalText parses "first-last" or one address, in IPv4; "" is the zero Range.
func (r *Range) UnmarshalText(text []byte) (err error) {
	*r = Range{}
	if len(text) > 0 {
		*r, err = parseRange(string(text))
	}
	return err
}

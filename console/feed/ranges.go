// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
)

// Ranges are IPv4 ranges in rising order.
type Ranges [][2]netip.Addr

// ParseRanges reads "a-b, c, d-e", and skips everything else.
func ParseRanges(text string) Ranges {
	var out Ranges
	for part := range strings.SplitSeq(text, ",") {
		first, last, two := strings.Cut(strings.TrimSpace(part), "-")
		if !two {
			last = first
		}
		a, errA := netip.ParseAddr(first)
		b, errB := netip.ParseAddr(last)
		if errA == nil && errB == nil && a.Is4() && b.Is4() && a.Compare(b) <= 0 {
			out = append(out, [2]netip.Addr{a, b})
		}
	}
	return out
}

// Contains reports whether a lies in one of the ranges.
func (r Ranges) Contains(a netip.Addr) bool {
	_, found := slices.BinarySearchFunc(r, a, func(x [2]netip.Addr, a netip.Addr) int {
		switch {
		case x[1].Less(a):
			return -1
		case a.Less(x[0]):
			return 1
		}
		return 0
	})
	return found
}

// CountRanges is how many addresses text lists.
func CountRanges(text string) int {
	n := 0
	for _, r := range ParseRanges(text) {
		a, b := r[0].As4(), r[1].As4()
		n += int(binary.BigEndian.Uint32(b[:])-binary.BigEndian.Uint32(a[:])) + 1
	}
	return n
}

// SubnetOf reads "10.1.1.0/24" or "10.1.1.5-10.1.1.9/24".
func SubnetOf(text string) (netip.Prefix, error) {
	address, bits, _ := strings.Cut(text, "/")
	first, _, _ := strings.Cut(address, "-")
	p, err := netip.ParsePrefix(first + "/" + bits)
	return p.Masked(), err
}

// Within is how many of the ranges' addresses lie between first and last, these included.
func (r Ranges) Within(first, last netip.Addr) int {
	n := 0
	i, _ := slices.BinarySearchFunc(r, first, func(x [2]netip.Addr, a netip.Addr) int { return x[1].Compare(a) })
	for ; i < len(r) && !last.Less(r[i][0]); i++ {
		low, high := r[i][0], r[i][1]
		if low.Less(first) {
			low = first
		}
		if last.Less(high) {
			high = last
		}
		a, b := low.As4(), high.As4()
		n += int(binary.BigEndian.Uint32(b[:])-binary.BigEndian.Uint32(a[:])) + 1
	}
	return n
}

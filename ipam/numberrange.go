// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of VLAN ids on the wire.
const (
	MinVLAN = 1    // IEEE 802.1Q: 0 marks a priority tag without a VLAN
	MaxVLAN = 4094 // IEEE 802.1Q: 4095 is reserved
)

// NumberRange is the numbers Min..Max, both included.
type NumberRange struct{ Min, Max int }

// String prints a range in the notation of ParseNumberRange; a range of one number is that number.
func (r NumberRange) String() string {
	if r.Min == r.Max {
		return strconv.Itoa(r.Min)
	}
	return fmt.Sprintf("%d-%d", r.Min, r.Max)
}

// Len returns the number of numbers.
func (r NumberRange) Len() int { return max(0, r.Max-r.Min+1) }

// Contains reports whether n is in the range.
func (r NumberRange) Contains(n int) bool { return n >= r.Min && n <= r.Max }

// clip returns the part of the range within limit.
func (r NumberRange) clip(limit NumberRange) NumberRange {
	return NumberRange{max(r.Min, limit.Min), min(r.Max, limit.Max)}
}

// ParseNumberRange parses "first-last", two decimal numbers in order. Spaces around a number are permitted.
func ParseNumberRange(text string) (NumberRange, error) {
	first, last, ok := strings.Cut(text, "-")
	if !ok {
		return NumberRange{}, fmt.Errorf("range %q: want FIRST-LAST, like 1-4094", text)
	}
	lo, err := parseNumber(first)
	if err != nil {
		return NumberRange{}, fmt.Errorf("range %q: first number: %w", text, err)
	}
	hi, err := parseNumber(last)
	if err != nil {
		return NumberRange{}, fmt.Errorf("range %q: last number: %w", text, err)
	}
	if lo > hi {
		return NumberRange{}, fmt.Errorf("range %q: first number %d is greater than last number %d", text, lo, hi)
	}
	return NumberRange{lo, hi}, nil
}

// parseNumber reads an unsigned decimal number of at most 31 bits, the room of an OpenFlow register less its sign.
func parseNumber(text string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, fmt.Errorf("is missing")
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number from 0 to 2147483647", text)
	}
	return int(n), nil
}

// SPDX-License-Identifier: Apache-2.0

// Package sortkey orders the cells of tables by their values: addresses by number, quantities with their units, other cells as text.
package sortkey

import (
	"cmp"
	"net/netip"
	"strconv"
	"strings"
)

// Key is the form in which a cell is compared.
type Key struct {
	text    string
	unknown bool
	number  bool
	value   float64
	address netip.Addr // not valid if the cell is no address
}

// Of returns the key of a cell.
func Of(text string) Key {
	k := Key{text: text, unknown: Unset(text) || text == "never"}
	if !k.unknown {
		var ok bool
		if k.address, ok = address(text); ok {
			return k
		}
		if k.value, k.number = Quantity(text); !k.number {
			k.value, k.number = leading(text)
		}
	}
	return k
}

// Compare orders quantities by value, addresses by number, all else as text; unknown values come first.
func (k Key) Compare(other Key) int {
	switch {
	case k.unknown || other.unknown:
		return -cmp.Compare(bit(k.unknown), bit(other.unknown))
	case k.number && other.number:
		return cmp.Or(cmp.Compare(k.value, other.value), cmp.Compare(k.text, other.text))
	case k.address.IsValid() && other.address.IsValid():
		return cmp.Or(k.address.Compare(other.address), cmp.Compare(k.text, other.text))
	}
	return cmp.Compare(k.text, other.text)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Quantity parses a number with an SI prefix such as 1.2k, a percentage, or an age such as 3s or 2d. "+" after it marks a minimum.
func Quantity(text string) (float64, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), " %"), "+")
	if text == "" {
		return 0, false
	}
	scale := 1.0
	if unit := strings.IndexByte("kMGTPsmhd", text[len(text)-1]); unit >= 0 {
		scale, text = [...]float64{1e3, 1e6, 1e9, 1e12, 1e15, 1, 60, 3600, 86400}[unit], text[:len(text)-1]
	}
	v, err := strconv.ParseFloat(text, 64)
	return v * scale, err == nil
}

// Unset reports whether a cell has no value, or an unknown one: "? why" too.
func Unset(text string) bool {
	return text == "" || text == "-" || text == "?" || strings.HasPrefix(text, "? ")
}

// leading returns the quantity at the start of a text, as in "3 of 256", "64 KiB", "10 mbps" and " 12 % ▓░░".
func leading(text string) (float64, bool) {
	first, rest, more := strings.Cut(strings.TrimSpace(text), " ")
	v, ok := Quantity(first)
	if !ok || !more {
		return 0, false
	}
	unit, _, _ := strings.Cut(rest, " ")
	if scale, known := units()[strings.ToLower(unit)]; known {
		v *= scale
	}
	return v, true
}

// units are the words after a number that scale it, in lower case.
func units() map[string]float64 {
	return map[string]float64{"ms": 1e-3, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
		"kbit/s": 1e3, "mbit/s": 1e6, "gbit/s": 1e9, "k/s": 1e3, "m/s": 1e6}
}

// address returns the address at the start of a text: of a subnet, a range, a list, or one with a port.
func address(text string) (netip.Addr, bool) {
	first := strings.TrimLeft(text, "[ ")
	if end := strings.IndexAny(first, " ,/-]"); end >= 0 {
		first = first[:end]
	}
	a, err := netip.ParseAddr(first)
	if err != nil {
		var p netip.AddrPort
		p, err = netip.ParseAddrPort(first)
		a = p.Addr()
	}
	return a, err == nil
}

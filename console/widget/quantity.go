// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// SI prints a number in at most five cells: 0, 0.3, 12, 1.2k, 88M.
func SI(v float64) string {
	if v < 0 {
		return "-" + SI(-v)
	}
	for _, unit := range []string{"", "k", "M", "G", "T"} {
		switch {
		case v < 9.95 && (unit != "" || v != float64(int64(v))):
			return fmt.Sprintf("%.1f%s", v, unit)
		case v < 999.5:
			return fmt.Sprintf("%.0f%s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.0fP", v)
}

// quantity parses the output of SI, a number, a percentage, or an age such as 3s or 2d. With "+" after it is a minimum.
func quantity(text string) (float64, bool) {
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

// unset reports whether a cell has no value, or an unknown one: "? why" too.
func unset(text string) bool {
	return text == "" || text == "-" || text == "?" || strings.HasPrefix(text, "? ")
}

// leading is the quantity at the start of a text, as in "3 of 256", "64 KiB", "10 mbps" and " 12 % ▓░░".
func leading(text string) (float64, bool) {
	first, rest, more := strings.Cut(strings.TrimSpace(text), " ")
	v, ok := quantity(first)
	if !ok || !more {
		return 0, false
	}
	unit, _, _ := strings.Cut(rest, " ")
	if scale, known := map[string]float64{"ms": 1e-3, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}[strings.ToLower(unit)]; known {
		v *= scale
	}
	return v, true
}

// addressIn is the address at the start of a text: of a subnet, a range, a list, or one with a port.
func addressIn(text string) (netip.Addr, bool) {
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

// sortKey is the form in which a cell is compared.
type sortKey struct {
	text    string
	unknown bool
	number  bool
	value   float64
	address netip.Addr // not valid when the cell is none
}

func newSortKey(text string) sortKey {
	k := sortKey{text: text, unknown: unset(text) || text == "never"}
	if !k.unknown {
		var ok bool
		if k.address, ok = addressIn(text); ok {
			return k
		}
		if k.value, k.number = quantity(text); !k.number {
			k.value, k.number = leading(text)
		}
	}
	return k
}

// compare orders quantities by value, addresses by number, all else as text; what is unknown comes first.
func (k sortKey) compare(other sortKey) int {
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

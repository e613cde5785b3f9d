package widget

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Humane prints a number in at most five cells: 0, 0.3, 12, 1.2k, 88M.
func Humane(v float64) string {
	if v < 0 {
		return "-" + Humane(-v)
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

// quantity reads what Humane prints, a number, a percentage, or an age such as 3s or 2d. With "+" behind it is the least that it may be.
func quantity(text string) (float64, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), " %"), "+")
	if text == "" {
		return 0, false
	}
	scale := 1.0
	switch text[len(text)-1] {
	case 'k':
		scale = 1e3
	case 'M':
		scale = 1e6
	case 'G':
		scale = 1e9
	case 'T':
		scale = 1e12
	case 'P':
		scale = 1e15
	case 's':
	case 'm':
		scale = 60
	case 'h':
		scale = 3600
	case 'd':
		scale = 86400
	default:
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil
	}
	v, err := strconv.ParseFloat(text[:len(text)-1], 64)
	return v * scale, err == nil
}

// unknown tells whether a cell says that there is no value, "? why" included.
func unknown(text string) bool { return unheard(text) || text == "never" }

// unheard tells whether a cell says that its value is not known, or not yet.
func unheard(text string) bool {
	return text == "" || text == "-" || text == "?" || strings.HasPrefix(text, "? ")
}

// leading is the quantity with which a text begins, as "3 of 256", "64 KiB", "10 mbps" and " 12 % ▓░░" do.
func leading(text string) (float64, bool) {
	first, rest, more := strings.Cut(strings.TrimSpace(text), " ")
	v, ok := quantity(first)
	if !ok || !more {
		return 0, false
	}
	unit, _, _ := strings.Cut(rest, " ")
	switch strings.ToLower(unit) {
	case "ms":
		v /= 1e3
	case "kbps":
		v *= 1e3
	case "mbps":
		v *= 1e6
	case "gbps":
		v *= 1e9
	case "kib":
		v *= 1 << 10
	case "mib":
		v *= 1 << 20
	case "gib":
		v *= 1 << 30
	}
	return v, true
}

// addressIn is the first address of a text that begins with one: of a subnet, a range, a list, or one with a port.
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

// sortKey is a cell as it is compared.
type sortKey struct {
	text    string
	unknown bool
	number  bool
	value   float64
	address netip.Addr // not valid when the cell is none
}

func newSortKey(text string) sortKey {
	k := sortKey{text: text, unknown: unknown(text)}
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

// SPDX-License-Identifier: Apache-2.0

package frame

import (
	"net/netip"
	"slices"
	"testing"
)

// ip4 is a frame with a header of IPv4 and what follows.
func ip4(protocol byte, offset uint16, options int, rest ...byte) []byte {
	b := append(make([]byte, 12), 8, 0, byte(0x45+options), 0, 0, 40, 0, 0, byte(offset>>8), byte(offset), 64, protocol, 0, 0, 10, 1, 1, 1, 10, 1, 1, 2)
	return append(append(b, make([]byte, 4*options)...), rest...)
}

// ip6 is a frame with a header of IPv6 and what follows.
func ip6(next byte, rest ...byte) []byte {
	b := append(make([]byte, 12), 0x86, 0xdd, 0x60, 0, 0, 0, 0, 20, next, 64)
	src, dst := netip.MustParseAddr("fd01::1").As16(), netip.MustParseAddr("fd01::2").As16()
	return slices.Concat(b, src[:], dst[:], rest)
}

func TestParseHeaders(t *testing.T) {
	a4, b4, a6, b6 := netip.MustParseAddr("10.1.1.1"), netip.MustParseAddr("10.1.1.2"), netip.MustParseAddr("fd01::1"), netip.MustParseAddr("fd01::2")
	for _, r := range []struct {
		name string
		in   []byte
		want Headers
		err  error
	}{
		{"tcp", ip4(6, 0, 0, 0x9c, 0x40, 0, 80), Headers{Src: a4, Dst: b4, Protocol: 6, SrcPort: 40000, DstPort: 80}, nil},
		{"udp with options", ip4(17, 0, 2, 0, 7, 0, 53), Headers{Src: a4, Dst: b4, Protocol: 17, SrcPort: 7, DstPort: 53}, nil},
		{"echo", ip4(1, 0, 0, 8, 0), Headers{Src: a4, Dst: b4, Protocol: 1, ICMPType: 8}, nil},
		{"a later fragment", ip4(17, 185, 0, 0, 7, 0, 53), Headers{Src: a4, Dst: b4, Protocol: 17, Later: true}, nil},
		{"a cut", ip4(6, 0, 0, 0x9c), Headers{Src: a4, Dst: b4, Protocol: 6}, nil},
		{"sctp of IPv6", ip6(132, 0, 7, 0, 9), Headers{Src: a6, Dst: b6, Protocol: 132, SrcPort: 7, DstPort: 9}, nil},
		{"behind options", ip6(60, 6, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 80, 0, 0, 0, 0), Headers{Src: a6, Dst: b6, Protocol: 6, SrcPort: 7, DstPort: 80}, nil},
		{"a fragment of IPv6", ip6(44, 17, 0, 0, 8, 0, 0, 0, 1, 0, 7, 0, 80), Headers{Src: a6, Dst: b6, Protocol: 17, Later: true}, nil},
		{"arp", append(make([]byte, 12), 8, 6, 0, 1), Headers{}, ErrNotIP},
		{"a short header", ip4(6, 0, 0)[:20], Headers{}, ErrNotIP},
		{"nothing", nil, Headers{}, ErrNotIP},
	} {
		if got, err := ParseHeaders(r.in); got != r.want || err != r.err {
			t.Errorf("%s: want %+v, %v, got %+v, %v", r.name, r.want, r.err, got, err)
		}
	}
}

func FuzzParseHeaders(f *testing.F) {
	f.Add(ip4(6, 0, 0, 0x9c, 0x40, 0, 80))
	f.Add(ip6(60, 6, 255, 0, 0, 0, 0, 0, 0, 0, 7, 0, 80))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ParseHeaders(b)
		if (err == nil) != h.Src.IsValid() || h.Src.Is4() != h.Dst.Is4() || h.Later && h.DstPort != 0 {
			t.Errorf("%x: %+v, %v", b, h, err)
		}
	})
}

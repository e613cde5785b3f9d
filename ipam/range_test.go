// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"net/netip"
	"slices"
	"testing"
)

// IPAM-15: which ranges fit a subnet.
func TestParseSpec(t *testing.T) {
	tests := []struct {
		name, in, prefix, span string
	}{
		{"range", "11.2.1.10-11.2.1.100/24", "11.2.1.0/24", "11.2.1.10-11.2.1.100"},
		{"plain", "10.123.16.0/26", "10.123.16.0/26", "10.123.16.0-10.123.16.63"},
		{"unmasked", "10.123.16.66/26", "10.123.16.64/26", "10.123.16.64-10.123.16.127"},
		{"range in a /22", "10.123.16.10-10.123.16.100/22", "10.123.16.0/22", "10.123.16.10-10.123.16.100"},
		{"range over a boundary", "10.123.16.10-10.123.16.100/26", "", ""},
		{"range over the other boundary", "10.123.16.60-10.123.16.100/26", "", ""},
		{"backwards", "10.1.1.9-10.1.1.8/24", "", ""},
		{"/1", "10.1.1.0/1", "", ""},
		{"/33", "10.1.1.0/33", "", ""},
		{"/32", "10.1.1.0/32", "", ""},
		{"no length", "10.1.1.0", "", ""},
		{"empty", "", "", ""},
		{"IPv6", "2001::/64", "", ""},
		{"three ends", "10.1.1.1-10.1.1.2-10.1.1.3/24", "", ""},
		{"zone", "10.1.1.1%eth0/24", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := ParseSpec(tt.in)
			if tt.prefix == "" {
				if err == nil {
					t.Errorf("want an error, got %v", s)
				}
				return
			}
			if err != nil || s.Prefix.String() != tt.prefix || s.Range().String() != tt.span {
				t.Errorf("want %s %s, got %s %s (%v)", tt.prefix, tt.span, s.Prefix, s.Range(), err)
			}
		})
	}
}

// OVL-13: when two ranges overlap.
func TestOverlap(t *testing.T) {
	pfx := func(s string) Range { return RangeOf(netip.MustParsePrefix(s)) }
	span := func(a, b string) Range { return Range{ip(a), ip(b)} }
	tests := []struct {
		name string
		a, b Range
		want bool
	}{
		{"inside /24", pfx("10.36.0.1/32"), pfx("10.36.0.0/24"), true},
		{"inside /16", pfx("20.20.0.20/32"), pfx("20.20.0.0/16"), true},
		{"beside", pfx("20.20.5.20/32"), pfx("20.20.0.0/24"), false},
		{"touching ends", span("20.1.1.10", "20.1.1.45"), span("20.1.1.45", "20.1.1.100"), true},
		{"neighbours", span("20.1.1.10", "20.1.1.44"), span("20.1.1.45", "20.1.1.100"), false},
		{"IPv6 apart", pfx("::/64"), pfx("1::/64"), false},
		{"IPv6 same", pfx("2001:3332:3244:2422::/64"), pfx("2001:3332:3244:2422::/64"), true},
		{"IPv6 short in long", pfx("ffff:ffff:ffff::/48"), pfx("ffff:ffff:ffff:1::/64"), true},
		{"families", pfx("0.0.0.0/0"), pfx("::/0"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Overlap(tt.a, tt.b); got != tt.want {
				t.Errorf("want %v, got %v", tt.want, got)
			}
			if got := Overlap(tt.b, tt.a); got != tt.want {
				t.Errorf("turned round: want %v, got %v", tt.want, got)
			}
		})
	}
}

func TestParseRange(t *testing.T) {
	within := netip.MustParsePrefix("10.1.1.0/24")
	for in, want := range map[string]string{
		"10.1.1.5-10.1.1.10": "10.1.1.5-10.1.1.10", "10.1.1.5-10.1.1.5": "10.1.1.5", "10.1.1.5": "10.1.1.5",
		" 10.1.1.5 - 10.1.1.6 ": "10.1.1.5-10.1.1.6",
		"10.1.1.9-10.1.1.8":     "", "10.1.1.9-10.1.2.1": "", "10.1.1.9-": "", "-": "", "": "", "x-y": "", "::1-::2": "",
	} {
		r, err := ParseRange(in, within)
		if want == "" {
			if err == nil {
				t.Errorf("%q: want an error, got %s", in, r)
			}
			continue
		}
		if err != nil || r.String() != want {
			t.Errorf("%q: want %s, got %s (%v)", in, want, r, err)
		}
	}
}

func TestText(t *testing.T) {
	for want, in := range map[string][]netip.Addr{
		"":                              nil,
		"10.1.1.1":                      {ip("10.1.1.1")},
		"10.1.1.1-10.1.1.2, 10.1.1.4":   {ip("10.1.1.1"), ip("10.1.1.2"), ip("10.1.1.4")},
		"10.1.1.1, 10.1.1.255-10.1.2.1": {ip("10.1.1.1"), ip("10.1.1.255"), ip("10.1.2.0"), ip("10.1.2.1")},
	} {
		if got := Text(in); got != want {
			t.Errorf("%v: want %q, got %q", in, want, got)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, s := range []string{"10.1.1.0/24", "11.2.1.10-11.2.1.100/24", "10.1.1.0/31", "255.255.255.255/8", "/", "-/8", "0.0.0.0/8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := ParseSpec(in)
		if err != nil {
			return
		}
		p, err := New(s)
		if err != nil {
			t.Fatalf("%q parses as %v but has no pool: %v", in, s, err)
		}
		if a, err := p.Rest(nil).First(); err == nil && !s.Range().Contains(a) {
			t.Errorf("%q: %s is outside the range", in, a)
		}
	})
}

func TestRangePrefixes(t *testing.T) {
	for _, row := range []struct {
		first, last string
		want        []string
	}{
		{"10.0.0.1", "10.0.0.1", []string{"10.0.0.1/32"}},
		{"10.0.0.0", "10.0.0.255", []string{"10.0.0.0/24"}},
		{"10.0.0.10", "10.0.0.17", []string{"10.0.0.10/31", "10.0.0.12/30", "10.0.0.16/31"}},
		{"10.0.0.255", "10.0.1.0", []string{"10.0.0.255/32", "10.0.1.0/32"}},
		{"0.0.0.0", "255.255.255.255", []string{"0.0.0.0/0"}},
		{"255.255.255.254", "255.255.255.255", []string{"255.255.255.254/31"}},
		{"fd00::", "fd00::2", []string{"fd00::/127", "fd00::2/128"}},
		{"10.0.0.2", "10.0.0.1", nil},
		{"10.0.0.2", "fd00::1", nil},
	} {
		var got []string
		for _, p := range (Range{netip.MustParseAddr(row.first), netip.MustParseAddr(row.last)}).Prefixes() {
			got = append(got, p.String())
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s-%s: want %v, got %v", row.first, row.last, row.want, got)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"errors"
	"net/netip"
	"testing"
)

// host6 is an address of a subnet by its last bits, such as "::5".
func host6(subnet netip.Prefix, bits string) netip.Addr {
	a, tail := subnet.Masked().Addr().As16(), ip(bits).As16()
	for i := range a {
		a[i] |= tail[i]
	}
	return netip.AddrFrom16(a)
}

// IP6-01: the next host number.
func TestPool6Next(t *testing.T) {
	const wide = "2016:430::/100"
	tests := []struct {
		name, subnet, gateway, last string
		taken                       []string
		want                        string
	}{
		{"first", wide, "", "::", nil, "::1"},
		{"first taken", wide, "", "::", []string{"::1"}, "::2"},
		{"gateway skipped", wide, "2016:430::1", "::", nil, "::2"},
		{"carry", "2016:430::/64", "", "::4:ffff:ffff", nil, "::5:0:0"},
		{"carry onto one in use", "2016:430::/64", "", "::4:ffff:ffff", []string{"::5:0:0"}, "::5:0:1"},
		{"last of 16 bits", wide, "", "::fffe", nil, "::ffff"},
		{"wraps", "2016:430::/124", "", "::f", []string{"::1", "::2"}, "::3"},
		{"full", "2016:430::/126", "2016:430::1", "::", []string{"::2", "::3"}, ""},
		{"one address", "2016:430::/127", "2016:430::1", "::", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			subnet := netip.MustParsePrefix(tt.subnet)
			s := Spec6{Prefix: subnet}
			if tt.gateway != "" {
				s.Gateway = ip(tt.gateway)
			}
			p, err := New6(s)
			if err != nil {
				t.Fatal(err)
			}
			taken := map[netip.Addr]string{}
			for _, id := range tt.taken {
				taken[host6(subnet, id)] = "owner"
			}
			got, err := p.Next(host6(subnet, tt.last), func(a netip.Addr) bool { return taken[a] != "" })
			if tt.want == "" {
				if !errors.Is(err, ErrExhausted) {
					t.Errorf("want %v, got %s (%v)", ErrExhausted, got, err)
				}
				return
			}
			if err != nil || got != host6(subnet, tt.want) {
				t.Errorf("want %s, got %s (%v)", tt.want, got, err)
			}
		})
	}
}

func TestNew6Refuses(t *testing.T) {
	for _, in := range []string{"2001::/15", "2001::/128", "10.1.1.0/24", "::ffff:10.1.1.0/120"} {
		if p, err := New6(Spec6{Prefix: netip.MustParsePrefix(in)}); err == nil {
			t.Errorf("%s: want an error, got %s", in, p)
		}
	}
	s := Spec6{Prefix: netip.MustParsePrefix("2001::/64"), Gateway: ip("2002::1")}
	if _, err := New6(s); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("gateway outside: want %v, got %v", ErrOutOfRange, err)
	}
}

package ipam

import (
	"errors"
	"net/netip"
	"testing"
)

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
				a, err := Host6(subnet, ip(id))
				if err != nil {
					t.Fatal(err)
				}
				taken[a] = "owner"
			}
			last, err := Host6(subnet, ip(tt.last))
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Next(last, func(a netip.Addr) bool { return taken[a] != "" })
			if tt.want == "" {
				if !errors.Is(err, ErrExhausted) {
					t.Errorf("want %v, got %s (%v)", ErrExhausted, got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			id, err := HostID6(subnet, got)
			if err != nil || id != ip(tt.want) {
				t.Errorf("want %s, got %s (%v)", tt.want, id, err)
			}
		})
	}
}

func TestHost6(t *testing.T) {
	for _, tt := range []struct{ subnet, id, want string }{
		{"2016:430::/64", "::254", "2016:430::254"},
		{"babe:face::80/121", "::45", "babe:face::c5"},
		{"babe:face::80/121", "::c5", ""},
		{"10.1.1.0/24", "::1", ""},
		{"2016::/64", "1.2.3.4", ""},
	} {
		got, err := Host6(netip.MustParsePrefix(tt.subnet), ip(tt.id))
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s in %s: want an error, got %s", tt.id, tt.subnet, got)
			}
			continue
		}
		if err != nil || got != ip(tt.want) {
			t.Errorf("%s in %s: want %s, got %s (%v)", tt.id, tt.subnet, tt.want, got, err)
		}
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

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	tests := []struct {
		format         string
		takes, refuses []string
	}{
		{"name", []string{"a", "web-1", "io.contiv.x", "A9", "0"}, []string{"", "-a", "a-", "a_b", "a:b", "a|b", `a\b`, "a#b", "a@b", "a b", ".a", "a.", "a..b"}},
		{"optionalName", []string{"", "a", "a."}, []string{"-a", "a:b"}},
		{"tag", []string{"", "contiv-net", "io.contiv.network.test"}, []string{"tag=x", "io.contiv.network/test"}},
		{"ipv4", []string{"", "10.1.1.1", "255.255.255.255"}, []string{"10.1.1", "10.1.1.256", "01.1.1.1", "10.1.1.1/24", "::1"}},
		{"subnet", []string{"10.1.1.0/24", "10.1.1.1/8", "10.1.1.10-10.1.1.20/24", "1.1.1.1/31"},
			[]string{"", "10.1.1.0", "10.1.1.0/32", "10.1.1.0/0", "10.1.1.10-20/24", "10.1.1.10-10.1.20/24", "10.1.1.10-10.1.1.1.30/24", "10.1.1/24", "10.1.1.256/24"}},
		{"pool", []string{"", "10.1.1.1", "10.1.1.1-10.1.1.9"}, []string{"10.1.1.1-9", "10.1.1.1-10.1.1.9/24"}},
		{"ipv6", []string{"", "::1", "2001:db8::1"}, []string{"10.1.1.1", "::ffff:10.1.1.1", "fe80::1%eth0", "g::"}},
		{"subnet6", []string{"", "2016:0617::/120", "::/64", "1::/1", "1::/127"}, []string{"::/128", "::/0", "/64", "10.0.0.0/8"}},
		{"ruleIP", []string{"", "10.1.1.1", "10.1.1.1/24", "10.1.1.1-9", "10.1.1.1-9/24", "fd01::5", "FD01:0::/64", "::/1"},
			[]string{"10.1.1.1/32", "10.1.1.1-10.1.1.9", "10.1.1", "fd01::5/128", "fd01::/0", "fd01::1-9", "::ffff:10.1.1.1", "fe80::1%eth0", "fd01::/64/64", "web"}},
		{"vlanRange", []string{"1-4094", "0-9999"}, []string{"", "1", "1?2", "abcd", "1-10000", "1-2,3-4"}},
		{"vxlanRange", []string{"1-10000"}, []string{"", "x-y", "1-2-3"}},
		{"pvtSubnet", []string{"172.19.0.0/16"}, []string{"", "172.19.0.0/24", "172.19.0.0"}},
		{"bandwidth", []string{"", "10 Mbps", "5g", "20mb", "1K"}, []string{"10", "0Mbps", " 5g", "5MB", "5ms", "10 1"}},
		{"protocol", []string{"", "tcp", "udp", "icmp", "132"}, []string{"xyz", "1000", "TCP"}},
	}
	for _, test := range tests {
		f := Formats()[test.format]
		for _, s := range test.takes {
			if !f.Accepts(s) {
				t.Errorf("%s must take %q", test.format, s)
			}
		}
		for _, s := range test.refuses {
			if f.Accepts(s) {
				t.Errorf("%s must refuse %q", test.format, s)
			}
		}
	}
}

func TestKindsAreComplete(t *testing.T) {
	for _, k := range Kinds() {
		for _, f := range append(append([]Field(nil), k.Fields...), k.Oper...) {
			if f.Doc == "" {
				t.Errorf("%s.%s has no documentation", k.Name, f.Name)
			}
			if _, ok := formats[f.Format]; f.Format != "" && !ok {
				t.Errorf("%s.%s has the unknown format %q", k.Name, f.Name, f.Format)
			}
		}
		if got, ok := KindOf(strings.ToUpper(k.Plural)); !ok || got != k {
			t.Errorf("KindOf(%q): want %s", k.Plural, k.Name)
		}
	}
}

func TestEveryCodeHasARemedy(t *testing.T) {
	for _, c := range Codes() {
		if c.Doc == "" || c.Remedy == "" || c.Status < 400 || c.Exit == 0 {
			t.Errorf("code %s is not complete: %+v", c.Code, c)
		}
	}
	if got := Code("nonsense").Info().Code; got != CodeInternal {
		t.Errorf("an unknown code counts as internal, got %s", got)
	}
}

func TestProblemRoundTrip(t *testing.T) {
	e := Errorf(CodeConflict, "pktTag", "taken").Try("use %d", 7)
	back := e.Problem().Error()
	if back.Code != e.Code || back.Field != e.Field || back.Message != e.Message || back.Remedy != e.Remedy {
		t.Errorf("want %+v, got %+v", e, back)
	}
}

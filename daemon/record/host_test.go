// SPDX-License-Identifier: Apache-2.0

package record

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// Wrong names the field of an invalid host.
func TestWrongHosts(t *testing.T) {
	good := Host{Label: "h1", Machine: "m", VTEP: netip.MustParseAddr("192.0.2.1"), Port: 4789}
	for _, row := range []struct {
		name, want string
		edit       func(*Host)
	}{
		{"as it should be", "", func(*Host) {}},
		{"all of it", "", func(h *Host) {
			h.Control, h.Node4, h.Node6 = netip.MustParseAddrPort("[fd00::1]:9090"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")
		}},
		{"no label", "host", func(h *Host) { h.Label = "" }},
		{"a path for a label", "host", func(h *Host) { h.Label = "a/b" }},
		{"two lines for a label", "host", func(h *Host) { h.Label = "a\nb" }},
		{"an endless label", "host", func(h *Host) { h.Label = strings.Repeat("a", 300) }},
		{"no machine", "machine", func(h *Host) { h.Machine = "" }},
		{"no tunnel end", "vtep", func(h *Host) { h.VTEP = netip.Addr{} }},
		{"everyone's tunnel end", "vtep", func(h *Host) { h.VTEP = netip.MustParseAddr("255.255.255.255") }},
		{"a group's control address", "control", func(h *Host) { h.Control = netip.MustParseAddrPort("224.0.0.1:9090") }},
		{"no control port", "control", func(h *Host) { h.Control = netip.MustParseAddrPort("10.0.0.1:0") }},
		{"no tunnel port", "port", func(h *Host) { h.Port = 0 }},
		{"own addresses the wrong way round", "node4", func(h *Host) { h.Node4 = netip.MustParseAddr("fd00::1") }},
		{"an address in two forms", "node6", func(h *Host) { h.Node6 = netip.MustParseAddr("::ffff:10.0.0.1") }},
		{"addresses and interfaces of its own", "", func(h *Host) {
			h.Own, h.Interfaces = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24"), netip.MustParsePrefix("2001:db8::1/64")}, []string{"eth0", "br-phy"}
		}},
		{"addresses without end", "own", func(h *Host) { h.Own = slices.Repeat([]netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}, MaxOwn+1) }},
		{"no address of its own", "own", func(h *Host) { h.Own = []netip.Prefix{{}} }},
		{"an address of every host", "own", func(h *Host) { h.Own = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8")} }},
		{"an address of a link", "own", func(h *Host) { h.Own = []netip.Prefix{netip.MustParsePrefix("fe80::1/64")} }},
		{"an own address in two forms", "own", func(h *Host) { h.Own = []netip.Prefix{netip.MustParsePrefix("::ffff:10.0.0.1/120")} }},
		{"interfaces without end", "interfaces", func(h *Host) { h.Interfaces = slices.Repeat([]string{"eth0"}, MaxInterfaces+1) }},
		{"an interface of no name", "interfaces", func(h *Host) { h.Interfaces = []string{""} }},
		{"an interface of a long name", "interfaces", func(h *Host) { h.Interfaces = []string{"sixteen-letters-"} }},
		{"an interface whose name moves the cursor", "interfaces", func(h *Host) { h.Interfaces = []string{"a\x1b[2J"} }},
	} {
		h := good
		row.edit(&h)
		if field, why := h.Wrong(); field != row.want || (why == "") != (row.want == "") {
			t.Errorf("%s: want field %q, got %q: %s", row.name, row.want, field, why)
		}
	}
}

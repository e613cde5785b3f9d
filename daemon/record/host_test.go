package record

import (
	"net/netip"
	"strings"
	"testing"
)

// What cannot be a host is told with the field that says so.
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
	} {
		h := good
		row.edit(&h)
		if field, why := h.Wrong(); field != row.want || (why == "") != (row.want == "") {
			t.Errorf("%s: want field %q told, got %q: %s", row.name, row.want, field, why)
		}
	}
}

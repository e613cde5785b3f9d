// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"testing"
	"time"
)

// Columns are sorted by what their cells are: addresses, also in ranges, lists and with ports, quantities with units, durations.
func TestSortByType(t *testing.T) {
	for name, want := range map[string][]string{
		"addresses":  {"10.1.1.2", "10.1.1.10", "10.1.2.1"},
		"subnets":    {"9.0.0.0/8", "10.0.0.0/8", "10.2.1.10-10.2.1.20/24", "2001:db8::/64"},
		"lists":      {"10.1.1.2 2001:db8::9", "10.1.1.10 2001:db8::1", "10.1.1.11, 2001:db8::2"},
		"ports":      {"192.0.2.9:9999", "192.0.2.10:80", "192.0.2.10:9999"},
		"unknown":    {"?", "3", "12"},
		"why so":     {"? not asked yet", "  1 % ▓", " 12 % ▓▓"},
		"parts":      {"3 of 65536", "20 of 65536"},
		"bandwidths": {"900 kbps", "10 mbps", "2 gbps"},
		"sizes":      {"900 KiB", "3 MiB", "1 GiB"},
		"durations":  {"50s", "3m", "2h", "1d"},
		"at least":   {"9+", "10", "1.2k+"},
		"counts":     {"2 10.1.1.1 10.1.1.2", "10 10.1.1.3"},
	} {
		var rows [][]string
		for _, cell := range slices.Backward(want) {
			rows = append(rows, []string{cell})
		}
		table := lines{headers: []string{"X"}}
		table.press("s", time.Unix(0, 0))
		table.show(time.Unix(9, 0), nil, rows...)
		var got []string
		for _, x := range table.shown.Items {
			got = append(got, x.cells[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: want %q, got %q", name, want, got)
		}
	}
}

// Every column is sorted by some key, also those whose initial another has, or that begin with a letter of another use.
func TestEveryColumnSorts(t *testing.T) {
	headers := []string{"Host", "Packets", "Pkt/s", "Phase", "Group", "Gateway", "2nd"}
	table := lines{headers: headers}
	by := map[int]bool{}
	for range headers {
		table.press("s", time.Unix(0, 0))
		by[table.column] = true
	}
	if len(by) != len(headers) || by[0] {
		t.Errorf("want every column once, got %v", by)
	}
	if table.press("s", time.Unix(0, 0)); table.column != 0 {
		t.Errorf("behind the last: want the list's own order, got column %d", table.column)
	}
	var got []int
	for range 7 {
		table.press("P", time.Unix(0, 0))
		by := table.column
		if table.descending {
			by = -by
		}
		got = append(got, by)
	}
	if want := []int{2, -2, 3, -3, 4, -4, 2}; !slices.Equal(got, want) {
		t.Errorf("P: want %v, got %v", want, got)
	}
}

// A value that was not known before is no change; the next one is.
func TestFirstValueIsNoChange(t *testing.T) {
	now := time.Unix(100, 0)
	for _, unset := range []string{"", "?", "-", "? h2 silent"} {
		var h highlights
		h.see("a", []string{"a", unset}, now)
		if fresh := h.see("a", []string{"a", "7"}, now); fresh != nil {
			t.Errorf("after %q: want no change, got %v", unset, fresh)
		}
		if fresh := h.see("a", []string{"a", "8"}, now); !slices.Equal(fresh, []bool{false, true}) {
			t.Errorf("after %q and 7: want 8 to be marked, got %v", unset, fresh)
		}
	}
	var h highlights
	h.see("a", []string{"never"}, now)
	if fresh := h.see("a", []string{"1"}, now); !slices.Equal(fresh, []bool{true}) {
		t.Errorf("a flow that was never hit, and is: want it marked, got %v", fresh)
	}
}

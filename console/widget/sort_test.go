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
		var rows []Row
		for _, cell := range want {
			rows = append(rows, Row{ID: cell, Cells: []string{cell}})
		}
		slices.Reverse(rows)
		table := Table{}
		table.Key("s", []string{"X"}, rows, 10, time.Unix(0, 0))
		var got []string
		for _, r := range table.Arrange(rows, nil, time.Unix(9, 0)) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: want %q, got %q", name, want, got)
		}
	}
}

// Every column is sorted by some key, also those whose initial another has, or that begin with a letter of another use.
func TestEveryColumnSorts(t *testing.T) {
	headers := []string{"Host", "Packets", "Pkt/s", "Phase", "Group", "Gateway", "2nd"}
	table := Table{}
	by := map[int]bool{}
	for range headers {
		table.Key("s", headers, nil, 10, time.Unix(0, 0))
		by[table.sort] = true
	}
	if len(by) != len(headers) || by[0] {
		t.Errorf("want every column once, got %v", by)
	}
	if table.Key("s", headers, nil, 10, time.Unix(0, 0)); table.sort != 0 {
		t.Errorf("behind the last: want the list's own order, got column %d", table.sort)
	}
	var got []int
	for range 7 {
		table.Key("P", headers, nil, 10, time.Unix(0, 0))
		got = append(got, map[bool]int{false: table.sort, true: -table.sort}[table.descending])
	}
	if want := []int{2, -2, 3, -3, 4, -4, 2}; !slices.Equal(got, want) {
		t.Errorf("P: want %v, got %v", want, got)
	}
}

// A value that was not known before is no change; the next one is.
func TestFirstValueIsNoNews(t *testing.T) {
	now := time.Unix(100, 0)
	for _, unheard := range []string{"", "?", "-", "? h2 silent"} {
		table := Table{}
		table.look(Row{ID: "a", Cells: []string{"a", unheard}}, now)
		if fresh := table.look(Row{ID: "a", Cells: []string{"a", "7"}}, now); fresh != nil {
			t.Errorf("after %q: want no news, got %v", unheard, fresh)
		}
		if fresh := table.look(Row{ID: "a", Cells: []string{"a", "8"}}, now); !slices.Equal(fresh, []bool{false, true}) {
			t.Errorf("after %q and 7: want 8 to glow, got %v", unheard, fresh)
		}
	}
	table := Table{}
	table.look(Row{ID: "a", Cells: []string{"never"}}, now)
	if fresh := table.look(Row{ID: "a", Cells: []string{"1"}}, now); !slices.Equal(fresh, []bool{true}) {
		t.Errorf("a flow that was never hit, and is: want it to glow, got %v", fresh)
	}
}

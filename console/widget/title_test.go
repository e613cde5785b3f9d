// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"testing"
	"time"
)

// The title counts the rows, with and without those that a filter hides, and has the position of the cursor.
func TestTable_Title(t *testing.T) {
	table := lines{headers: []string{"X"}}
	if got := table.Title(); got != "" {
		t.Errorf("before the first content: got %q", got)
	}
	rows := [][]string{{"a1"}, {"a2"}, {"b1"}}
	table.show(time.Unix(0, 0), nil, rows...)
	table.press("down", time.Unix(0, 0))
	if got := table.Title(); got != "[3] 2/3" {
		t.Errorf("got %q, want [3] 2/3", got)
	}
	filter, err := NewFilter("a")
	if err != nil {
		t.Fatal(err)
	}
	table.show(time.Unix(1, 0), filter, rows...)
	if got := table.Title(); got != "[2/3] 2/2" {
		t.Errorf("with a filter: got %q, want [2/3] 2/2", got)
	}
}

// Columns of a low rank are cut first.
func TestLayout_Ranks(t *testing.T) {
	rows := []Row{{Cells: []string{"aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccccccccc"}}}
	if got := newLayout([]string{"A", "B", "C"}, rows, 40, false, 1, 3, 2).widths; got[0] >= 20 || got[1] != 12 || got[2] < 10 {
		t.Errorf("want the first cut and the second whole, got %v", got)
	}
}

// Where columns do not fit, those without a cell are hidden first, as many as needed, but none of the highest rank.
func TestLayout_Empty(t *testing.T) {
	headers, rows := []string{"Name", "Gateway", "Subnet6", "Used", "Tag"}, []Row{{Cells: []string{"blue", "", "", "", ""}}}
	ranks := []int{3, 2, 1, 3, 2}
	for width, want := range map[int][]int{40: {4, 7, 7, 4, 3}, 25: {4, 7, 0, 4, 3}, 19: {4, 7, 0, 4, 0}, 12: {4, 0, 0, 4, 0}} {
		l := newLayout(headers, rows, width, false, ranks...)
		if !slices.Equal(l.widths, want) {
			t.Errorf("width %d: got %v, want %v", width, l.widths, want)
		}
		if line := l.join(plain(), headers, unpainted); Width(line) > width {
			t.Errorf("width %d: got %q", width, line)
		}
	}
}

// Columns of the lowest rank are hidden, the last first, before cells of the highest rank are cut; the number of hidden ones is known, and
// none is hidden where all are to be shown.
func TestLayout_HidesLowRanks(t *testing.T) {
	headers, ranks := []string{"Tenant", "Network", "Nw Type", "Encap type", "Packet tag", "Subnet", "Used"}, []int{2, 3, 1, 1, 1, 3, 3}
	rows := []Row{{Cells: []string{"default", "frontend", "data", "vxlan", "12", "10.100.200.0/24", "221"}}}
	for _, r := range []struct {
		width  int
		all    bool
		want   []int
		hidden int
	}{
		{100, false, []int{7, 8, 7, 10, 10, 15, 4}, 0},
		{68, false, []int{7, 8, 7, 7, 8, 15, 4}, 0},
		{65, false, []int{7, 8, 6, 6, 7, 15, 4}, 0},
		{60, false, []int{7, 8, 7, 9, 0, 15, 4}, 1},
		{45, false, []int{7, 8, 0, 0, 0, 15, 4}, 3},
		{40, false, []int{7, 8, 0, 0, 0, 15, 4}, 3},
		{60, true, []int{7, 8, 6, 6, 6, 11, 4}, 0},
	} {
		if l := newLayout(headers, rows, r.width, r.all, ranks...); !slices.Equal(l.widths, r.want) || l.hidden != r.hidden {
			t.Errorf("width %d, all %v: got %v, %d hidden, want %v, %d", r.width, r.all, l.widths, l.hidden, r.want, r.hidden)
		}
	}
}

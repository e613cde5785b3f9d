package widget

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/console/theme"
)

func plain() *theme.Theme {
	return &theme.Theme{Glyphs: theme.Glyphs{Full: "#", Empty: ".", Ellipsis: "~", Up: "^", Down: "v", Cursor: ">"}}
}

func TestFit(t *testing.T) {
	tests := []struct {
		in    string
		width int
		want  string
	}{{"ab", 4, "ab  "}, {"abcd", 4, "abcd"}, {"abcde", 4, "abc~"}, {"", 2, "  "}, {"\x1b[1mabcde\x1b[0m", 3, "\x1b[1mab~\x1b[0m"}, {"abc", 0, ""}}
	for _, tt := range tests {
		if got := Fit(plain(), tt.in, tt.width); got != tt.want {
			t.Errorf("Fit(%q, %d): want %q, got %q", tt.in, tt.width, tt.want, got)
		}
	}
}

func TestBar(t *testing.T) {
	tests := []struct {
		used, total int
		want        string
	}{{0, 10, "....."}, {1, 100, "#...."}, {5, 10, "##..."}, {10, 10, "#####"}, {12, 10, "#####"}, {0, 0, "....."}}
	for _, tt := range tests {
		if got := Bar(plain(), tt.used, tt.total, 5); got != tt.want {
			t.Errorf("Bar(%d of %d): want %q, got %q", tt.used, tt.total, tt.want, got)
		}
	}
}

func TestRanges(t *testing.T) {
	r := ParseRanges("10.0.0.1-10.0.0.3, 10.0.0.9, nonsense, 10.0.0.8-10.0.0.2, 2001:db8::1")
	if len(r) != 2 {
		t.Fatalf("want 2 ranges, got %v", r)
	}
	for a, want := range map[string]bool{"10.0.0.0": false, "10.0.0.1": true, "10.0.0.3": true, "10.0.0.4": false, "10.0.0.9": true, "10.0.0.10": false} {
		if got := r.Contains(netip.MustParseAddr(a)); got != want {
			t.Errorf("Contains(%s): want %v, got %v", a, want, got)
		}
	}
	if n := CountRanges("10.0.0.1-10.0.1.0, 10.9.0.0"); n != 257 {
		t.Errorf("count: want 257, got %d", n)
	}
}

func TestTableKeepsItsRow(t *testing.T) {
	var table Table
	headers := []string{"Name", "Count"}
	rows := []Row{{ID: "a", Cells: []string{"a", "10"}}, {ID: "b", Cells: []string{"b", "9"}}, {ID: "c", Cells: []string{"c", "8"}}}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	table.Key("j", headers, rows, 10, now)
	for _, step := range []struct{ key, want, order string }{{"C", "b", "cba"}, {"C", "b", "abc"}, {"N", "b", "abc"}, {"j", "c", "abc"}, {"g", "a", "abc"}} {
		now = now.Add(time.Minute)
		arranged := table.Arrange(rows, nil, now)
		table.Key(step.key, headers, arranged, 10, now)
		arranged = table.Arrange(rows, nil, now)
		order := ""
		for _, r := range arranged {
			order += r.ID
		}
		if r, _ := table.Selected(arranged); r.ID != step.want || order != step.order {
			t.Errorf("after %s: want %s in %s, got %s in %s", step.key, step.want, step.order, r.ID, order)
		}
	}
	table.View(plain(), headers, rows, 40, 2, now)
	if r, ok := table.Selected(rows[1:]); !ok || r.ID != "b" {
		t.Errorf("the selected row is gone: want its neighbour b, got %s", r.ID)
	}
	if view := strings.Join(table.View(plain(), headers, nil, 40, 3, now), "\n"); !strings.Contains(view, "Name") {
		t.Errorf("without rows: want the header, got %q", view)
	}
}

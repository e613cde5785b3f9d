package widget

import (
	"net/netip"
	"slices"
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

func TestHumane(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.3: "0.3", 7: "7", 9.96: "10", 12: "12", 999: "999", 1200: "1.2k", 88e6: "88M", 2e18: "2000P", -3: "-3"} {
		if got := Humane(v); got != want {
			t.Errorf("%v: want %s, got %s", v, want, got)
		}
	}
}

func TestOrderOfCells(t *testing.T) {
	rising := [][]string{{"never", "0", "0.3", "999", "1.2k", "88M"}, {"-", "3s", "2m", "4h", "1d"}, {"?", "10.0.0.9", "10.0.0.10", "10.0.1.2"}, {"", "a", "b"}, {"9 %", "10 %", "100 %"}}
	for _, list := range rising {
		for i := range len(list) - 1 {
			if a, b := newSortKey(list[i]), newSortKey(list[i+1]); a.compare(b) >= 0 || b.compare(a) <= 0 {
				t.Errorf("want %q before %q", list[i], list[i+1])
			}
		}
	}
}

func TestSpark(t *testing.T) {
	th := plain()
	th.Glyphs.Spark = "_.:#"
	tests := []struct {
		series []float64
		want   string
	}{{nil, "    "}, {[]float64{0, 0}, "  __"}, {[]float64{0, 1, 50, 100}, "_.:"[:2] + ".#"}, {[]float64{9, 0, 0, 0, 9}, "___#"}}
	for _, tt := range tests {
		if got := Spark(th, tt.series, 4); got != tt.want {
			t.Errorf("%v: want %q, got %q", tt.series, tt.want, got)
		}
	}
}

func TestWithin(t *testing.T) {
	r := ParseRanges("10.0.0.1-10.0.0.3, 10.0.0.8-10.0.0.9, 10.0.1.0")
	for _, tt := range []struct {
		first, last string
		want        int
	}{{"10.0.0.0", "10.0.0.255", 5}, {"10.0.0.2", "10.0.0.8", 3}, {"10.0.0.4", "10.0.0.7", 0}, {"10.0.0.9", "10.0.1.0", 2}, {"10.0.2.0", "10.0.2.255", 0}} {
		if got := r.Within(netip.MustParseAddr(tt.first), netip.MustParseAddr(tt.last)); got != tt.want {
			t.Errorf("%s to %s: want %d, got %d", tt.first, tt.last, tt.want, got)
		}
	}
}

// Rows do not change places under a moving cursor, and do once it rests.
func TestOrderHolds(t *testing.T) {
	var table Table
	now, headers := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), []string{"Name", "Count"}
	rows := func(a, b string) []Row {
		return []Row{{ID: "a", Cells: []string{"a", a}}, {ID: "b", Cells: []string{"b", b}}}
	}
	order := func(rows []Row) string { return rows[0].ID + rows[1].ID }
	table.Key("C", headers, rows("1", "2"), 9, now)
	table.Key("j", headers, table.Arrange(rows("1", "2"), nil, now), 9, now)
	if got := order(table.Arrange(rows("3", "2"), nil, now.Add(time.Second))); got != "ab" {
		t.Errorf("while the cursor moves: want ab, got %s", got)
	}
	if got := order(table.Arrange(rows("3", "2"), nil, now.Add(hold))); got != "ba" {
		t.Errorf("when it rests: want ba, got %s", got)
	}
}

// A cell that changed is marked for two seconds, one that comes into sight is not.
func TestGlow(t *testing.T) {
	var table Table
	th := plain()
	th.Glyphs.Fresh = "*"
	now, headers := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), []string{"Name", "Count"}
	for _, step := range []struct {
		after time.Duration
		count string
		glows bool
	}{{0, "1", false}, {time.Second, "1", false}, {time.Second, "2", true}, {time.Second, "2", true}, {time.Second, "2", false}, {time.Minute, "3", true}} {
		now = now.Add(step.after)
		rows := []Row{{ID: "x", Cells: []string{"x", "0"}}, {ID: "a", Cells: []string{"a", step.count}}}
		view := strings.Join(table.View(th, headers, rows, 40, 5, now), "\n")
		if got := strings.Contains(view, "* a"); got != step.glows {
			t.Errorf("count %s after %s: want glow %v, got %v:\n%s", step.count, step.after, step.glows, got, view)
		}
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		filter, cell string
		want         bool
	}{{"web", "a WEB b", true}, {"WEB", "web", true}, {"web", "wob", false}, {"!web", "web", false}, {"!web", "x", true}, {"^w.b$", "wob", true}, {"ä", "Ä", true}, {"k", "\u212a", true}, {"10.1", "10x1", true}}
	for _, tt := range tests {
		f, err := NewFilter(tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Keeps([]string{"", tt.cell}); got != tt.want {
			t.Errorf("%q of %q: want %v, got %v", tt.filter, tt.cell, tt.want, got)
		}
	}
}

// Cells that were folded to be filtered quickly are kept just when they are as they stand.
func TestQuickFilter(t *testing.T) {
	rows := [][]string{{"web-1", "10.1.1.2", ""}, {"Web-17", "02:02"}, {"db", "web"}, {"straße", "ab"}, {"a", "b"}, {"", "web-1 b"}}
	for _, text := range []string{"web", "WEB-1", "^web$", "web.1", "1$", "^$", "a.b", `10\.1`, `\d\d$`, "[^a]b", `\S`, "(web|db)$", "(?s)a.b", "!web-1.*7", "x+", `\A1`, "e.*", "ß", "^10"} {
		f, err := NewFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, cells := range rows {
			folded := fold(cells)
			if folded == "" {
				continue // is filtered as it stands
			}
			if quick, slow := f.keepsText(folded), f.Keeps(cells); quick != slow {
				t.Errorf("filter %q of %q: want %v, got %v", text, cells, slow, quick)
			}
		}
	}
}

// Headers give way before cells do, to a part of their names; then the widest column does.
func TestLayoutGivesWay(t *testing.T) {
	headers, rows := []string{"Name", "Refused as stale", "Writes"}, []Row{{Cells: []string{"192.0.2.1:9999", "0", "18204"}}}
	for _, row := range []struct {
		width int
		want  []int
	}{{100, []int{14, 16, 6}}, {40, []int{14, 16, 6}}, {35, []int{14, 11, 6}}, {31, []int{14, 7, 6}}, {27, []int{10, 7, 6}}, {5, []int{4, 4, 4}}} {
		if got := newLayout(headers, rows, row.width).widths; !slices.Equal(got, row.want) {
			t.Errorf("width %d: want %v, got %v", row.width, row.want, got)
		}
	}
}

// Parts that have no room are left out whole, which an ellipsis tells.
func TestParts(t *testing.T) {
	th := plain()
	for _, row := range []struct {
		width int
		parts []string
		want  string
	}{
		{20, []string{"one", "two"}, "> one  two          "},
		{10, []string{"one", "two"}, "> one  two"},
		{9, []string{"one", "two"}, "> one  ~"},
		{12, []string{"one", "two", "three"}, "> one  ~"},
		{14, []string{"one", "two", "three"}, "> one  two  ~"},
		{4, []string{"three"}, "> t~"},
		{4, nil, ">   "},
	} {
		if got := Parts(th, "> ", "  ", row.parts, row.width); strings.TrimRight(got, " ") != strings.TrimRight(row.want, " ") || Width(got) > row.width {
			t.Errorf("%d cells of %q: want %q, got %q", row.width, row.parts, row.want, got)
		}
	}
}

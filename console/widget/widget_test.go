// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/sortkey"
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

// named is a row of the tests, by its first cell.
type named struct{ cells []string }

// lines is a table of rows, as a page makes it again for each frame.
type lines struct {
	Table[*named]
	headers []string
	version int
}

// show has the table show rows at a time, and returns them in their order.
func (l *lines) show(now time.Time, f *Filter, rows ...[]string) (order string) {
	var items []*named
	for _, cells := range rows {
		items = append(items, &named{cells})
	}
	l.version++
	l.Show(Source[*named]{Version: l.version, Size: len(items), Load: func() Content[*named] {
		return Content[*named]{Items: items, ID: func(x *named) string { return x.cells[0] }, Row: func(x *named) Row { return Row{Cells: x.cells} }}
	}}, f, now, nil)
	for _, x := range l.shown.Items {
		order += x.cells[0]
	}
	return order
}

func (l *lines) press(key string, now time.Time) {
	l.Key(tea.KeyPressMsg{Text: key, Code: []rune(key)[0]}, l.headers, 10, now)
}

func (l *lines) view(th *theme.Theme, height int, now time.Time) string {
	return strings.Join(l.View(th, l.headers, 40, height, now), "\n")
}

func TestTableKeepsItsRow(t *testing.T) {
	table := lines{headers: []string{"Name", "Count"}}
	rows := [][]string{{"a", "10"}, {"b", "9"}, {"c", "8"}}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	table.show(now, nil, rows...)
	table.press("j", now)
	for _, step := range []struct{ key, want, order string }{{"C", "b", "cba"}, {"C", "b", "abc"}, {"N", "b", "abc"}, {"j", "c", "abc"}, {"g", "a", "abc"}} {
		now = now.Add(time.Minute)
		table.show(now, nil, rows...)
		table.press(step.key, now)
		order := table.show(now, nil, rows...)
		if r, _ := table.Selected(); r.cells[0] != step.want || order != step.order {
			t.Errorf("after %s: want %s in %s, got %s in %s", step.key, step.want, step.order, r.cells[0], order)
		}
	}
	table.view(plain(), 2, now)
	table.show(now, nil, rows[1:]...)
	if r, ok := table.Selected(); !ok || r.cells[0] != "b" {
		t.Errorf("the selected row is gone: want its neighbour b, got %v", r)
	}
	table.show(now, nil)
	if view := table.view(plain(), 3, now); !strings.Contains(view, "Name") {
		t.Errorf("without rows: want the header, got %q", view)
	}
}

func TestSI(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.3: "0.3", 7: "7", 9.96: "10", 12: "12", 999: "999", 1200: "1.2k", 88e6: "88M", 2e18: "2000P", -3: "-3"} {
		if got := SI(v); got != want {
			t.Errorf("%v: want %s, got %s", v, want, got)
		}
	}
}

func TestOrderOfCells(t *testing.T) {
	rising := [][]string{{"never", "0", "0.3", "999", "1.2k", "88M"}, {"-", "3s", "2m", "4h", "1d"}, {"?", "10.0.0.9", "10.0.0.10", "10.0.1.2"}, {"", "a", "b"}, {"9 %", "10 %", "100 %"}}
	for _, list := range rising {
		for i := range len(list) - 1 {
			if a, b := sortkey.Of(list[i]), sortkey.Of(list[i+1]); a.Compare(b) >= 0 || b.Compare(a) <= 0 {
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

// Rows do not change places under a moving cursor, and do once it rests.
func TestOrderHolds(t *testing.T) {
	table := lines{headers: []string{"Name", "Count"}}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	show := func(now time.Time, a, b string) string {
		return table.show(now, nil, []string{"a", a}, []string{"b", b})
	}
	table.press("C", now)
	show(now, "1", "2")
	table.press("j", now)
	if got := show(now.Add(time.Second), "3", "2"); got != "ab" {
		t.Errorf("while the cursor moves: want ab, got %s", got)
	}
	if got := show(now.Add(holdFor), "3", "2"); got != "ba" {
		t.Errorf("when it rests: want ba, got %s", got)
	}
}

// A click on a header sorts at once, while the cursor moves too.
func TestClickSorts(t *testing.T) {
	table := lines{headers: []string{"Name", "Count"}}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	show := func() string { return table.show(now, nil, []string{"a", "2"}, []string{"b", "1"}) }
	table.press("N", now)
	show()
	table.press("j", now)
	show()
	table.view(plain(), 9, now)
	table.Click(10, 0)
	if got := show(); got != "ba" {
		t.Errorf("want it sorted by count, got %s", got)
	}
}

// A cell that changed is marked for two seconds, one that comes into view is not.
func TestHighlight(t *testing.T) {
	table := lines{headers: []string{"Name", "Count"}}
	th := plain()
	th.Glyphs.Fresh = "*"
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, step := range []struct {
		after  time.Duration
		count  string
		marked bool
	}{{0, "1", false}, {time.Second, "1", false}, {time.Second, "2", true}, {time.Second, "2", true}, {time.Second, "2", false}, {time.Minute, "3", true}} {
		now = now.Add(step.after)
		table.show(now, nil, []string{"x", "0"}, []string{"a", step.count})
		view := table.view(th, 5, now)
		if got := strings.Contains(view, "* a"); got != step.marked {
			t.Errorf("count %s after %s: want it marked %v, got %v:\n%s", step.count, step.after, step.marked, got, view)
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
		if got := f.Keeps("", tt.cell); got != tt.want {
			t.Errorf("%q of %q: want %v, got %v", tt.filter, tt.cell, tt.want, got)
		}
	}
}

// Cells that are remembered as one text are kept just when they are as they stand.
func TestFilterOfText(t *testing.T) {
	rows := [][]string{{"web-1", "10.1.1.2", ""}, {"Web-17", "02:02"}, {"db", "web"}, {"straße", "ab"}, {"a", "b"}, {"", "web-1 b"}}
	for _, text := range []string{"web", "WEB-1", "^web$", "web.1", "1$", "^$", "a.b", `10\.1`, `\d\d$`, "[^a]b", `\S`, "(web|db)$", "(?s)a.b", "!web-1.*7", "x+", `\A1`, "e.*", "ß", "^10", "b\nw", "!b"} {
		f := mustFilter(t, text)
		for _, cells := range rows {
			if quick, slow := f.keepsRow(strings.Join(cells, "\n"), nil), f.Keeps(cells...); quick != slow {
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
		if got := newLayout(headers, rows, row.width, false).widths; !slices.Equal(got, row.want) {
			t.Errorf("width %d: want %v, got %v", row.width, row.want, got)
		}
	}
}

// Parts without room are omitted entirely, which an ellipsis shows.
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

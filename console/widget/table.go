package widget

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/theme"
)

// Row is one line of a table. ID stays the same while the row's cells change.
type Row struct {
	ID    string
	Cells []string
	Role  theme.Role
}

// Table holds what the user did to a table: the cursor, the sort order, the window. The rows come from outside with
// every call, so the table has nothing that can be out of date.
type Table struct {
	cursor     string // ID of the selected row
	place      int    // where it was, for when it is gone
	top        int
	sort       int // column + 1; 0: as given
	descending bool
}

// Arrange filters and sorts rows. Nothing of rows is changed.
func (t *Table) Arrange(rows []Row, f *Filter) []Row {
	kept := make([]Row, 0, len(rows))
	for _, r := range rows {
		if f.Keeps(r.Cells) {
			kept = append(kept, r)
		}
	}
	if t.sort > 0 {
		slices.SortStableFunc(kept, func(a, b Row) int {
			c := compare(cell(a, t.sort-1), cell(b, t.sort-1))
			if t.descending {
				c = -c
			}
			return c
		})
	}
	return kept
}

func cell(r Row, i int) string {
	if i < len(r.Cells) {
		return r.Cells[i]
	}
	return ""
}

// compare orders numbers by value and all else as text.
func compare(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// Selected is the row under the cursor; false when there are no rows. When the row is gone, its neighbour is selected.
func (t *Table) Selected(rows []Row) (Row, bool) {
	if len(rows) == 0 {
		return Row{}, false
	}
	return rows[t.index(rows)], true
}

func (t *Table) index(rows []Row) int {
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.ID == t.cursor }); i >= 0 {
		return i
	}
	return max(0, min(t.place, len(rows)-1))
}

// Key moves the cursor or sorts, and tells whether the key was meant for the table. page is the number of rows in view.
func (t *Table) Key(key string, headers []string, rows []Row, page int) bool {
	i := t.index(rows)
	switch key {
	case "up", "k":
		i--
	case "down", "j":
		i++
	case "pgup":
		i -= page
	case "pgdown":
		i += page
	case "home", "g":
		i = 0
	case "end", "G":
		i = len(rows) - 1
	default:
		return t.sortBy(key, headers)
	}
	t.place = max(0, min(i, len(rows)-1))
	if len(rows) > 0 {
		t.cursor = rows[t.place].ID
	}
	return true
}

// sortBy reads a capital as the initial of a column. G moves to the end, so a column Group is sorted by its second
// letter's capital, R.
func (t *Table) sortBy(key string, headers []string) bool {
	letter := []rune(key)
	if len(letter) != 1 || !unicode.IsUpper(letter[0]) {
		return false
	}
	for i, h := range headers {
		if sortLetter(h) != letter[0] {
			continue
		}
		if t.sort == i+1 {
			t.descending = !t.descending
		} else {
			t.sort, t.descending = i+1, false
		}
		return true
	}
	return false
}

func sortLetter(header string) rune {
	name := []rune(strings.ToUpper(header))
	if len(name) > 1 && name[0] == 'G' {
		return name[1]
	}
	if len(name) > 0 {
		return name[0]
	}
	return 0
}

// View draws the header and as many rows as fit into height, the cursor's among them.
func (t *Table) View(th *theme.Theme, headers []string, rows []Row, width, height int) []string {
	names := slices.Clone(headers)
	if t.sort > 0 && t.sort <= len(names) {
		names[t.sort-1] += map[bool]string{false: th.Glyphs.Up, true: th.Glyphs.Down}[t.descending]
	}
	at, room := t.index(rows), max(height-1, 1)
	t.place = at
	if len(rows) > 0 {
		t.cursor = rows[at].ID
	}
	t.top = max(0, min(max(min(t.top, at), at-room+1), len(rows)-room))
	shown := rows[t.top:min(len(rows), t.top+room)]
	widths := columnWidths(names, shown, width-2)
	out := []string{th.Paint(theme.Title, Fit(th, "  "+join(th, names, widths), width))}
	for i, r := range shown {
		line, mark := join(th, r.Cells, widths), "  "
		if t.top+i == at {
			mark = th.Glyphs.Cursor + " "
			out = append(out, th.Paint(theme.Cursor, Fit(th, mark+line, width)))
			continue
		}
		out = append(out, th.Paint(r.Role, Fit(th, mark+line, width)))
	}
	return out
}

// columnWidths gives each column what its cells need, and takes from the widest until all fit.
func columnWidths(headers []string, rows []Row, width int) []int {
	widths := make([]int, len(headers))
	for i, h := range headers {
		widths[i] = ansi.StringWidth(h)
		for _, r := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(cell(r, i)))
		}
	}
	for {
		sum, widest := 2*(len(widths)-1), 0
		for i, w := range widths {
			sum += w
			if w > widths[widest] {
				widest = i
			}
		}
		if sum <= width || len(widths) == 0 || widths[widest] <= 4 {
			return widths
		}
		widths[widest] -= min(sum-width, max(1, widths[widest]/8))
	}
}

func join(th *theme.Theme, cells []string, widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		if i < len(cells) {
			parts[i] = Fit(th, cells[i], w)
		} else {
			parts[i] = strings.Repeat(" ", w)
		}
	}
	return strings.Join(parts, "  ")
}

package widget

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

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

	order map[string]int // the order that the user moves in, while it holds
	until time.Time      // the order holds
	seen  map[string]*sight
}

const (
	glow = 2 * time.Second // how long a changed cell shows
	hold = 3 * time.Second // how long the order stays after the cursor moved
)

// sight is how a row looked when it was last drawn.
type sight struct {
	at      time.Time
	cells   []string
	changed []time.Time
}

// Arrange filters and sorts rows. Nothing of rows is changed. While the cursor moves, rows stay where they are; new ones
// come last.
func (t *Table) Arrange(rows []Row, f *Filter, now time.Time) []Row {
	kept := make([]Row, 0, len(rows))
	for _, r := range rows {
		if f.Keeps(r.Cells) {
			kept = append(kept, r)
		}
	}
	switch {
	case now.Before(t.until):
		place := func(r Row) int {
			if i, ok := t.order[r.ID]; ok {
				return i
			}
			return len(t.order)
		}
		slices.SortStableFunc(kept, func(a, b Row) int { return cmp.Compare(place(a), place(b)) })
	case t.sort > 0:
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
func (t *Table) Key(key string, headers []string, rows []Row, page int, now time.Time) bool {
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
	t.hold(rows, now)
	return true
}

// hold keeps the order of rows for a while.
func (t *Table) hold(rows []Row, now time.Time) {
	if t.sort == 0 {
		return
	}
	if !now.Before(t.until) {
		t.order = make(map[string]int, len(rows))
		for i, r := range rows {
			t.order[r.ID] = i
		}
	}
	t.until = now.Add(hold)
}

// Select puts the cursor on a row.
func (t *Table) Select(id string) { t.cursor = id }

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
		t.until = time.Time{}
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

// Still draws all rows, without a cursor.
func (t *Table) Still(th *theme.Theme, headers []string, rows []Row, width int, now time.Time) []string {
	l := newLayout(headers, rows, width-2)
	out := []string{th.Paint(theme.Title, Fit(th, "  "+l.join(th, headers, func(_ int, text string) string { return text }), width))}
	for _, r := range rows {
		out = append(out, t.line(th, l, r, width, now))
	}
	t.forget(now)
	return out
}

// line draws a row that the cursor is not on.
func (t *Table) line(th *theme.Theme, l layout, r Row, width int, now time.Time) string {
	fresh, mark := t.look(r, now), "  "
	if slices.Contains(fresh, true) {
		mark = th.Paint(theme.Fresh, th.Glyphs.Fresh) + " "
	}
	return Fit(th, mark+l.join(th, r.Cells, func(column int, text string) string {
		if column < len(fresh) && fresh[column] {
			return th.Paint(theme.Fresh, text)
		}
		return th.Paint(r.Role, text)
	}), width)
}

// View draws the header and as many rows as fit into height, the cursor's among them. Cells that changed in the last two
// seconds show it.
func (t *Table) View(th *theme.Theme, headers []string, rows []Row, width, height int, now time.Time) []string {
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
	l := newLayout(names, shown, width-2)
	plain := func(_ int, text string) string { return text }
	out := []string{th.Paint(theme.Title, Fit(th, "  "+l.join(th, names, plain), width))}
	for i, r := range shown {
		if t.top+i == at {
			t.look(r, now)
			out = append(out, th.Paint(theme.Cursor, Fit(th, th.Glyphs.Cursor+" "+l.join(th, r.Cells, plain), width)))
			continue
		}
		out = append(out, t.line(th, l, r, width, now))
	}
	t.forget(now)
	return out
}

// look notes how a row looks now and tells which of its cells changed a moment ago.
func (t *Table) look(r Row, now time.Time) []bool {
	if t.seen == nil {
		t.seen = map[string]*sight{}
	}
	s := t.seen[r.ID]
	if s == nil || len(s.cells) != len(r.Cells) {
		s = &sight{cells: slices.Clone(r.Cells), changed: make([]time.Time, len(r.Cells))}
		t.seen[r.ID] = s
	}
	s.at = now
	fresh := make([]bool, len(r.Cells))
	for i, c := range r.Cells {
		if c != s.cells[i] {
			s.cells[i], s.changed[i] = c, now
		}
		fresh[i] = !s.changed[i].IsZero() && now.Sub(s.changed[i]) < glow
	}
	return fresh
}

// forget drops what has been out of sight, so that it does not glow when it comes back.
func (t *Table) forget(now time.Time) {
	for id, s := range t.seen {
		if now.Sub(s.at) > hold {
			delete(t.seen, id)
		}
	}
}

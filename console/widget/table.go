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
	Marked   func(id string) bool // tells whether the user marked a row; nil: rows are not marked
	Restless int                  // column + 1 that changes all the time, with those behind it: that is no news; 0: none does

	cursor     string // ID of the selected row
	place      int    // where it was, for when it is gone
	top        int
	sort       int // column + 1; 0: as given
	descending bool

	order []Row     // that the user moves in, while it holds
	until time.Time // the order holds
	seen  map[string]*sight
	shown []Row // the last frame's: room for the next
	last  arranged

	ranks      []keyed // as they were sorted last
	rankedBy   int
	rankedDown bool

	drawn drawn
}

// arranged is what Arrange made last, and of what.
type arranged struct {
	from, out  []Row
	filter     *Filter
	sort       int
	descending bool
	held       bool // out is in the order that was held then
}

// of tells whether it was made of these rows, with the same wishes.
func (a *arranged) of(rows []Row, f *Filter, sort int, descending, held bool) bool {
	return (held || !a.held) && a.filter == f && a.sort == sort && a.descending == descending && len(a.from) == len(rows) && len(rows) > 0 && &a.from[0] == &rows[0]
}

const (
	glow = 2 * time.Second // how long a changed cell shows
	hold = 3 * time.Second // how long the order stays after the cursor moved
)

// Arrange filters and sorts rows. Nothing of rows is changed, neither by it nor later by the caller: of the same slice
// it makes the same again without work. While the cursor moves, rows stay where they are; new ones come last.
func (t *Table) Arrange(rows []Row, f *Filter, now time.Time) []Row {
	held := now.Before(t.until)
	if !held {
		t.order = nil
	}
	if t.last.of(rows, f, t.sort, t.descending, held) {
		return t.last.out
	}
	kept := rows
	switch {
	case f != nil:
		kept = nil
		for i := range rows {
			if f == nil || f.Keeps(rows[i].Cells) {
				kept = append(kept, rows[i])
			}
		}
	case held:
		kept = slices.Clone(rows)
	}
	switch {
	case held:
		t.asHeld(kept)
	case t.sort > 0:
		kept = t.sorted(kept)
	}
	t.last = arranged{rows, kept, f, t.sort, t.descending, held}
	return kept
}

// asHeld puts rows into the order that is held.
func (t *Table) asHeld(rows []Row) {
	places := make(map[string]int, len(t.order))
	for i := range t.order {
		places[t.order[i].ID] = i
	}
	place := func(r Row) int {
		if i, ok := places[r.ID]; ok {
			return i
		}
		return len(places)
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(place(a), place(b)) })
}

// keyed is a row as it is sorted.
type keyed struct {
	key sortKey
	row Row
}

// sorted puts rows into the order of the column that the user chose. Rows that were sorted the last time are not sorted
// again: what is new is merged with them.
func (t *Table) sorted(rows []Row) []Row {
	order := func(a, b keyed) int {
		if t.descending {
			a, b = b, a
		}
		return cmp.Or(a.key.compare(b.key), cmp.Compare(a.row.ID, b.row.ID))
	}
	if t.ranks == nil || t.rankedBy != t.sort || t.rankedDown != t.descending {
		t.ranks, t.rankedBy, t.rankedDown = nil, t.sort, t.descending
	}
	stays := make(map[*string]bool, len(t.ranks))
	for i := range t.ranks {
		stays[mark(&t.ranks[i].row)] = false
	}
	var came []keyed
	for _, r := range rows {
		if _, known := stays[mark(&r)]; known && len(r.Cells) > 0 {
			stays[mark(&r)] = true
			continue
		}
		came = append(came, keyed{newSortKey(cell(r, t.sort-1)), r})
	}
	slices.SortFunc(came, order)
	out, ranks := make([]Row, 0, len(rows)), make([]keyed, 0, len(rows))
	add := func(k keyed) { out, ranks = append(out, k.row), append(ranks, k) }
	for _, k := range t.ranks {
		if !stays[mark(&k.row)] {
			continue
		}
		for ; len(came) > 0 && order(came[0], k) < 0; came = came[1:] {
			add(came[0])
		}
		add(k)
	}
	for _, k := range came {
		add(k)
	}
	t.ranks = ranks
	return out
}

// mark tells a row from all others, of other snapshots too: where its cells are.
func mark(r *Row) *string {
	if len(r.Cells) == 0 {
		return nil
	}
	return &r.Cells[0]
}

func cell(r Row, i int) string {
	if i < len(r.Cells) {
		return r.Cells[i]
	}
	return ""
}

// Selected is the row under the cursor; false when there are no rows. When the row is gone, its neighbour is selected.
func (t *Table) Selected(rows []Row) (Row, bool) { return t.SelectedOf(List(rows)) }

// SelectedOf is Selected of a long list.
func (t *Table) SelectedOf(rows Rows) (Row, bool) {
	if rows.Len() == 0 {
		return Row{}, false
	}
	return rows.At(t.index(rows)), true
}

func (t *Table) index(rows Rows) int {
	n := rows.Len()
	if t.place < n && rows.At(t.place).ID == t.cursor {
		return t.place
	}
	// What came or went before it moved it by a few rows.
	for i := max(0, t.place-near); i < min(n, t.place+near+1); i++ {
		if rows.At(i).ID == t.cursor {
			return i
		}
	}
	if i := rows.Find(t.cursor); i >= 0 {
		return i
	}
	return max(0, min(t.place, n-1))
}

// near is how many rows around its last place a row is looked for first.
const near = 4

// Key moves the cursor or sorts, and tells whether the key was meant for the table. page is the number of rows in view.
func (t *Table) Key(key string, headers []string, rows []Row, page int, now time.Time) bool {
	held := now.Before(t.until)
	if !t.KeyOf(key, headers, List(rows), page, now) {
		return false
	}
	if !held && now.Before(t.until) {
		t.order = rows
	}
	return true
}

// KeyOf is Key of a long list, which holds its order itself: see Order.
func (t *Table) KeyOf(key string, headers []string, rows Rows, page int, now time.Time) bool {
	i, n := t.index(rows), rows.Len()
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
		i = n - 1
	default:
		return t.sortBy(key, headers)
	}
	t.place = max(0, min(i, n-1))
	if n > 0 {
		t.cursor = rows.At(t.place).ID
	}
	if t.sort > 0 {
		t.until = now.Add(hold)
	}
	return true
}

// Select puts the cursor on a row.
func (t *Table) Select(id string) { t.cursor = id }

// sortBy reads a capital as the initial of a column: again, it sorts the other way, then by the next column of that initial. G
// moves to the end, so a column Group is sorted by its second letter's capital, R. "s" sorts by the next column, whatever it is
// called; behind the last by none.
func (t *Table) sortBy(key string, headers []string) bool {
	if key == "s" {
		t.sort, t.descending, t.until = (t.sort+1)%(len(headers)+1), false, time.Time{}
		return true
	}
	letter := []rune(key)
	if len(letter) != 1 || !unicode.IsUpper(letter[0]) {
		return false
	}
	var columns []int
	for i, h := range headers {
		if sortLetter(h) == letter[0] {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return false
	}
	next := columns[0]
	if at := slices.Index(columns, t.sort-1); at >= 0 {
		if next = columns[at]; t.descending {
			next = columns[(at+1)%len(columns)]
		}
	}
	t.turn(next)
	t.until = time.Time{}
	return true
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
		out = append(out, t.line(th, l, r.printable(), width, now))
	}
	t.forget(now)
	return out
}

// line draws a row that the cursor is not on.
func (t *Table) line(th *theme.Theme, l layout, r Row, width int, now time.Time) string {
	fresh, mark := t.look(r, now), " "+t.badge(th, r)
	if slices.Contains(fresh, true) {
		mark = th.Paint(theme.Fresh, th.Glyphs.Fresh) + t.badge(th, r)
	}
	return Fit(th, mark+l.join(th, r.Cells, func(column int, text string) string {
		if column < len(fresh) && fresh[column] {
			return th.Paint(theme.Fresh, text)
		}
		return th.Paint(r.Role, text)
	}), width)
}

// badge is the sign of a marked row, or a blank.
func (t *Table) badge(th *theme.Theme, r Row) string {
	if t.Marked != nil && t.Marked(r.ID) {
		return th.Paint(theme.Relation, th.Glyphs.Mark)
	}
	return " "
}

// View draws the header and as many rows as fit into height, the cursor's among them. Cells that changed in the last two
// seconds show it.
func (t *Table) View(th *theme.Theme, headers []string, rows []Row, width, height int, now time.Time) []string {
	return t.ViewOf(th, headers, List(rows), width, height, now)
}

// ViewOf is View of a long list, of which it makes the rows that are shown.
func (t *Table) ViewOf(th *theme.Theme, headers []string, rows Rows, width, height int, now time.Time) []string {
	names := slices.Clone(headers)
	if t.sort > 0 && t.sort <= len(names) {
		names[t.sort-1] += map[bool]string{false: th.Glyphs.Up, true: th.Glyphs.Down}[t.descending]
	}
	n, at, room := rows.Len(), t.index(rows), max(height-1, 1)
	t.place = at
	t.top = max(0, min(max(min(t.top, at), at-room+1), n-room))
	shown := t.shown[:0]
	for i := t.top; i < min(n, t.top+room); i++ {
		r := rows.At(i)
		if i == at {
			t.cursor = r.ID
		}
		shown = append(shown, r.printable())
	}
	t.shown = shown
	l := newLayout(names, shown, width-2)
	plain := func(_ int, text string) string { return text }
	out := make([]string, 0, len(shown)+1)
	out = append(out, th.Paint(theme.Title, Fit(th, "  "+l.join(th, names, plain), width)))
	t.note(out[0], l, shown)
	for i, r := range shown {
		if t.top+i == at {
			t.look(r, now)
			out = append(out, th.Paint(theme.Cursor, Fit(th, th.Glyphs.Cursor+t.badge(th, r)+l.join(th, r.Cells, plain), width)))
			continue
		}
		out = append(out, t.line(th, l, r, width, now))
	}
	t.forget(now)
	return out
}

// printable is a row as it may be drawn, whatever was in its cells.
func (r Row) printable() Row {
	for i, c := range r.Cells {
		if bare := Bare(c); bare != c {
			r.Cells = slices.Clone(r.Cells)
			for j := i; j < len(r.Cells); j++ {
				r.Cells[j] = Bare(r.Cells[j])
			}
			break
		}
	}
	return r
}

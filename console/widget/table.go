// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/theme"
)

// holdFor is how long rows keep their places after the cursor moved.
const holdFor = 3 * time.Second

// Table is a list of items with a cursor, which the user filters and sorts. Its zero value shows nothing; Show gives it content.
type Table[T comparable] struct {
	Marked func(id string) bool // reports whether the user marked an item; nil: items are not marked
	Ranks  []int                // of the columns, from 1: on a narrow terminal, columns of a lower rank are cut first, and those of the lowest hidden; none: the widest
	Whole  bool                 // no column with cells is hidden

	shown  *arranged[T] // nil: nothing yet
	latest Latest[order, arranged[T]]
	texts  texts[T]

	cursor     string // ID of the selected item
	place, top int    // where the cursor and the first row in view are
	column     int    // that is sorted by, from 1; 0: none
	descending bool
	heldUntil  time.Time

	highlights
	drawn struct {
		widths []int
		hidden int      // number of columns with cells that do not fit
		ids    []string // of the rows in view
	}
}

// Len is the number of items that are listed.
func (t *Table[T]) Len() int {
	if t.shown == nil {
		return 0
	}
	return len(t.shown.Items)
}

// Title describes the list for the title of its page: "[140] 3/140", or, with a filter, "[7/140] 3/7"; "" for an empty list.
func (t *Table[T]) Title() string {
	if t.shown == nil || t.shown.total == 0 {
		return ""
	}
	n := t.Len()
	count := strconv.Itoa(t.shown.total)
	if n != t.shown.total {
		count = fmt.Sprintf("%d/%d", n, t.shown.total)
	}
	if n == 0 {
		return "[" + count + "]"
	}
	return fmt.Sprintf("[%s] %d/%d", count, t.index()+1, n)
}

// Hidden returns the number of columns that the last drawing hid although they have cells, because the terminal is too narrow.
func (t *Table[T]) Hidden() int { return t.drawn.hidden }

// Selected is the item under the cursor; false if there is none. If the item is gone, its neighbour is selected.
func (t *Table[T]) Selected() (item T, ok bool) {
	if t.Len() == 0 {
		return item, false
	}
	return t.shown.Items[t.index()], true
}

// SelectedID is the ID of the item under the cursor; "" if there is none.
func (t *Table[T]) SelectedID() string {
	if item, ok := t.Selected(); ok {
		return t.shown.ID(item)
	}
	return ""
}

// index is where the cursor is. Items that came or went have usually moved it by a few rows.
func (t *Table[T]) index() int {
	const near = 4
	n := t.Len()
	is := func(i int) bool { return i >= 0 && i < n && t.shown.ID(t.shown.Items[i]) == t.cursor }
	if t.cursor == "" || is(t.place) {
		return max(0, min(t.place, n-1))
	}
	for i := t.place - near; i <= t.place+near; i++ {
		if is(i) {
			return i
		}
	}
	for i := range n {
		if is(i) {
			return i
		}
	}
	return max(0, min(t.place, n-1))
}

// SelectLast puts the cursor on the last item.
func (t *Table[T]) SelectLast() {
	if t.place = t.Len() - 1; t.place >= 0 {
		t.cursor = t.shown.ID(t.shown.Items[t.place])
	}
}

// SelectNext moves the cursor to the next item, if there is one.
func (t *Table[T]) SelectNext(now time.Time) {
	t.Key(tea.KeyPressMsg{Code: tea.KeyDown}, nil, 1, now)
}

// Key moves the cursor or sorts, and reports whether the key was meant for the table. page is the number of visible rows.
func (t *Table[T]) Key(msg tea.KeyPressMsg, headers []string, page int, now time.Time) bool {
	at, moved := Move(msg.String(), t.index(), page, t.Len())
	if !moved {
		return t.sortBy(msg.String(), headers)
	}
	if t.place = at; t.Len() > 0 {
		t.cursor = t.shown.ID(t.shown.Items[at])
	}
	if t.column > 0 {
		t.heldUntil = now.Add(holdFor)
	}
	return true
}

// sortBy sorts by the column with the typed capital as its initial: repeated, it sorts the other way, then by the next column with that
// initial. G moves to the end, so a column Group is sorted by its second letter's capital, R. "s" sorts by the next column; after the last
// by none.
func (t *Table[T]) sortBy(key string, headers []string) bool {
	if key == "s" {
		t.column, t.descending, t.heldUntil = (t.column+1)%(len(headers)+1), false, time.Time{}
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
	if at := slices.Index(columns, t.column-1); at >= 0 {
		if next = columns[at]; t.descending {
			next = columns[(at+1)%len(columns)]
		}
	}
	t.turn(next)
	return true
}

// turn sorts by a column, or reverses the order if it is that already.
func (t *Table[T]) turn(column int) {
	t.heldUntil = time.Time{}
	t.descending = t.column == column+1 && !t.descending
	t.column = column + 1
}

func sortLetter(header string) rune {
	name := []rune(strings.ToUpper(header) + "\x00")
	if len(name) > 2 && name[0] == 'G' {
		return name[1]
	}
	return name[0]
}

// Click acts on a click into the last drawing: on the header it sorts by the column, on a row it moves the cursor. x and y count cells and
// lines from the start of the header.
func (t *Table[T]) Click(x, y int) {
	switch {
	case y == 0:
		at := 2 // the signs before the first column
		for i, w := range t.drawn.widths {
			if w == 0 {
				continue
			}
			if at += w + 2; x < at {
				t.turn(i)
				return
			}
		}
	case y > 0 && y <= len(t.drawn.ids):
		t.cursor, t.place = t.drawn.ids[y-1], t.top+y-1
	}
}

// View draws the header and as many rows as fit into height, the cursor's among them.
func (t *Table[T]) View(th *theme.Theme, headers []string, width, height int, now time.Time) []string {
	n, at, room := t.Len(), t.index(), max(height-1, 1)
	t.place, t.top = at, InView(t.top, at, room, n)
	t.drawn.ids = t.drawn.ids[:0]
	var rows []Row
	for i := t.top; i < min(n, t.top+room); i++ {
		rows = append(rows, t.shown.Row(t.shown.Items[i]).printable())
		t.drawn.ids = append(t.drawn.ids, t.shown.ID(t.shown.Items[i]))
	}
	if at < n {
		t.cursor = t.drawn.ids[at-t.top]
	}
	names := slices.Clone(headers)
	if t.column > 0 && t.column <= len(names) {
		sign := th.Glyphs.Up
		if t.descending {
			sign = th.Glyphs.Down
		}
		names[t.column-1] += sign
	}
	ranks := slices.Clone(t.Ranks)
	if t.column > 0 && t.column <= len(ranks) {
		ranks[t.column-1] = 3 // the sign stays
	}
	l := newLayout(names, rows, width-2, t.Whole, ranks...)
	t.drawn.widths, t.drawn.hidden = l.widths, l.hidden
	out := append(make([]string, 0, len(rows)+1), l.header(th, names, width))
	for i, r := range rows {
		id := t.drawn.ids[i]
		badge := " "
		if t.Marked != nil && t.Marked(id) {
			badge = th.Glyphs.Mark
		}
		fresh := t.see(id, r.Cells, now)
		switch {
		case t.top+i == at: // the whole line in one colour
			out = append(out, th.Paint(theme.Cursor, Fit(th, th.Glyphs.Cursor+badge+l.join(th, r.Cells, unpainted), width)))
			continue
		case badge != " ":
			badge = th.Paint(theme.Relation, badge)
		}
		out = append(out, l.line(th, r, fresh, badge, width))
	}
	t.forget(now)
	return out
}

// StaticTable draws rows whole, without a cursor, and marks what changed. Its zero value is ready for use.
type StaticTable struct{ highlights }

// View draws the header and all rows. id names a row.
func (s *StaticTable) View(th *theme.Theme, headers []string, rows []Row, width int, now time.Time) []string {
	for i := range rows {
		rows[i] = rows[i].printable()
	}
	l := newLayout(headers, rows, width-2, true)
	out := []string{l.header(th, headers, width)}
	for _, r := range rows {
		out = append(out, l.line(th, r, s.see(r.Cells[0], r.Cells, now), " ", width))
	}
	s.forget(now)
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

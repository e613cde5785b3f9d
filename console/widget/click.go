package widget

import "github.com/charmbracelet/x/ansi"

// drawn is how a table was drawn last.
type drawn struct {
	head   string // the first line
	widths []int
	ids    []string // of the rows in view
}

// Head is the first line of the table as it was drawn last; "" before that.
func (t *Table) Head() string { return t.drawn.head }

// Click acts on a click into what was drawn last: on the header it sorts by the column, on a row it puts the cursor there.
// x and y count cells and lines from the header's beginning.
func (t *Table) Click(x, y int) {
	switch {
	case y == 0:
		at := 2 // the signs before the first column
		for i, w := range t.drawn.widths {
			if at += w + 2; x < at {
				t.turn(i)
				return
			}
		}
	case y > 0 && y <= len(t.drawn.ids):
		t.cursor, t.place = t.drawn.ids[y-1], t.top+y-1
	}
}

// turn sorts by a column, or the other way if it is that already.
func (t *Table) turn(column int) {
	if t.sort == column+1 {
		t.descending = !t.descending
	} else {
		t.sort, t.descending = column+1, false
	}
}

// note remembers how the table was drawn.
func (t *Table) note(head string, l layout, shown []Row) {
	t.drawn = drawn{head: ansi.Strip(head), widths: l.widths, ids: t.drawn.ids[:0]}
	for i := range shown {
		t.drawn.ids = append(t.drawn.ids, shown[i].ID)
	}
}

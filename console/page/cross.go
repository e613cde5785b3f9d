// SPDX-License-Identifier: Apache-2.0

package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// How many cells a party's name and a verdict have in a matrix.
const (
	nameWidth        = 18
	minCell, maxCell = 12, 30
)

// cross is which end may talk to which, senders down, receivers across, and a cursor.
type cross struct {
	row, col int
	drawn    drawnCross
}

// drawnCross is where cells were drawn last.
type drawnCross struct{ left, top, across, down, cell int }

// Keys move.
func (*cross) Keys() []Key {
	return []Key{documented("arrows", "move the cursor; the deciding rules are shown below")}
}

// move follows a key.
func (g *cross) move(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "up", "k":
		g.row--
	case "down", "j":
		g.row++
	case "left", "h":
		g.col--
	case "right", "l":
		g.col++
	}
}

// clamp keeps the cursor among n parties.
func (g *cross) clamp(n int) { g.row, g.col = max(0, min(g.row, n-1)), max(0, min(g.col, n-1)) }

// put puts the cursor on the cell at a place of the page, of n parties, and reports whether there is one, and whether it was there before.
func (g *cross) put(x, y, n int) (cell, same bool) {
	d := g.drawn
	across, down := (x-nameWidth)/(d.cell+1), y-2 // below what it is of, and the names
	col, row := d.left+across, d.top+down
	if x < nameWidth || down < 0 || across >= d.across || down >= d.down || col >= n || row >= n {
		return false, false
	}
	same = col == g.col && row == g.row
	g.col, g.row = col, row
	return true, same
}

// draw is the names and the cells in view, as many as fit into a height.
func (g *cross) draw(c Canvas, names []string, height int, text func(row, col int) (string, theme.Role)) []string {
	t, n := c.Theme, len(names)
	cell := min(max((c.Width-nameWidth)/n-1, minCell), maxCell)
	across, down := max(1, (c.Width-nameWidth)/(cell+1)), max(1, height-1)
	left, top := widget.InView(g.drawn.left, g.col, across, n), widget.InView(g.drawn.top, g.row, down, n)
	g.drawn = drawnCross{left, top, across, down, cell}
	head := widget.Fit(t, "from \\ to", nameWidth)
	for i := left; i < min(n, left+across); i++ {
		head += widget.Fit(t, names[i], cell) + " "
	}
	out := []string{t.Paint(theme.Title, head)}
	for r := top; r < min(n, top+down); r++ {
		line := t.Paint(theme.Title, widget.Fit(t, names[r], nameWidth))
		for i := left; i < min(n, left+across); i++ {
			words, role := text(r, i)
			if r == g.row && i == g.col {
				role = theme.Cursor
			}
			line += t.Paint(role, widget.Fit(t, words, cell)) + " "
		}
		out = append(out, line)
	}
	return out
}

// cellText is how a sum of verdicts is drawn; "" is not judged.
func cellText(t *theme.Theme, sum string) (string, theme.Role) {
	switch sum {
	case "", "not judged":
		return "-", theme.Dim
	case "all":
		return t.Glyphs.Dot + " all", theme.Good
	case "none", "none: tenants are isolated":
		return t.Glyphs.Free + " none", theme.Bad
	}
	return t.Glyphs.Half + " " + sum, theme.Held
}

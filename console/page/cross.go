// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/fold"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// minName is how many cells the names of rows have at least.
const minName = 18

// pairs is a matrix: which party may open connections to which. It is not changed.
type pairs struct {
	names  []string
	folded func(f fold.Fold) string // the name of a fold
	folds  fold.Matrix
	sum    func(from, to int) string
}

// cross shows pairs, senders down, receivers across, with equal rows and columns folded, and a cursor.
type cross struct {
	row, col  int
	at        [2]string          // names of the first parties of the row and of the column under the cursor
	toggled   [2]map[string]bool // rows and columns, by the first party: folds that are open though they are closed at first, or the other way
	toggles   int
	wish      cellStyle // what the user asks for in the cells
	shown     cellStyle // what they show
	layout    crossLayout
	drawn     drawnCross
	onlyPairs pairFilter
}

// cellStyle is what cells show.
type cellStyle uint8

// The styles.
const (
	fitting cellStyle = iota // the traffic if nothing of it is cut, else its class
	traffic
	classes
)

// side is a row or a column: parties, and what they are called.
type side struct {
	fold.Fold
	name string
}

// crossLayout is the visible rows and columns of pairs.
type crossLayout struct {
	of         *pairs
	filter     *widget.Filter
	toggles    int
	rows, cols []side
}

// drawnCross is where cells were drawn last.
type drawnCross struct{ left, top, across, down, cell, name, head int }

// pairFilter is a filter of the form FROM>TO, in its parts.
type pairFilter struct {
	of       *widget.Filter
	from, to *widget.Filter
}

// set takes a filter: FROM>TO, FROM>, >TO, or FROM.
func (p *pairFilter) set(f *widget.Filter) {
	if p.of == f {
		return
	}
	*p = pairFilter{of: f, from: f}
	if f == nil {
		return
	}
	from, to, cut := strings.Cut(f.Text, ">")
	if !cut {
		return
	}
	a, err := widget.NewFilter(strings.TrimSpace(from))
	b, err2 := widget.NewFilter(strings.TrimSpace(to))
	if err == nil && err2 == nil {
		p.from, p.to = a, b
	}
}

// Keys move.
func (*cross) Keys() []Key {
	return []Key{documented("arrows", "move the cursor; the deciding rules are shown below"), documented("pgup pgdn g G", "move by a page of rows, to the first or last row")}
}

// keys are those of pages with a cross; show has it laid out.
func (g *cross) keys(show func(c Canvas, s *feed.Snapshot) bool) []Key {
	return []Key{
		on("space", "unfold the equal rows and columns under the cursor, or fold them", func(_ string, c Canvas, s *feed.Snapshot) Action {
			if show(c, s) {
				g.toggle()
				show(c, s)
			}
			return Action{}
		}).hint("space", "unfold"),
		on("+", "show the allowed traffic in the cells, or its class", func(string, Canvas, *feed.Snapshot) Action {
			if g.wish = traffic; g.shown == traffic {
				g.wish = classes
			}
			return Action{}
		}).hint("+", "ports"),
		documented("/", "filter by sender and receiver: web>db, web>, >db").hint("/", "from>to"),
	}
}

// show lays pairs out, with the cursor where it was, and reports whether anything is left of it.
func (g *cross) show(x *pairs, filter *widget.Filter) bool {
	if l := &g.layout; l.of != x || l.filter != filter || l.toggles != g.toggles {
		g.onlyPairs.set(filter)
		*l = crossLayout{x, filter, g.toggles, sides(x, x.folds.Rows, g.toggled[0], g.onlyPairs.from), sides(x, x.folds.Cols, g.toggled[1], g.onlyPairs.to)}
	}
	g.row, g.col = g.place(g.layout.rows, g.at[0], g.row), g.place(g.layout.cols, g.at[1], g.col)
	return len(g.layout.rows) > 0 && len(g.layout.cols) > 0
}

// isOpen reports whether a fold is open. In a small matrix all are at first.
func (x *pairs) isOpen(f fold.Fold, toggled map[string]bool) bool {
	return (len(x.names) <= fold.From) != toggled[x.names[f[0]]]
}

// sides are the rows or columns of folds, with only the parties that a filter keeps.
func sides(x *pairs, folds []fold.Fold, toggled map[string]bool, keeps *widget.Filter) (out []side) {
	for _, f := range folds {
		unfolded := x.isOpen(f, toggled)
		if keeps != nil {
			f = slices.DeleteFunc(slices.Clone(f), func(i int) bool { return !keeps.Keeps(x.names[i]) })
		}
		switch {
		case len(f) == 0:
		case len(f) == 1:
			out = append(out, side{f, x.names[f[0]]})
		case unfolded:
			for _, i := range f {
				out = append(out, side{fold.Fold{i}, x.names[i]})
			}
		default:
			out = append(out, side{f, x.folded(f)})
		}
	}
	slices.SortFunc(out, func(a, b side) int { return a.Fold[0] - b.Fold[0] })
	return out
}

// place is where the row or column with a party is; else the one at the place where it was.
func (g *cross) place(of []side, party string, was int) int {
	x := g.layout.of
	if i := slices.IndexFunc(of, func(s side) bool {
		return slices.ContainsFunc(s.Fold, func(k int) bool { return x.names[k] == party })
	}); party != "" && i >= 0 {
		return i
	}
	return max(0, min(was, len(of)-1))
}

// focus notes the parties under the cursor.
func (g *cross) focus() {
	l := &g.layout
	g.row, g.col = max(0, min(g.row, len(l.rows)-1)), max(0, min(g.col, len(l.cols)-1))
	if len(l.rows) > 0 && len(l.cols) > 0 {
		g.at = [2]string{l.of.names[l.rows[g.row].Fold[0]], l.of.names[l.cols[g.col].Fold[0]]}
	}
}

// toggle unfolds the row and the column under the cursor if one of them is folded, and else folds them.
func (g *cross) toggle() {
	g.focus()
	l := &g.layout
	here := [2]side{l.rows[g.row], l.cols[g.col]}
	opens := len(here[0].Fold) > 1 || len(here[1].Fold) > 1
	for i, folds := range [][]fold.Fold{l.of.folds.Rows, l.of.folds.Cols} {
		f := folds[slices.IndexFunc(folds, func(f fold.Fold) bool { return slices.Contains(f, here[i].Fold[0]) })]
		open := l.of.isOpen(f, g.toggled[i])
		if opens && len(here[i].Fold) == 1 || !opens && (!open || len(f) == 1) {
			continue
		}
		if g.toggled[i] == nil {
			g.toggled[i] = map[string]bool{}
		}
		first := l.of.names[f[0]]
		g.toggled[i][first] = !g.toggled[i][first]
	}
	g.toggles++
}

// pair is the first parties of the row and of the column under the cursor.
func (g *cross) pair() (from, to int) {
	return g.layout.rows[g.row].Fold[0], g.layout.cols[g.col].Fold[0]
}

// move follows a key.
func (g *cross) move(msg tea.KeyPressMsg) {
	switch key := msg.String(); key {
	case "left", "h":
		g.col--
	case "right", "l":
		g.col++
	default:
		g.row, _ = widget.Move(key, g.row, max(1, g.drawn.down), len(g.layout.rows))
	}
	g.focus()
}

// put puts the cursor on the cell at a place of the page, and reports whether there is one, and whether it was there before.
func (g *cross) put(x, y int) (cell, same bool) {
	d := g.drawn
	if x < d.name || y < d.head+1 { // below what it is of, and the names
		return false, false
	}
	across, down := (x-d.name)/(d.cell+1), y-d.head-1
	col, row := d.left+across, d.top+down
	if across >= d.across || down >= d.down || col >= len(g.layout.cols) || row >= len(g.layout.rows) {
		return false, false
	}
	same = col == g.col && row == g.row
	g.col, g.row = col, row
	g.focus()
	return true, same
}

// How many cells the text of a cell has.
const (
	wordCell         = 6 // from here on a class has its word, too
	maxCell          = 20
	minText, maxText = 12, 30
)

// draw is the names and the cells in view, as many as fit into a height, and a line with the signs.
func (g *cross) draw(c Canvas, height int) []string {
	t, rows, cols := c.Theme, g.layout.rows, g.layout.cols
	name, widest := minName, 1
	for _, r := range rows {
		name = max(name, widget.Width(r.name)+1)
	}
	for _, x := range cols {
		widest = max(widest, widget.Width(x.name))
	}
	name = min(name, max(minName, c.Width/3))
	room := c.Width - name
	cell, text, head := g.cells(rows, cols, room, widest)
	if g.shown = classes; text {
		g.shown = traffic
	}
	if !text && head == 0 { // names of columns downwards
		cell, head = 1, max(1, min(widest, max(height/3, height-len(rows)-1)))
	}
	across, down := max(1, room/(cell+1)), max(1, height-1-max(1, head))
	left, top := widget.InView(g.drawn.left, g.col, across, len(cols)), widget.InView(g.drawn.top, g.row, down, len(rows))
	g.drawn = drawnCross{left, top, across, down, cell, name, max(1, head)}
	shownCols, shownRows := cols[left:min(len(cols), left+across)], rows[top:min(len(rows), top+down)]
	out := g.header(t, shownCols, name, cell, head)
	for r, row := range shownRows {
		line := t.Paint(theme.Title, widget.Fit(t, row.name, name))
		for i, col := range shownCols {
			sum := g.layout.of.sum(row.Fold[0], col.Fold[0])
			words, role := cellText(t, sum, text, cell)
			if top+r == g.row && left+i == g.col {
				role = theme.Cursor
			}
			line += t.Paint(role, widget.Fit(t, words, cell)) + " "
		}
		out = append(out, line)
	}
	return append(out, g.key(t, len(shownRows), len(shownCols), text))
}

// cells chooses the width of cells and whether they show the traffic. Without the user's wish they do where nothing is cut. vertical is not 0
// where names are beside each other.
func (g *cross) cells(rows, cols []side, room, widest int) (cell int, text bool, beside int) {
	n := len(cols)
	even := min(max(room/n-1, minText), maxText)
	switch {
	case g.wish == traffic:
		return even, true, 1
	case g.wish == classes:
	case n*(even+1) <= room && widest <= even && len(rows)*n <= 400:
		cut := slices.ContainsFunc(rows, func(r side) bool {
			return slices.ContainsFunc(cols, func(x side) bool { return widget.Width(g.layout.of.sum(r.Fold[0], x.Fold[0]))+2 > even })
		})
		if !cut {
			return even, true, 1
		}
	}
	if cell = min(max(widest, wordCell+4), maxCell); widest <= cell && n*(cell+1) <= room {
		return cell, false, 1
	}
	if cell = max(widest, 3); widest <= maxCell && n*(cell+1) <= room {
		return cell, false, 1
	}
	return 1, false, 0
}

// header is the names of columns: beside each other, or downwards in lines lines, cut if they are longer.
func (g *cross) header(t *theme.Theme, cols []side, name, cell, lines int) (out []string) {
	corner := widget.Fit(t, "from \\ to", name)
	if cell > 1 {
		for _, x := range cols {
			corner += widget.Fit(t, x.name, cell) + " "
		}
		return []string{t.Paint(theme.Title, corner)}
	}
	for i := range lines {
		line := strings.Repeat(" ", name)
		if i == lines-1 {
			line = corner
		}
		for _, x := range cols {
			letters := []rune(widget.Bare(x.name))
			at, sign := i-(lines-min(lines, len(letters))), " " // the last letters are beside the cells
			switch {
			case at < 0:
			case len(letters) <= lines:
				sign = string(letters[at])
			case i == 0: // the end of a name is what differs
				sign = t.Glyphs.Ellipsis
			default:
				sign = string(letters[len(letters)-lines+i])
			}
			line += widget.Fit(t, sign, 1) + " "
		}
		out = append(out, t.Paint(theme.Title, line))
	}
	return out
}

// key explains the signs, and what part of the matrix is in view.
func (g *cross) key(t *theme.Theme, rows, cols int, text bool) string {
	var parts []string
	for _, class := range []verdict.Class{verdict.All, verdict.Some, verdict.None, verdict.ByAddress, verdict.Unjudged} {
		sign, _ := classSign(t, class)
		word := class.String()
		if class == verdict.Some && !text {
			word = "some (+ shows it)"
		}
		parts = append(parts, sign+" "+word)
	}
	var where []string
	for _, x := range []struct {
		what       string
		shown, all int
		first      int
	}{{"rows", rows, len(g.layout.rows), g.drawn.top}, {"columns", cols, len(g.layout.cols), g.drawn.left}} {
		if x.shown < x.all {
			where = append(where, fmt.Sprintf("%s %d-%d of %d", x.what, x.first+1, x.first+x.shown, x.all))
		}
	}
	if len(where) > 0 {
		parts = append([]string{strings.Join(where, ", ") + "  "}, parts...)
	}
	return t.Paint(theme.Dim, strings.Join(parts, "  "))
}

// size describes how much of a large matrix is folded.
func (g *cross) size(what string) string {
	n := len(g.layout.of.names)
	if n <= fold.From {
		return ""
	}
	return fmt.Sprintf("  %d %s: %d rows and %d columns differ", n, what, len(g.layout.of.folds.Rows), len(g.layout.of.folds.Cols))
}

// folding is a note on whose rules are shown for a cell of folds; "" if the cell is of two parties.
func (g *cross) folding() string {
	row, col := g.layout.rows[g.row], g.layout.cols[g.col]
	if len(row.Fold) == 1 && len(col.Fold) == 1 {
		return ""
	}
	from, to := g.pair()
	return fmt.Sprintf("rules of %s to %s, one of %d pairs with this result; space unfolds", g.layout.of.names[from], g.layout.of.names[to], len(row.Fold)*len(col.Fold))
}

// classSign is the sign of a class, and its role.
func classSign(t *theme.Theme, class verdict.Class) (string, theme.Role) {
	switch class {
	case verdict.All:
		return t.Glyphs.Dot, theme.Good
	case verdict.None:
		return t.Glyphs.Free, theme.Bad
	case verdict.Some:
		return t.Glyphs.Half, theme.Held
	case verdict.ByAddress:
		return "?", theme.Warn
	}
	return "-", theme.Dim
}

// cellText is how a sum of verdicts is drawn in a cell of a width: the traffic, or its class.
func cellText(t *theme.Theme, sum string, text bool, cell int) (string, theme.Role) {
	class := verdict.ClassOf(sum)
	sign, role := classSign(t, class)
	switch {
	case class == verdict.Unjudged || !text && cell < wordCell:
		return sign, role
	case class == verdict.None:
		return sign + " none", role
	case class == verdict.ByAddress && text:
		return t.Glyphs.Half + " " + sum, theme.Held
	case text:
		return sign + " " + sum, role
	}
	return sign + " " + class.String(), role
}

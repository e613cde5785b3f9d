// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/sortkey"
)

// layout is the widths of the columns of a table and which of them hold numbers, which are aligned right.
type layout struct {
	widths []int // 0: the column is hidden
	right  []bool
	hidden int // number of hidden columns with cells
}

// shortHeader is how much of its name a column keeps whose cells need less; narrowest is the width below which no column
// is made narrower.
const shortHeader, narrowest = 7, 4

// address is the width of an IPv4 address with the length of its prefix.
const address = 18

// leastOf returns the width below which a column of a rank is not cut while others of its rank or below are wider: 1 is the lowest rank.
func leastOf(rank int) int { return [...]int{narrowest, 6, 10, 14}[min(max(rank, 0), 3)] }

// newLayout gives each column what its header and its cells need. Where that is too much it hides columns without a cell, the last of the
// lowest rank first, except those of the highest rank. Then it takes from headers that are wider than what is below them, then from the
// widest column of the lowest rank, and then from the widest, until all fit. Unless all is set, it hides columns of the lowest rank, the last
// first, before it cuts cells of the highest rank, or those of the middle one to less than an address. ranks may be shorter than
// headers: a missing rank is 2.
func newLayout(headers []string, rows []Row, width int, all bool, ranks ...int) layout {
	l := layout{widths: make([]int, len(headers)), right: make([]bool, len(headers))}
	needs := make([]int, len(headers)) // of the cells
	for i, h := range headers {
		numbers := 0
		l.right[i] = true
		for _, r := range rows {
			c := cell(r.Cells, i)
			needs[i] = max(needs[i], Width(c))
			if _, ok := sortkey.Quantity(c); ok {
				numbers++
			} else if !sortkey.Unset(c) && c != "never" {
				l.right[i] = false
			}
		}
		l.right[i] = l.right[i] && numbers > 0
		l.widths[i] = max(Width(h), needs[i])
	}
	if len(rows) > 0 {
		l.hide(needs, ranks, width)
	}
	for {
		natural := slices.Clone(l.widths)
		l.narrow(needs, ranks, width)
		last := lastShown(natural, ranks)
		if all || last < 0 || !l.cuts(needs, ranks) {
			return l
		}
		l.widths, l.hidden = natural, l.hidden+1
		l.widths[last] = 0
	}
}

// lastShown returns the last column of the lowest rank that is not hidden; -1: none.
func lastShown(widths, ranks []int) int {
	for i := len(widths) - 1; i >= 0; i-- {
		if widths[i] > 0 && rankAt(ranks, i) == 1 {
			return i
		}
	}
	return -1
}

// cuts reports whether cells of the highest rank are cut, or those of the middle one to less than an address.
func (l *layout) cuts(needs, ranks []int) bool {
	for i, w := range l.widths {
		rank := rankAt(ranks, i)
		if w > 0 && w < needs[i] && (rank > 2 || rank == 2 && w < address) {
			return true
		}
	}
	return false
}

// narrow makes columns narrower until all fit, or none can give way.
func (l *layout) narrow(needs, ranks []int, width int) {
	for len(l.widths) > 0 {
		sum, widest, idle, most := l.sum(), 0, 0, 0
		for i, w := range l.widths {
			if w > l.widths[widest] {
				widest = i
			}
			if spare := w - max(needs[i], shortHeader); spare > most {
				idle, most = i, spare
			}
		}
		low := l.lowest(ranks)
		switch {
		case sum <= width || most == 0 && l.widths[widest] <= narrowest:
			return
		case most > 0:
			l.widths[idle]--
		case low >= 0:
			l.widths[low]--
		default:
			l.widths[widest] -= min(sum-width, max(1, l.widths[widest]/8))
		}
	}
}

// sum returns the width of all columns with the blanks between them.
func (l *layout) sum() (sum int) {
	for _, w := range l.widths {
		if w > 0 {
			sum += w + 2
		}
	}
	return max(sum-2, 0)
}

// hide hides empty columns until the others fit, or none is empty: their width is 0.
func (l *layout) hide(needs, ranks []int, width int) {
	for rank := 1; rank < 3; rank++ {
		for i := len(l.widths) - 1; i >= 0 && l.sum() > width; i-- {
			if needs[i] == 0 && rankAt(ranks, i) == rank {
				l.widths[i] = 0
			}
		}
	}
}

// lowest returns the widest column of the lowest rank that has one wider than the least of its rank; -1: none, or no ranks are known.
func (l *layout) lowest(ranks []int) int {
	found := -1
	for i, w := range l.widths {
		rank := rankAt(ranks, i)
		if w <= leastOf(rank) {
			continue
		}
		if len(ranks) > 0 && (found < 0 || rank < rankAt(ranks, found) || rank == rankAt(ranks, found) && w > l.widths[found]) {
			found = i
		}
	}
	return found
}

func rankAt(ranks []int, i int) int {
	if i < len(ranks) {
		return ranks[i]
	}
	return 2
}

// join puts cells side by side, each painted.
func (l layout) join(th *theme.Theme, cells []string, paint func(column int, text string) string) string {
	parts := make([]string, 0, len(l.widths))
	for i, w := range l.widths {
		if w == 0 {
			continue
		}
		text := ""
		if i < len(cells) {
			text = cells[i]
		}
		if l.right[i] {
			text = blanks(w-Width(text)) + text
		}
		parts = append(parts, paint(i, Fit(th, text, w)))
	}
	return strings.Join(parts, "  ")
}

// unpainted returns text unchanged.
func unpainted(_ int, text string) string { return text }

// header draws the names of the columns.
func (l layout) header(th *theme.Theme, names []string, width int) string {
	return th.Paint(theme.Title, Fit(th, "  "+l.join(th, names, unpainted), width))
}

// line draws a row without the cursor. fresh has the cells that changed a moment ago.
func (l layout) line(th *theme.Theme, r Row, fresh []bool, badge string, width int) string {
	sign := " "
	if slices.Contains(fresh, true) {
		sign = th.Paint(theme.Fresh, th.Glyphs.Fresh)
	}
	return Fit(th, sign+badge+l.join(th, r.Cells, func(column int, text string) string {
		if column < len(fresh) && fresh[column] {
			return th.Paint(theme.Fresh, text)
		}
		return th.Paint(r.Role, text)
	}), width)
}

package widget

import (
	"strings"

	"github.com/contiv/contiv/console/theme"
)

// layout is how wide the columns of a table are and which of them hold numbers, which stand at the right.
type layout struct {
	widths []int
	right  []bool
}

// newLayout gives each column what its cells need, and takes from the widest until all fit.
func newLayout(headers []string, rows []Row, width int) layout {
	l := layout{make([]int, len(headers)), make([]bool, len(headers))}
	for i, h := range headers {
		numbers := 0
		l.widths[i], l.right[i] = Width(h), true
		for _, r := range rows {
			c := cell(r, i)
			l.widths[i] = max(l.widths[i], Width(c))
			if _, ok := quantity(c); ok {
				numbers++
			} else if !unknown(c) {
				l.right[i] = false
			}
		}
		l.right[i] = l.right[i] && numbers > 0
	}
	for {
		sum, widest := 2*(len(l.widths)-1), 0
		for i, w := range l.widths {
			sum += w
			if w > l.widths[widest] {
				widest = i
			}
		}
		if sum <= width || len(l.widths) == 0 || l.widths[widest] <= 4 {
			return l
		}
		l.widths[widest] -= min(sum-width, max(1, l.widths[widest]/8))
	}
}

// join puts cells side by side, each painted.
func (l layout) join(th *theme.Theme, cells []string, paint func(column int, text string) string) string {
	parts := make([]string, len(l.widths))
	for i, w := range l.widths {
		text := ""
		if i < len(cells) {
			text = cells[i]
		}
		if l.right[i] {
			text = blanks(w-Width(text)) + text
		}
		parts[i] = paint(i, Fit(th, text, w))
	}
	return strings.Join(parts, "  ")
}

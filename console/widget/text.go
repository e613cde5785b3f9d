// SPDX-License-Identifier: Apache-2.0

// Package widget is the parts that pages are drawn of: fitted text, tables, bars, address maps. It knows nothing of the
// cluster and computes only.
package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/theme"
)

// Fit makes text exactly width cells wide: padded, or cut off with an ellipsis. It counts cells, not bytes, keeps
// colours, and never splits a character.
func Fit(t *theme.Theme, text string, width int) string {
	w := Width(text)
	if w > width {
		text = ansi.Truncate(text, max(width, 0), t.Glyphs.Ellipsis)
		w = Width(text) // a wide character at the edge leaves a cell
	}
	return text + blanks(width-w)
}

const manyBlanks = "                                                                                                                                "

// blanks is n blanks; none when n is negative.
func blanks(n int) string {
	if n <= len(manyBlanks) {
		return manyBlanks[:max(n, 0)]
	}
	return strings.Repeat(" ", n)
}

// Parts is a line of width cells that begins with head, with as many parts as fit: an ellipsis replaces omitted ones. The first part is
// always there, truncated if necessary.
func Parts(t *theme.Theme, head, between string, parts []string, width int) string {
	line := head
	for i, part := range parts {
		next := line
		if i > 0 {
			next += between
		}
		next += part
		room := width
		if i < len(parts)-1 {
			room -= Width(between) + Width(t.Glyphs.Ellipsis)
		}
		if i > 0 && Width(next) > room {
			return line + between + t.Glyphs.Ellipsis
		}
		line = next
	}
	return Fit(t, line, width)
}

// Beside puts texts beside each other in height lines: the left one is width cells wide, and a line divides them.
func Beside(t *theme.Theme, left, right []string, width, height int) []string {
	out := make([]string, height)
	for i := range out {
		a, b := "", ""
		if i < len(left) {
			a = left[i]
		}
		if i < len(right) {
			b = right[i]
		}
		out[i] = Fit(t, a, width) + " " + t.Paint(theme.Dim, t.Glyphs.Box[5]) + " " + b
	}
	return out
}

// Sides puts left and right on one line of width cells. If only one fits, left stays.
func Sides(t *theme.Theme, left, right string, width int) string {
	room := width - Width(right) - 1
	if room < Width(left) {
		return Fit(t, left, width)
	}
	return Fit(t, left, room) + " " + right
}

// Bar is a fill bar of width cells: amber from 80 percent, red when full.
func Bar(t *theme.Theme, used, total, width int) string {
	if total <= 0 {
		return t.Paint(theme.Dim, strings.Repeat(t.Glyphs.Empty, width))
	}
	n := used * width / total
	if used > 0 {
		n = max(n, 1)
	}
	n = min(n, width)
	role := theme.Good
	switch {
	case used >= total:
		role = theme.Bad
	case used*100 >= total*80:
		role = theme.Warn
	}
	return t.Paint(role, strings.Repeat(t.Glyphs.Full, n)) + t.Paint(theme.Dim, strings.Repeat(t.Glyphs.Empty, width-n))
}

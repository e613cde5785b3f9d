// SPDX-License-Identifier: Apache-2.0

package page

import (
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// list is a body of rows.
type list[T comparable] struct {
	headers func(c Canvas) []string
	items   func(s *feed.Snapshot) []T
	id      func(item T) string // stays the same when the item's row changes
	row     func(c Canvas, s *feed.Snapshot, item T) widget.Row
	// source describes the rest of the content, or loads more; nil: the content is complete.
	source func(src *widget.Source[T], c Canvas, s *feed.Snapshot)
	// above draws the lines above the rows, and reports whether there is anything to list yet; nil: nothing, and yes.
	above func(c Canvas, s *feed.Snapshot) (lines []string, ready bool)
	empty func(s *feed.Snapshot) string // text if there are no rows

	follow func() bool // reports whether the cursor stays on the last row; nil: it does not

	table   widget.Table[T]
	working string
	top     int // the line of the header
}

// listVersion is what the rows of a list follow from.
type listVersion struct {
	snapshot *feed.Snapshot
	theme    *theme.Theme
	width    int
	second   int64
}

// columns returns constant headers.
func columns(names ...string) func(Canvas) []string {
	return func(Canvas) []string { return names }
}

// show shows the content of a snapshot in the table.
func (l *list[T]) show(c Canvas, s *feed.Snapshot) {
	src := widget.Source[T]{Version: listVersion{s, c.Theme, c.Width, c.Now.Unix()}, Load: func() widget.Content[T] {
		return widget.Content[T]{Items: l.items(s), ID: l.id, Row: func(item T) widget.Row { return l.row(c, s, item) }}
	}}
	if l.source != nil {
		l.source(&src, c, s)
	}
	l.working = l.table.Show(src, c.Filter, c.Now, c.Background)
	if l.follow != nil && l.follow() {
		l.table.SelectLast()
	}
}

// Title is the number of rows and the position of the cursor.
func (l *list[T]) Title() string { return l.table.Title() }

// on declares keys that act on the selected item.
func (l *list[T]) on(keys, does string, do func(item T) Action) Key {
	return l.with(keys, does, func(item T, _ *feed.Snapshot) Action { return do(item) })
}

// with is on of what needs the snapshot, too.
func (l *list[T]) with(keys, does string, do func(item T, s *feed.Snapshot) Action) Key {
	return on(keys, does, func(_ string, c Canvas, s *feed.Snapshot) Action {
		l.show(c, s)
		if item, ok := l.table.Selected(); ok {
			return do(item, s)
		}
		return Action{}
	})
}

// beside is Beside of a page: the page of the selected item.
func (l *list[T]) beside(of func(item T) *Page) func(c Canvas, s *feed.Snapshot) (string, *Page) {
	return func(c Canvas, s *feed.Snapshot) (string, *Page) {
		l.show(c, s)
		if item, ok := l.table.Selected(); ok {
			return l.table.SelectedID(), of(item)
		}
		return "", nil
	}
}

// Keys are those of rows.
func (l *list[T]) Keys() []Key {
	return append(moveKeys(),
		documented("shift+letter", "sort by the column that starts with the letter; again: reverse, then by the next such column"),
		documented("s", "sort by the next column; after the last: unsorted").hint("s", "sort"))
}

// moveKeys move a cursor.
func moveKeys() []Key {
	return []Key{documented("up down j k", "move"), documented("pgup pgdn g G", "move by a page, to the first or last line")}
}

// Key moves, or sorts.
func (l *list[T]) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	l.show(c, s)
	l.table.Key(msg, l.headers(c), max(1, c.Height-1), c.Now)
	return Action{}
}

func (l *list[T]) click(x, y int, _ Canvas, _ *feed.Snapshot) Action {
	l.table.Click(x, y-l.top)
	return Action{}
}

// Working is what is still being done to the rows.
func (l *list[T]) Working() string { return l.working }

// View draws what is above the rows, and the rows.
func (l *list[T]) View(c Canvas, s *feed.Snapshot) (out []string) {
	if l.above != nil {
		var ready bool
		if out, ready = l.above(c, s); !ready {
			l.top = c.Height
			return out
		}
	}
	return l.draw(c, s, out, max(2, c.Height-len(out)))
}

// draw adds the rows to lines, in height lines more.
func (l *list[T]) draw(c Canvas, s *feed.Snapshot, lines []string, height int) []string {
	l.show(c, s)
	l.top = len(lines)
	lines = append(lines, l.table.View(c.Theme, l.headers(c), c.Width, height, c.Now)...)
	if l.table.Len() == 0 {
		text := l.empty(s)
		if c.Filter != nil {
			text = "nothing matches the filter " + c.Filter.Text + " keeps"
		}
		lines = append(lines, c.Theme.Paint(theme.Dim, "  "+text))
	}
	return lines
}

// answered draws the state of the answer to a question, unless it is fresh and good; ready reports whether there is one.
func answered(q feed.Question, who string) func(c Canvas, s *feed.Snapshot) (lines []string, ready bool) {
	return func(c Canvas, s *feed.Snapshot) (lines []string, ready bool) {
		a := s.Answers[q]
		if line := answerState(c, a, who); line != "" {
			lines = append(lines, line)
		}
		return lines, a.Value != nil
	}
}

// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// How wide a terminal is from which lists have the page of the selected row beside them, and how much of it they keep.
const (
	paneFrom  = 160
	listWidth = 96
	divider   = 3
)

// paneLines bounds the lines that are laid out of the page beside a list.
const paneLines = 500

// panePause is the time without a move of the cursor after which the data of the page beside a list is requested.
const panePause = 300 * time.Millisecond

// paneMsg reports that such a time has passed since a move.
type paneMsg struct{ move int }

// pane is the page of the selected row, beside its list.
type pane struct {
	page    *page.Page // nil: nothing is selected
	of      *page.Page // the list
	row     string     // that is selected in it
	move    int        // number of the last move to another row
	asks    bool       // its data is requested
	waiting bool       // for the pause after the last move
	hidden  bool       // by the user
}

// split reports whether the page on the screen has another beside it.
func (m *Model) split() bool {
	return m.width >= paneFrom && m.page().Beside != nil && !m.pane.hidden
}

// pageWidth is the width of the page on the screen.
func (m *Model) pageWidth() int {
	if m.split() {
		return max(listWidth, m.width*11/20)
	}
	return m.width
}

// follow has the pane show the page of the selected row. Its data is requested at once if there is no pause.
func (m *Model) follow(s *feed.Snapshot) {
	if !m.split() {
		m.pane = pane{move: m.pane.move, hidden: m.pane.hidden}
		return
	}
	row, next := m.page().Beside(m.canvas(), s)
	m.pane.page = next
	if m.pane.of == m.page() && m.pane.row == row {
		return
	}
	m.pane.of, m.pane.row, m.pane.move = m.page(), row, m.pane.move+1
	m.pane.asks, m.pane.waiting = m.pause == 0, m.pause > 0 && next != nil
}

// await waits for a pause, if the cursor has moved.
func (m *Model) await() tea.Cmd {
	if !m.pane.waiting {
		return nil
	}
	m.pane.waiting = false
	move := m.pane.move
	return tea.Tick(m.pause, func(time.Time) tea.Msg { return paneMsg{move} })
}

// paused requests the data of the pane if the cursor has not moved since.
func (p *pane) paused(move int) { p.asks = p.asks || move == p.move }

// beside draws the page of the selected row at the right of a list.
func (m *Model) beside(list []string, c page.Canvas) []string {
	t := m.theme
	var right []string
	if p := m.pane.page; p != nil {
		side := page.Canvas{Width: m.width - c.Width - divider, Height: paneLines, Theme: t, Now: m.now, Background: m.work, Beside: true}
		right = p.Body.View(side, m.snapshot)
		if n := len(right) - c.Height + 1; n > 1 {
			right = append(right[:c.Height-1:c.Height-1], t.Paint(theme.Dim, fmt.Sprintf("%s %d more lines: enter", t.Glyphs.Ellipsis, n)))
		}
		for i := range right {
			right[i] = widget.Fit(t, right[i], side.Width)
		}
	}
	return widget.Beside(t, list, right, c.Width, c.Height)
}

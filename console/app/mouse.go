// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/page"
)

const (
	headerLines = 3
	wheelRows   = 3 // that a notch of the wheel moves by
)

// wheel moves as the arrow keys do.
func (m *Model) wheel(button tea.MouseButton) tea.Cmd {
	key, ok := map[tea.MouseButton]tea.KeyPressMsg{tea.MouseWheelUp: {Code: tea.KeyUp}, tea.MouseWheelDown: {Code: tea.KeyDown}}[button]
	if !ok || m.prompt.open() || m.finder != nil {
		return nil
	}
	var all []tea.Cmd
	for range wheelRows {
		if m.help != nil {
			m.help.key(key, m.canvas().Height-1)
		} else {
			all = append(all, m.perform(m.page().Key(key, m.canvas(), m.snapshot)))
		}
	}
	return tea.Batch(all...)
}

// click acts on what is drawn at a cell: crumbs and tabs lead to pages, the second line to what it complains about, and
// the rest is the page's.
func (m *Model) click(x, y int) tea.Cmd {
	switch {
	case m.prompt.open() || m.finder != nil:
	case m.help != nil:
		m.help = nil
	case y == 0:
		first := max(0, m.at-2)
		if i := m.crumb(x); i > 0 {
			m.move(first + i - 1)
		} else if i == 0 {
			m.visit(page.Overview())
		}
	case y == 1:
		m.goToProblem()
	case y == m.height-2:
		if i := textAt(m.tabs(), 1, 1, x); i >= 0 {
			m.visit(page.Numbered()[i].Make())
		} else if strings.Contains(ansi.Cut(m.footer()[1], max(0, x-2), x+6), "help") {
			m.help = newHelp(m)
		}
	case y >= headerLines && y < m.height-headerLines && x >= m.pageWidth():
		if m.pane.page != nil {
			m.open(m.pane.page)
		}
	case y >= headerLines && y < m.height-headerLines:
		return m.perform(m.page().Click(x, y-headerLines, m.canvas(), m.snapshot))
	}
	return nil
}

// crumb is the number of the crumb at a cell of the first line, the program's name being 0; -1: none is there.
func (m *Model) crumb(x int) int { return textAt(m.crumbs(), 0, 3, x) }

// textAt is the number of the text at a cell, of texts that begin at a cell and have gaps between them; -1: none is there.
func textAt(texts []string, at, gap, x int) int {
	for i, text := range texts {
		w := ansi.StringWidth(text)
		if x >= at && x < at+w {
			return i
		}
		at += w + gap
	}
	return -1
}

// SPDX-License-Identifier: Apache-2.0

package widget

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
)

// Move is where a key moves a cursor to, among n things of which a page is in view; ok is false for other keys.
func Move(key string, at, page, n int) (to int, ok bool) {
	switch key {
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "pgup":
		at -= page
	case "pgdown":
		at += page
	case "home", "g":
		at = 0
	case "end", "G":
		at = n - 1
	default:
		return at, false
	}
	return max(0, min(at, n-1)), true
}

// InView is the first of n things in a window of size things, which was at top and moves as far as the one at the cursor wants it.
func InView(top, at, size, n int) int {
	return max(0, min(max(min(top, at), at-size+1), n-size))
}

// Scroll is a window on lines of text. Its zero value is at the top.
type Scroll struct{ port *viewport.Model }

// view is the viewport, with the keys of the console instead of its own.
func (s *Scroll) view() *viewport.Model {
	if s.port == nil {
		port := viewport.New()
		port.KeyMap = viewport.KeyMap{Up: key.NewBinding(key.WithKeys("up", "k")), Down: key.NewBinding(key.WithKeys("down", "j")),
			PageUp: key.NewBinding(key.WithKeys("pgup")), PageDown: key.NewBinding(key.WithKeys("pgdown"))}
		s.port = &port
	}
	return s.port
}

// Key scrolls lines of which height are in view.
func (s *Scroll) Key(msg tea.KeyPressMsg, lines []string, height int) {
	port := s.view()
	port.SetHeight(height)
	port.SetContentLines(lines)
	switch msg.String() {
	case "home", "g":
		port.GotoTop()
	case "end", "G":
		port.GotoBottom()
	default:
		*port, _ = port.Update(msg)
	}
}

// View is the lines in view, and how many are below. The viewport's own View cuts long lines without a sign.
func (s *Scroll) View(lines []string, height int) (shown []string, below int) {
	port := s.view()
	port.SetHeight(height)
	port.SetContentLines(lines)
	top := min(port.YOffset(), len(lines))
	end := min(len(lines), top+max(height, 0))
	return lines[top:end], len(lines) - end
}

// Top goes to the first line.
func (s *Scroll) Top() { s.view().GotoTop() }

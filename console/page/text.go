// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// text is a body of lines that are scrolled.
type text struct {
	lines  func(c Canvas, s *feed.Snapshot) []string
	scroll widget.Scroll
}

// Keys scroll.
func (b *text) Keys() []Key { return scrollKeys() }

func scrollKeys() []Key {
	return []Key{documented("up down j k", "scroll").hint("up/down", "scroll"), documented("pgup pgdn g G", "scroll by a page, to the start or end")}
}

// Key scrolls.
func (b *text) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	b.scroll.Key(msg, b.lines(c, s), c.Height)
	return Action{}
}

// View draws the lines in view.
func (b *text) View(c Canvas, s *feed.Snapshot) []string {
	shown, _ := b.scroll.View(b.lines(c, s), c.Height)
	return shown
}

// textIndent is the indentation of the rest of a long line that begins with a name.
const textIndent = 11

// Text makes a page of a text; command prints the same.
func Text(name, command, body string) *Page {
	return &Page{Name: name, Command: command, Body: &text{lines: func(c Canvas, _ *feed.Snapshot) (out []string) {
		for _, line := range filtered(c, body) {
			indent := 0
			if name, _, cut := strings.Cut(line, "  "); cut && len(name) < textIndent {
				indent = textIndent
			}
			out = append(out, widget.Wrap(line, c.Width, indent)...)
		}
		return out
	}}}
}

// filtered is the lines of a text that the filter keeps.
func filtered(c Canvas, body string) (out []string) {
	for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
		if c.Filter.Keeps(line) {
			out = append(out, line)
		}
	}
	return out
}

// pending makes a placeholder for a page that can be made only after an object has been received.
func pending(name, command string, find func(s *feed.Snapshot) *Page) *Page {
	lines := func(c Canvas, s *feed.Snapshot) []string {
		if s.Synced {
			return []string{c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" there is no "+name+"; esc goes back")}
		}
		return []string{c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" "+name+" has not been received yet")}
	}
	return &Page{Name: name, Command: command, find: find, Body: &text{lines: lines}}
}

// Found is the page that p is a placeholder for, or p.
func (p *Page) Found(s *feed.Snapshot) *Page {
	if p.find != nil {
		if found := p.find(s); found != nil {
			return found
		}
	}
	return p
}

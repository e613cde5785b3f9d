// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"

	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// hint is a key and a word or two for what it does.
type hint struct{ key, word string }

// width is the number of cells of the hint, with the gap after it.
func (h hint) width() int { return widget.Width(h.key) + 1 + widget.Width(h.word) + 2 }

// hintLine is the rule above the tabs, with the keys of what is on the screen. Where it is too long, the last keys of the page are left out;
// those that work on every page stay.
func (m *Model) hintLine() string {
	own, always := m.hints()
	room := m.width - 5
	for _, h := range always {
		room -= h.width()
	}
	shown := make([]hint, 0, len(own)+len(always))
	for _, h := range own {
		if room -= h.width(); room < 0 {
			break
		}
		shown = append(shown, h)
	}
	t := m.theme
	line := t.Paint(theme.Dim, strings.Repeat(t.Glyphs.Rule, 2)) + " "
	used := 3
	for _, h := range append(shown, always...) {
		line += t.Paint(theme.Title, h.key) + " " + t.Paint(theme.Dim, h.word) + "  "
		used += h.width()
	}
	return line[:len(line)-1] + t.Paint(theme.Dim, strings.Repeat(t.Glyphs.Rule, max(0, m.width-used+1)))
}

// hints are the keys of what is on the screen, those of the page first, and those that work everywhere on it.
func (m *Model) hints() (own, always []hint) {
	switch {
	case m.finder != nil:
		return nil, []hint{{"enter", "open"}, {"tab", "complete"}, {"up/down", "select"}, {"esc", "close"}}
	case m.prompt.open():
		return nil, m.prompt.hints()
	case m.help != nil:
		return nil, []hint{{"up/down", "scroll"}, {"any other key", "close"}}
	}
	if m.inPast() {
		own = []hint{{"< >", "change"}, {", .", "minute"}, {"ctrl+e", "now"}}
	}
	seen := map[string]bool{}
	for _, k := range append(m.page().Keys, m.page().Body.Keys()...) {
		if key, word := k.Hint(m.editor != nil && !m.inPast()); key != "" && !seen[key] {
			seen[key] = true
			own = append(own, hint{key, word})
		}
	}
	if !seen["/"] {
		always = append(always, hint{"/", "filter"})
	}
	always = append(always, hint{findKeyName, "find"}, hint{":", "go to"})
	if (m.at > 0 || m.filter != nil) && !seen["esc"] {
		always = append(always, hint{"esc", "back"})
	}
	return own, always
}

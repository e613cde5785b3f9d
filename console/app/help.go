// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"strings"

	bubbles "charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// help is the keys that work, made from their declarations.
type help struct {
	lines  []string
	scroll widget.Scroll
}

func newHelp(m *Model) *help {
	h := &help{}
	section := func(title string, keys []key.Binding) {
		if len(keys) == 0 {
			return
		}
		view := bubbles.New()
		view.Styles = bubbles.Styles{FullKey: lipgloss.NewStyle().PaddingRight(1)} // without colours: the theme has them
		h.lines = append(h.lines, m.theme.Paint(theme.Title, title))
		for line := range strings.SplitSeq(view.FullHelpView([][]key.Binding{keys}), "\n") {
			h.lines = append(h.lines, "  "+strings.TrimRight(line, " "))
		}
	}
	section("EVERYWHERE", bindings(globalKeys()))
	section("THIS PAGE", pageKeys(m.page()))
	if m.replay != nil {
		section("THE RECORDING", bindings(replayKeys()))
	}
	if m.inPast() {
		section("THE PAST", bindings(pastKeys()))
	}
	section("YOUR KEYS", bindings(m.personal.keys()))
	section("YOUR VIEWS, by name behind \":\"", m.personal.entries())
	section("PAGES, by number or by name behind \":\"", entryKeys())
	return h
}

func bindings(of []binding) (out []key.Binding) {
	for _, b := range of {
		out = append(out, b.Binding)
	}
	return out
}

func pageKeys(p *page.Page) (out []key.Binding) {
	for _, k := range p.Help() {
		out = append(out, k.Binding)
	}
	return out
}

// entryKeys are the pages: number and name, what they show, and their other names.
func entryKeys() (out []key.Binding) {
	for i, e := range page.Entries() {
		name, does := "  "+e.Name, e.About
		if number := page.NumberKey(i); number != "" {
			name = number + " " + e.Name
		}
		if len(e.Aliases) > 0 {
			does = strings.Join(e.Aliases, " ") + ": " + does
		}
		out = append(out, key.NewBinding(key.WithKeys(e.Name), key.WithHelp(name, does)))
	}
	return out
}

// key scrolls, and reports whether the key was for that: any other ends the help.
func (h *help) key(msg tea.KeyPressMsg, height int) bool {
	if _, ok := widget.Move(msg.String(), 0, 1, 1); !ok {
		return false
	}
	h.scroll.Key(msg, h.lines, height)
	return true
}

// view is the part of the help that fits into height lines.
func (h *help) view(t *theme.Theme, height int) []string {
	if len(h.lines) <= height {
		return h.lines
	}
	shown, below := h.scroll.View(h.lines, height-1)
	more := fmt.Sprintf("%s %d more lines: up and down scroll, any other key closes the help", t.Glyphs.Ellipsis, below)
	return append(shown[:len(shown):len(shown)], t.Paint(theme.Dim, more))
}

package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// helpKey scrolls the help, or ends it.
func (m *Model) helpKey(key string) {
	rows := m.canvas().Height - 1
	switch key {
	case "up", "k":
		m.helpTop--
	case "down", "j":
		m.helpTop++
	case "pgup":
		m.helpTop -= rows
	case "pgdown":
		m.helpTop += rows
	default:
		m.help = false
	}
	m.helpTop = max(0, min(m.helpTop, len(m.helpLines())-rows))
}

// helpView is the part of the help that fits into height lines.
func (m *Model) helpView(height int) []string {
	lines := m.helpLines()
	if len(lines) <= height {
		return lines
	}
	shown, top := widget.Scroll(lines, m.helpTop, height-1)
	more := fmt.Sprintf("%s %d lines more: down and up scroll, any other key ends the help", m.theme.Glyphs.Ellipsis, len(lines)-len(shown)-top)
	return append(shown[:len(shown):len(shown)], m.theme.Paint(theme.Dim, more))
}

// pageKeys are the pages: number and name, what they show, and their other names.
func pageKeys() (out []theme.Key) {
	for i, e := range page.Entries() {
		number := " "
		if i < 9 {
			number = strconv.Itoa(i + 1)
		}
		does := e.About
		if len(e.Aliases) > 0 {
			does = strings.Join(e.Aliases, " ") + ": " + does
		}
		out = append(out, theme.Key{Keys: number + " " + e.Name, Does: does})
	}
	return out
}

// helpLines are the keys, made from the key tables.
func (m *Model) helpLines() []string {
	t := m.theme
	var out []string
	table := func(title string, keys []theme.Key) {
		if len(keys) == 0 {
			return
		}
		out = append(out, t.Paint(theme.Title, title))
		for _, k := range keys {
			out = append(out, "  "+widget.Fit(t, k.Keys, 20)+k.Does)
		}
	}
	table("EVERYWHERE", theme.GlobalKeys())
	table("THIS PAGE", m.page().Keys())
	if m.replay != nil {
		table("THE RECORDING", theme.ReplayKeys())
	}
	table("PAGES, by number or by name behind \":\"", pageKeys())
	return out
}

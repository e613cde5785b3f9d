// SPDX-License-Identifier: Apache-2.0

// Package theme is how the console styles and what its keys are: one set of styles, one set of glyphs, one key table.
package theme

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"charm.land/lipgloss/v2"
)

// Role is what a piece of text means. Colour follows meaning; every role has a glyph or a word beside it as well.
type Role uint8

// The roles.
const (
	Plain    Role = iota
	Dim           // old, unknown, explanation
	Title         // headings
	Good          // programmed, established
	Held          // held, pending
	Warn          // lagging, near a limit
	Bad           // failed, refused, lost
	Cursor        // the selected row or cell
	Relation      // related to what is selected
	Fresh         // changed a moment ago
)

// Glyphs are the signs that are not letters.
type Glyphs struct {
	Crumb, Dot, Half, Cross, Full, Empty, Rule, Up, Down, Cursor, Ellipsis, Free, Used string
	Open, Shut                                                                         string    // of a branch of a tree
	May, Fresh, Dark                                                                   string    // related; changed a moment ago; never met by a packet
	Box                                                                                [6]string // corners from the top left, line by line; then horizontal and vertical
	Tunnel                                                                             string
	Spark                                                                              string // levels, the lowest first, one character each
	Play, Pause, Mark                                                                  string // of a recording; of a row that the user marked
}

// Theme paints text. Its zero value paints nothing; New makes a useful one.
type Theme struct {
	Name   string
	Base   string // the theme of New whose background it has: Name, except for a skin
	Glyphs Glyphs
	styles []style // by Role
}

// style has the sequences before and after text of a role: sequences of SGR (ECMA-48, 8.3.117). Until a frame is complete, unguessable
// marks stand for them, so that a name in the cluster that contains sequences colours nothing.
type style struct{ begin, end, beginMark, endMark string }

// Names are the themes that New knows.
func Names() []string { return []string{"dark", "light", "sixteen", "mono"} }

// New makes the theme of that name. With ascii, it uses no character beyond ASCII.
func New(name string, ascii bool) (*Theme, error) {
	styles := stylesOf(name)
	if styles == nil {
		return nil, fmt.Errorf("theme: got %q, want one of %s", name, strings.Join(Names(), ", "))
	}
	return compiled(name, name, styles, ascii), nil
}

// stylesOf returns the styles of one of the themes; nil if none has that name.
func stylesOf(name string) map[Role]lipgloss.Style {
	base, color := lipgloss.NewStyle(), lipgloss.Color
	switch name {
	case "dark":
		return map[Role]lipgloss.Style{Dim: base.Foreground(color("245")), Title: base.Bold(true).Foreground(color("252")),
			Good: base.Foreground(color("114")), Held: base.Foreground(color("80")), Warn: base.Foreground(color("214")),
			Bad: base.Bold(true).Foreground(color("203")), Cursor: base.Reverse(true),
			Relation: base.Foreground(color("176")), Fresh: base.Bold(true).Underline(true).Foreground(color("231"))}
	case "light":
		return map[Role]lipgloss.Style{Dim: base.Foreground(color("242")), Title: base.Bold(true),
			Good: base.Foreground(color("28")), Held: base.Foreground(color("30")), Warn: base.Foreground(color("130")),
			Bad: base.Bold(true).Foreground(color("160")), Cursor: base.Reverse(true),
			Relation: base.Foreground(color("127")), Fresh: base.Bold(true).Underline(true)}
	case "sixteen": // the colours of the terminal's own palette, which suit its background
		return map[Role]lipgloss.Style{Dim: base.Foreground(color("8")), Title: base.Bold(true),
			Good: base.Foreground(color("2")), Held: base.Foreground(color("6")), Warn: base.Foreground(color("3")),
			Bad: base.Bold(true).Foreground(color("1")), Cursor: base.Reverse(true),
			Relation: base.Foreground(color("5")), Fresh: base.Bold(true).Underline(true)}
	case "mono":
		return map[Role]lipgloss.Style{Dim: base.Faint(true), Title: base.Bold(true), Bad: base.Bold(true), Cursor: base.Reverse(true),
			Relation: base.Bold(true), Fresh: base.Underline(true)}
	}
	return nil
}

// compiled makes a theme of styles, on the background of one of the themes.
func compiled(name, base string, styles map[Role]lipgloss.Style, ascii bool) *Theme {
	t := &Theme{Name: name, Base: base, Glyphs: glyphs(ascii), styles: make([]style, Fresh+1)}
	secret := rand.Uint64() | 1<<63
	for r, s := range styles {
		const sample = "x"
		begin, end, _ := strings.Cut(s.Render(sample), sample)
		t.styles[r] = style{begin, end, fmt.Sprintf("\x1b[%d;%dm", secret, 2*r), fmt.Sprintf("\x1b[%d;%dm", secret, 2*r+1)}
	}
	return t
}

// glyphs returns the signs; with ascii, none beyond ASCII.
func glyphs(ascii bool) Glyphs {
	if ascii {
		return Glyphs{">", "*", "~", "x", "#", ".", "-", "^", "v", ">", "~", ".", "#",
			"v", ">", "o", "*", "o", [6]string{"+", "+", "+", "+", "-", "|"}, "=", "_.-:=+*#", ">", "=", "+"}
	}
	return Glyphs{"▸", "●", "◐", "✗", "▓", "░", "─", "▲", "▼", "▶", "…", "·", "■",
		"▾", "▸", "□", "*", "◌", [6]string{"┌", "┐", "└", "┘", "─", "│"}, "═", "▁▂▃▄▅▆▇█", "▶", "‖", "◆"}
}

// Paint gives text the style of a role, by marks that take no cells; Render turns them into colours.
func (t *Theme) Paint(r Role, text string) string {
	if int(r) >= len(t.styles) || t.styles[r].begin == "" || text == "" {
		return text
	}
	return t.styles[r].beginMark + text + t.styles[r].endMark
}

// Mark is the length of the mark at the start of a text, and its sequence; 0 if there is none.
func (t *Theme) Mark(text string) (length int, sgr string) {
	for i := range t.styles {
		if l := &t.styles[i]; l.begin != "" {
			if strings.HasPrefix(text, l.beginMark) {
				return len(l.beginMark), l.begin
			}
			if strings.HasPrefix(text, l.endMark) {
				return len(l.endMark), l.end
			}
		}
	}
	return 0, ""
}

// Render replaces the marks of a text by their sequences: the last step of drawing.
func (t *Theme) Render(text string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, 0x1b)
		if at < 0 {
			break
		}
		n, sgr := t.Mark(text[at:])
		b.WriteString(text[:at])
		b.WriteString(sgr)
		text = text[at+max(n, 1):] // an escape that is no mark does not get out
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(text)
	return b.String()
}

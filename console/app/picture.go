// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Size of a cell and of the margin, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18
	margin                = 12
)

// ground are the colours of a terminal behind a frame, "#rrggbb".
type ground struct{ Background, Foreground string }

// groundOf are those of the theme of that name.
func groundOf(theme string) ground {
	if theme == "dark" || theme == "sixteen" {
		return ground{"#16181d", "#d4d7dd"}
	}
	return ground{"#ffffff", "#1f2328"}
}

// pen is how text is written: ECMA-48, SGR.
type pen struct {
	bold, faint, underline, reverse bool
	color, behind                   string // "": the ground's
}

// svg draws a frame. Lines are as long as they are wide in cells; sequences other than SGR are ignored.
func svg(frame string, g ground) string {
	lines := strings.Split(strings.TrimRight(frame, "\n"), "\n")
	width := 0
	for _, l := range lines {
		width = max(width, ansi.StringWidth(l))
	}
	w, h := float64(width)*cellWidth+2*margin, len(lines)*cellHeight+2*margin
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">`+"\n", w, h, w, h)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", g.Background)
	var p pen
	for y, l := range lines {
		p = p.line(&out, l, y, g)
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// line draws a line, run by run of the same look, and returns the pen as the line leaves it.
func (p pen) line(out *strings.Builder, text string, y int, g ground) pen {
	var state byte
	x, from, run := 0, 0, ""
	flush := func() {
		p.run(out, run, from, x-from, y, g)
		from, run = x, ""
	}
	for len(text) > 0 {
		seq, width, n, next := ansi.DecodeSequence(text, state, nil)
		state = next
		switch {
		case width > 0:
			run += seq
			x += width
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			flush()
			p.set(strings.Split(seq[2:len(seq)-1], ";"))
		}
		text = text[n:]
	}
	flush()
	return p
}

func (p pen) run(out *strings.Builder, text string, x, cells, y int, g ground) {
	foreground, ground := p.color, p.behind
	if foreground == "" {
		foreground = g.Foreground
	}
	if p.reverse {
		if ground == "" {
			ground = g.Background
		}
		foreground, ground = ground, foreground
	}
	left, top := margin+float64(x)*cellWidth, margin+y*cellHeight
	if ground != "" && cells > 0 {
		fmt.Fprintf(out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, float64(cells)*cellWidth, cellHeight, ground)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	look := ""
	if p.bold {
		look += ` font-weight="bold"`
	}
	if p.faint {
		look += ` opacity="0.6"`
	}
	if p.underline {
		look += ` text-decoration="underline"`
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s xml:space="preserve">%s</text>`+"\n", left, top+cellHeight-5, float64(cells)*cellWidth, foreground, look, html.EscapeString(strings.Map(printable, text)))
}

// printable drops what XML 1.0 does not permit (section 2.2).
func printable(r rune) rune {
	if unicode.IsControl(r) || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
		return -1
	}
	return r
}

// set takes the parameters of one SGR sequence.
func (p *pen) set(params []string) {
	for i := 0; i < len(params); i++ {
		n, err := strconv.Atoi(params[i])
		switch {
		case err != nil && params[i] != "":
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 2:
			p.faint = true
		case n == 4:
			p.underline = true
		case n == 7:
			p.reverse = true
		case n == 22:
			p.bold, p.faint = false, false
		case n == 24:
			p.underline = false
		case n == 27:
			p.reverse = false
		case n >= 30 && n <= 37:
			p.color = sgrColor(n - 30)
		case n == 39:
			p.color = ""
		case n >= 90 && n <= 97:
			p.color = sgrColor(n - 90 + 8)
		case n >= 40 && n <= 47:
			p.behind = sgrColor(n - 40)
		case n == 49:
			p.behind = ""
		case n >= 100 && n <= 107:
			p.behind = sgrColor(n - 100 + 8)
		case n == 38:
			i += extended(params[i+1:], &p.color)
		case n == 48:
			i += extended(params[i+1:], &p.behind)
		}
	}
}

// extended reads what follows 38 or 48, a colour of the palette (5;N) or of red, green and blue (2;R;G;B), and returns how many
// parameters it has taken. A colour that it cannot read changes nothing.
func extended(params []string, to *string) (taken int) {
	numbers := func(from, n int) (out []any) {
		for i := from; i < from+n && i < len(params); i++ {
			if v, err := strconv.ParseUint(params[i], 10, 8); err == nil {
				out = append(out, int(v))
			}
		}
		return out
	}
	switch {
	case len(params) > 0 && params[0] == "5":
		if v := numbers(1, 1); len(v) == 1 {
			*to = sgrColor(v[0].(int))
		}
		return min(2, len(params))
	case len(params) > 0 && params[0] == "2":
		if v := numbers(1, 3); len(v) == 3 {
			*to = fmt.Sprintf("#%02x%02x%02x", v...)
		}
		return min(4, len(params))
	}
	return len(params)
}

// sgrColor is an entry of the palette of 256 colours, as xterm has it; "" when there is none.
func sgrColor(i int) string {
	basic := [16]string{"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"}
	level := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	switch {
	case i < 0 || i > 255:
		return ""
	case i < 16:
		return basic[i]
	case i < 232:
		return fmt.Sprintf("#%02x%02x%02x", level((i-16)/36), level((i-16)/6%6), level((i-16)%6))
	}
	grey := 8 + 10*(i-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

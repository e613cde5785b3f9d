// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// maxNames bounds the width of the names of rows.
const maxNames = 24

// documents is the body of the pages of objects: text with links, one of which is selected.
type documents struct {
	questions []feed.Question
	selected  int // number of the selected link
	top       int // number of the first line in view
}

// piece is a part of a line.
type piece struct {
	text string
	role theme.Role
	link int // number of the link that it is of; -1: none
}

// sheet is the lines of documents, and their links in order.
type sheet struct {
	lines [][]piece
	links []describe.Ref
	at    []int // the line of each link
}

// Keys select links and scroll.
func (b *documents) Keys() []Key {
	return []Key{documented("tab shift+tab left right", "select the next or the previous link").hint("tab", "next link"), documented("up down j k", "select a link above or below, or scroll"),
		documented("pgup pgdn g G", "scroll by a page, to the start or end"), documented("enter", "go to the page of the selected link").hint("enter", "open")}
}

// Key selects, scrolls, or goes to the page of the selected link.
func (b *documents) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	t := b.sheet(c, s)
	b.selected = max(0, min(b.selected, len(t.links)-1))
	switch key := msg.String(); key {
	case "enter":
		if len(t.links) > 0 {
			return follow(t.links[b.selected])
		}
	case "tab", "right":
		b.choose(t, b.selected+1, c.Height)
	case "shift+tab", "left":
		b.choose(t, b.selected-1, c.Height)
	case "down", "j":
		b.step(t, 1, c.Height)
	case "up", "k":
		b.step(t, -1, c.Height)
	default:
		if to, ok := widget.Move(key, b.top, c.Height, max(1, len(t.lines)-c.Height+1)); ok {
			b.top = to
			b.selected = b.firstIn(t, c.Height)
		}
	}
	return Action{}
}

// choose selects a link and has it in view.
func (b *documents) choose(t *sheet, link, height int) {
	if link < 0 || link >= len(t.links) {
		return
	}
	b.selected = link
	b.top = widget.InView(b.top, t.at[link], height, len(t.lines))
}

// step selects the first link of the next line that has some, in a direction, if that line is in view; else it scrolls by a line.
func (b *documents) step(t *sheet, by, height int) {
	b.top = max(0, min(b.top+by, len(t.lines)-height))
	if len(t.links) == 0 {
		return
	}
	next := b.selected
	for next >= 0 && next < len(t.links) && t.at[next] == t.at[b.selected] {
		next += by
	}
	if next < 0 || next >= len(t.links) || t.at[next] < b.top || t.at[next] >= b.top+height {
		return
	}
	b.selected = slices.Index(t.at, t.at[next])
	b.top = widget.InView(b.top, t.at[b.selected], height, len(t.lines))
}

// firstIn is the first link in view, or the selected one.
func (b *documents) firstIn(t *sheet, height int) int {
	for i, at := range t.at {
		if at >= b.top && at < b.top+height {
			return i
		}
	}
	return b.selected
}

// View draws the lines in view.
func (b *documents) View(c Canvas, s *feed.Snapshot) (out []string) {
	t := b.sheet(c, s)
	b.top = max(0, min(b.top, len(t.lines)-c.Height))
	b.selected = max(0, min(b.selected, len(t.links)-1))
	for _, line := range t.lines[b.top:min(len(t.lines), b.top+c.Height)] {
		var text strings.Builder
		for i, x := range line {
			role, shown := x.role, x.text
			if x.link >= 0 && x.link == b.selected && !c.Beside {
				role = theme.Cursor
			}
			if i == 0 && !c.Beside && strings.HasPrefix(shown, " ") && slices.ContainsFunc(line, func(x piece) bool { return x.link >= 0 && x.link == b.selected }) {
				shown = c.Theme.Glyphs.Cursor + shown[1:]
			}
			text.WriteString(c.Theme.Paint(role, shown))
		}
		out = append(out, text.String())
	}
	return out
}

func (b *documents) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	t := b.sheet(c, s)
	if y+b.top < 0 || y+b.top >= len(t.lines) {
		return Action{}
	}
	for _, p := range t.lines[y+b.top] {
		if x -= widget.Width(p.text); x < 0 {
			switch {
			case p.link < 0:
			case p.link == b.selected:
				return follow(t.links[b.selected])
			default:
				b.selected = p.link
			}
			return Action{}
		}
	}
	return Action{}
}

// sheet lays out the documents.
func (b *documents) sheet(c Canvas, s *feed.Snapshot) *sheet {
	t := &sheet{}
	for i, q := range b.questions {
		if i > 0 {
			t.line(piece{"", theme.Plain, -1})
		}
		d, a, ok := feed.Of[describe.Document](s, q)
		if line := answerState(c, a, "netmaster"); line != "" && (!ok || a.Err != "") {
			for _, part := range widget.Wrap(line, c.Width, 2) {
				t.line(piece{part, theme.Plain, -1})
			}
		}
		if ok {
			t.document(c, &d)
		}
	}
	return t
}

func (t *sheet) line(spans ...piece) { t.lines = append(t.lines, spans) }

// document adds a document. A filter keeps rows, and the titles above them.
func (t *sheet) document(c Canvas, d *describe.Document) {
	head := d.Kind
	if k, ok := model.KindOf(d.Kind); ok {
		head = k.Title
	}
	t.line(piece{widget.Bare(head + " " + d.Key), theme.Title, -1})
	for i := range d.Sections {
		section := &d.Sections[i]
		title, width := false, 0
		rows := section.Lines()
		for j := range rows {
			width = max(width, widget.Width(rowName(c, &rows[j])))
		}
		width = min(width, maxNames)
		for j := range rows {
			name := rowName(c, &rows[j])
			if !c.Filter.Keeps(section.Title, name, rows[j].String()) {
				continue
			}
			if !title {
				title = true
				t.line()
				t.line(piece{strings.ToUpper(section.Title), theme.Title, -1})
			}
			t.row(c, &rows[j], name, width)
		}
	}
}

// rowName is the name of a row, or its time in the zone of the console's clock.
func rowName(c Canvas, r *describe.Row) string {
	if r.Time != nil {
		return r.Time.In(c.Now.Location()).Format(time.DateTime)
	}
	return widget.Bare(r.Name)
}

// roleOf is the role of what has a severity.
func roleOf(severity model.Severity) theme.Role {
	switch severity {
	case model.SeverityError:
		return theme.Bad
	case model.SeverityWarning:
		return theme.Warn
	case model.SeverityUnknown:
		return theme.Held
	}
	return theme.Plain
}

// row adds a row, in as many lines as it needs.
func (t *sheet) row(c Canvas, r *describe.Row, name string, width int) {
	role := roleOf(r.State)
	margin := "  "
	if width > 0 {
		margin = "  " + widget.Fit(c.Theme, name, max(width, widget.Width(name))) + "  "
	}
	line, used, indent := []piece{{margin, role, -1}}, widget.Width(margin), min(width+4, c.Width/2)
	if width == 0 {
		indent = 2
	}
	add := func(text string, role theme.Role, link int) {
		if used+widget.Width(text) > c.Width && used > indent {
			t.place(line)
			line, used = []piece{{strings.Repeat(" ", indent), theme.Plain, -1}}, indent
			text = strings.TrimLeft(text, " ")
		}
		line = append(line, piece{text, role, link})
		used += widget.Width(text)
	}
	for _, part := range r.Text {
		text := widget.Bare(part.Text)
		if part.Link != nil {
			t.links = append(t.links, *part.Link)
			add(text, theme.Relation, len(t.links)-1)
			continue
		}
		for _, word := range strings.SplitAfter(text, " ") {
			if word != "" {
				add(word, role, -1)
			}
		}
	}
	t.place(line)
}

// place adds a line and notes the links in it.
func (t *sheet) place(line []piece) {
	for _, x := range line {
		if x.link >= 0 {
			t.at = append(t.at, len(t.lines))
		}
	}
	t.line(line...)
}

// follow goes to the page of a mentioned object.
func follow(r describe.Ref) Action {
	switch r.Kind {
	case describe.NodeKind:
		return open(Node(r.Key))
	case describe.AddressKind:
		if strings.Contains(r.Address, ":") {
			return open(addresses6(r.Key))
		}
		return open(addressMapAt(r.Key, r.Address))
	}
	k, ok := model.KindOf(r.Kind)
	if !ok {
		return Action{Notice: "a " + r.Kind + " has no page"}
	}
	return open(Description(k, r.Key))
}

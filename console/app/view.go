// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// wideTabs is the width from which the footer has room for the pages' full names.
const wideTabs = 120

// hours has no seconds: a change of the time does not redraw the screen.
const hours = "15:04"

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.Frame())
	v.AltScreen = true
	v.WindowTitle = "contiv"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// Frame is the screen as text: the header, the page, the footer, each line as wide as the terminal.
func (m *Model) Frame() string {
	if m.width < minWidth || m.height < minHeight {
		return m.tooSmall()
	}
	c := m.canvas()
	body := m.page().View(c, m.snapshot)
	lines := m.header() // after the body, whose rows it counts
	if m.split() {
		body = m.beside(body, c)
	}
	if m.finder != nil {
		c.Width = m.width
		body = m.finder.view(c, m.snapshot)
	}
	if m.help != nil {
		body = m.help.view(m.theme, c.Height)
	}
	for i := range c.Height {
		line := ""
		if i < len(body) {
			line = body[i]
		}
		lines = append(lines, line)
	}
	lines = append(lines, m.footer()...)
	return strings.Join(m.painted.all(m.theme, lines, m.width), "\n")
}

// painted is the lines of the last frame as they were sent to the terminal. Most are the same in the next one.
type painted struct {
	theme *theme.Theme
	width int
	from  []string
	made  []string
}

// all makes each line as wide as the terminal, and its marks colours.
func (k *painted) all(t *theme.Theme, lines []string, width int) []string {
	if k.theme != t || k.width != width {
		*k = painted{theme: t, width: width}
	}
	made := make([]string, len(lines))
	for i, line := range lines {
		if i < len(k.from) && k.from[i] == line {
			made[i] = k.made[i]
			continue
		}
		made[i] = t.Render(widget.Fit(t, widget.Printable(t, line), width))
	}
	k.from, k.made = lines, made
	return made
}

// tooSmall is a note of that, in a frame of the terminal's size.
func (m *Model) tooSmall() string {
	says := fmt.Sprintf("The console requires %d x %d cells; this terminal has %d x %d.", minWidth, minHeight, m.width, m.height)
	lines := strings.Split(ansi.Wrap(says, max(1, m.width), ""), "\n")
	for len(lines) < m.height {
		lines = append(lines, "")
	}
	lines = lines[:max(0, m.height)]
	for i := range lines {
		lines[i] = widget.Fit(m.theme, lines[i], m.width)
	}
	return strings.Join(lines, "\n")
}

func (m *Model) header() []string {
	t, s := m.theme, m.snapshot
	crumbs := m.crumbs()
	crumbs[0] = t.Paint(theme.Title, crumbs[0])
	leader := leaderName(s)
	if s.Past() {
		leader = "?"
	} else if m.bundle == "" && page.Lost(s, m.now) {
		leader = "?"
	}
	link := t.Paint(theme.Bad, t.Glyphs.Cross+" down")
	switch age := m.now.Sub(s.Received); {
	case s.Past() && s.Synced:
		link = t.Paint(theme.Warn, t.Glyphs.Half+" past")
	case m.bundle != "" && s.Synced:
		link = t.Paint(theme.Held, t.Glyphs.Half+" bundle")
	case s.Watching && age > 5*time.Second:
		link = t.Paint(theme.Warn, t.Glyphs.Half+" "+page.Age(age)+" old")
	case s.Watching && s.Synced:
		link = t.Paint(theme.Good, t.Glyphs.Dot+" live")
	case s.Err == "" || s.Watching: // not everything has been received yet
		link = t.Paint(theme.Held, t.Glyphs.Half+" connecting")
	}
	revision := "?"
	if s.Synced {
		revision = strconv.FormatUint(s.Revision, 10)
	}
	h := m.health()
	return []string{
		m.headline(crumbs, "leader "+leader, "rev "+revision, m.now.Format(hours), link),
		" " + t.Paint(h.Role, h.Word) + "  " + h.Why,
		m.statusLine(),
	}
}

// leaderName is the leader's name in the node list; "?" if unknown.
func leaderName(s *feed.Snapshot) string {
	lead := s.Lead()
	switch {
	case !lead.Known:
		return "?"
	case lead.Address == "":
		return "none"
	}
	for i := range s.Nodes {
		if s.Nodes[i].Address == lead.Address {
			return s.Nodes[i].Name
		}
	}
	if host, _, err := net.SplitHostPort(lead.Address); err == nil {
		return host
	}
	return lead.Address
}

// leastCrumbs is the room that crumbs have at least.
const leastCrumbs = 24

// headline puts crumbs and facts on one line. The leader and the state of the stream always stay: time, then the revision are dropped
// first, then crumbs in the middle, and then the ends of the last crumb and of the leader's name.
func (m *Model) headline(crumbs []string, leader, revision, clock, link string) string {
	t := m.theme
	right := strings.Join([]string{leader, revision, clock, link}, "  ") + " "
	for _, fewer := range [][]string{{leader, revision, link}, {leader, link}} {
		if m.width-widget.Width(right)-1 < leastCrumbs {
			right = strings.Join(fewer, "  ") + " "
		}
	}
	if most := m.width - leastCrumbs - widget.Width(link) - 4; m.width-widget.Width(right)-1 < leastCrumbs {
		right = widget.Fit(t, leader, most) + "  " + link + " "
	}
	room := m.width - widget.Width(right) - 1
	between := " " + t.Glyphs.Crumb + " "
	line := strings.Join(crumbs, between)
	for n := 1; widget.Width(line) > room && n < len(crumbs); n++ {
		line = strings.Join(append([]string{crumbs[0], t.Glyphs.Ellipsis}, crumbs[n+1:]...), between)
		if n == len(crumbs)-1 { // only the last, truncated
			line = strings.Join([]string{crumbs[0], crumbs[n]}, between)
		}
	}
	return widget.Sides(t, widget.Fit(t, line, min(room, widget.Width(line))), right, m.width)
}

// statusLine is the line between the header and the page. It shows a recording that is played or made, or the bundle that is read.
func (m *Model) statusLine() string {
	switch {
	case m.replay != nil:
		return m.replay.bar(m.theme, m.width)
	case m.inPast():
		return m.pastBar()
	case m.recorder != nil:
		return recordingState(m.theme, m.recorder, m.width)
	case m.bundle != "":
		return m.theme.Paint(theme.Warn, widget.Fit(m.theme, " "+m.bundle, m.width))
	}
	return m.rule()
}

// checked is how the cluster is, by which snapshot and when.
type checked struct {
	page.Health
	of *feed.Snapshot
	at int64
}

// health describes the state of the cluster. It is computed once per snapshot and second.
func (m *Model) health() page.Health {
	if m.checked.of != m.snapshot || m.checked.at != m.now.Unix() {
		m.checked = checked{page.Check(m.snapshot, m.now), m.snapshot, m.now.Unix()}
	}
	return m.checked.Health
}

func (m *Model) rule() string {
	return m.theme.Paint(theme.Dim, strings.Repeat(m.theme.Glyphs.Rule, m.width))
}

// crumbs are the last pages, the program's name first.
func (m *Model) crumbs() []string {
	out := []string{" contiv"}
	for i, p := range m.pages[max(0, m.at-2) : m.at+1] {
		if name := p.Name; i < min(m.at, 2) {
			out = append(out, name)
		} else {
			out = append(out, p.Title())
		}
	}
	return out
}

// tabs are the pages with numbers.
func (m *Model) tabs() (out []string) {
	for i, e := range page.Numbered() {
		name := e.Name
		if m.width < wideTabs {
			name = e.Short
		}
		out = append(out, page.NumberKey(i)+" "+name)
	}
	return out
}

func (m *Model) footer() []string {
	t := m.theme
	tabs := m.tabs()
	for i, e := range page.Numbered() {
		if e.Shows(m.page()) {
			tabs[i] = t.Paint(theme.Title, tabs[i])
		}
	}
	command := " $ " + m.command()
	switch {
	case m.finder != nil:
		return []string{m.hintLine(), " " + strings.Join(tabs, " ") + "  ? help", " $ netctl find " + m.finder.text}
	case m.prompt.open():
		command = " " + m.prompt.kind + m.prompt.input.View(t)
		if m.prompt.kind == ":" {
			all := page.Offer(m.prompt.input.Text(), m.snapshot)
			command += "  " + t.Paint(theme.Dim, strings.Join(all[:min(len(all), 12)], "  "))
		}
	case m.notice != "":
		command = " " + t.Paint(theme.Warn, m.notice)
	default:
		if marked := m.page().Marked; marked != nil && marked(m.snapshot) > 0 {
			command += t.Paint(theme.Relation, fmt.Sprintf("   %s %d marked (\\ clears)", t.Glyphs.Mark, marked(m.snapshot)))
		}
	}
	if n := m.page().Hidden(); n > 0 && !m.prompt.open() && m.notice == "" {
		command += t.Paint(theme.Held, "   "+hiddenColumns(n)+" (ctrl+w)")
	}
	if m.filter != nil && !m.prompt.open() && m.notice == "" {
		command += t.Paint(theme.Held, "   filter "+m.filter.Text+" (esc ends it)")
	}
	if working := m.page().Working(); working != "" {
		command += t.Paint(theme.Held, "   "+working+t.Glyphs.Ellipsis)
	}
	return []string{m.hintLine(), " " + strings.Join(tabs, " ") + "  ? help", command}
}

// command is the command that prints what the page shows.
func (m *Model) command() string {
	if m.snapshot.Past() {
		return page.AtMoment(m.page().Command, m.snapshot.Moment)
	}
	return m.page().Command
}

func hiddenColumns(n int) string {
	if n == 1 {
		return "1 column hidden"
	}
	return fmt.Sprintf("%d columns hidden", n)
}

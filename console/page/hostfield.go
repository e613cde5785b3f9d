// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/identity"
)

// zoom is how hosts are drawn.
type zoom uint8

// The zooms.
const (
	zoomFitting zoom = iota // as boxes if all fit, else as cells
	zoomBoxes
	zoomCells
)

// hostGroup is how many cells are between two gaps.
const hostGroup = 10

// maxHostLabel bounds the name at the start of a line of cells.
const maxHostLabel = 14

// hostField is the map of the hosts: boxes, or one cell for each host, with a cursor.
type hostField struct {
	wish, shown zoom
	focused     bool   // keys move among the hosts, not in the tree
	host        string // under the cursor
	place, top  int    // of the cursor, and the number of the first line in view
	drawn       struct{ left, first, across, lines, label int }
	facts       fieldFacts
}

// fieldFacts is what the cells of all hosts follow from.
type fieldFacts struct {
	of        *feed.Snapshot
	in        *index
	hosts     []*model.Node
	found     map[string]theme.Role // the worst finding about each host
	known     bool                  // findings are known
	label     int                   // width of the longest name
	maxLoad   int                   // endpoints on a host
	bad, warn int                   // number of such hosts
}

// fieldFactsOf computes the facts of a snapshot.
func fieldFactsOf(s *feed.Snapshot, x *index) fieldFacts {
	out := fieldFacts{of: s, in: x, hosts: agents(s), maxLoad: busiestHost(x)}
	out.found, out.known = foundOn(s)
	for _, n := range out.hosts {
		if len(n.Name) > out.label {
			out.label = max(out.label, min(maxHostLabel, widget.Width(n.Name)))
		}
		switch hostRole(n, out.found) {
		case theme.Bad:
			out.bad++
		case theme.Warn:
			out.warn++
		}
	}
	return out
}

// known returns the facts of a snapshot, which are computed once.
func (f *hostField) known(s *feed.Snapshot, x *index) *fieldFacts {
	if f.facts.of != s || f.facts.in != x {
		f.facts = fieldFactsOf(s, x)
	}
	return &f.facts
}

// hostState is what a cell shows of a host.
type hostState struct {
	sign string
	role theme.Role
}

// index is where the cursor is among hosts.
func (f *hostField) index(hosts []*model.Node) int {
	if f.place >= len(hosts) || f.host == "" || hosts[f.place].Name != f.host {
		if i := slices.IndexFunc(hosts, func(n *model.Node) bool { return n.Name == f.host }); i >= 0 {
			f.place = i
		}
	}
	f.place = max(0, min(f.place, len(hosts)-1))
	if len(hosts) > 0 {
		f.host = hosts[f.place].Name
	}
	return f.place
}

// move follows a key, and reports whether it did.
func (f *hostField) move(key string, hosts []*model.Node) bool {
	at, across := f.index(hosts), max(1, f.drawn.across)
	switch key {
	case "left", "h":
		at--
	case "right", "l":
		at++
	case "up", "k":
		at -= across
	case "down", "j":
		at += across
	case "pgup":
		at -= across * max(1, f.drawn.lines)
	case "pgdown":
		at += across * max(1, f.drawn.lines)
	case "home", "g":
		at = 0
	case "end", "G":
		at = len(hosts) - 1
	default:
		return false
	}
	f.put(at, hosts)
	return true
}

// put puts the cursor on a host.
func (f *hostField) put(at int, hosts []*model.Node) {
	if f.place = max(0, min(at, len(hosts)-1)); len(hosts) > 0 {
		f.host = hosts[f.place].Name
	}
}

// next puts the cursor on the next host with a problem, and reports whether there is one.
func (f *hostField) next(hosts []*model.Node, found map[string]theme.Role) bool {
	at := f.index(hosts)
	for i := range hosts {
		k := (at + 1 + i) % len(hosts)
		if role := hostRole(hosts[k], found); role == theme.Bad || role == theme.Warn {
			f.put(k, hosts)
			return true
		}
	}
	return false
}

// click is the number of the host at a place of the map; -1: none.
func (f *hostField) click(x, y, n int) int {
	d := f.drawn
	if x -= d.left; x < d.label || y < d.first || d.across == 0 {
		return -1
	}
	x, y = x-d.label, y-d.first
	col := x - x/(hostGroup+1)
	if f.shown == zoomBoxes {
		col, y = x/(boxWidth+2), y/boxLines
	} else if x%(hostGroup+1) == hostGroup {
		return -1
	}
	if at := (f.top+y)*d.across + col; col < d.across && y < d.lines && at < n {
		return at
	}
	return -1
}

// foundOn is the worst finding about each host; known is false while netmaster has not reported any.
func foundOn(s *feed.Snapshot) (worst map[string]theme.Role, known bool) {
	h, _, ok := feed.Of[model.Health](s, HealthQuestion())
	worst = map[string]theme.Role{}
	for i := range h.Findings {
		f := &h.Findings[i]
		role := theme.Dim
		if f.Acknowledged == nil {
			switch f.Severity {
			case model.SeverityError:
				role = theme.Bad
			case model.SeverityWarning, model.SeverityUnknown:
				role = theme.Warn
			}
		}
		for _, host := range hostsOf(f) {
			if weight(role) > weight(worst[host]) {
				worst[host] = role
			}
		}
	}
	return worst, ok
}

// hostsOf are the hosts that a finding is about: the one that it names, and the one that reports it.
func hostsOf(f *model.Finding) (out []string) {
	if f.Host != "" {
		out = append(out, f.Host)
	}
	if object, ok := identity.ParseRef(f.Object); ok && object.Kind == "host" && object.Name != f.Host {
		out = append(out, object.Name)
	}
	return out
}

// hostRole is how a host is, by its own report and by findings.
func hostRole(n *model.Node, found map[string]theme.Role) theme.Role {
	switch worst := found[n.Name]; {
	case n.Errors > 0 || !n.Ready || worst == theme.Bad:
		return theme.Bad
	case n.Lag > 0 || n.Missing > 0 || n.Differs > 0 || worst == theme.Warn:
		return theme.Warn
	}
	return theme.Good
}

// load is the sign for a number of endpoints, of at most a number on any host.
func load(t *theme.Theme, levels []rune, n, most int) string {
	if n == 0 {
		return t.Glyphs.Free
	}
	return string(levels[min(len(levels)-1, n*len(levels)/max(1, most))])
}

// state is what the cell of a host shows: a problem, else its load.
func (x *fieldFacts) state(t *theme.Theme, levels []rune, n *model.Node) hostState {
	switch role := hostRole(n, x.found); role {
	case theme.Bad:
		return hostState{t.Glyphs.Cross, role}
	case theme.Warn:
		return hostState{t.Glyphs.Half, role}
	default:
		return hostState{load(t, levels, len(x.in.hosts[n.Name]), x.maxLoad), role}
	}
}

// busiestHost is the most endpoints that a host has.
func busiestHost(x *index) (most int) {
	for _, all := range x.hosts {
		most = max(most, len(all))
	}
	return most
}

// view draws the map: a line or two about it, and the boxes or cells around the cursor. left is where the map begins on the page.
func (f *hostField) view(c Canvas, s *feed.Snapshot, x *index, rel *relations, left, width, height int) []string {
	hosts := f.known(s, x).hosts
	f.index(hosts)
	across := max(1, (width+2)/(boxWidth+2))
	fit := (len(hosts)+across-1)/across <= max(1, (height-1)/boxLines)
	if f.shown = f.wish; f.wish == zoomFitting {
		if f.shown = zoomCells; fit {
			f.shown = zoomBoxes
		}
	}
	f.drawn.left = left
	if f.shown == zoomBoxes {
		return f.boxes(c, s, hosts, x, rel, width, height, across)
	}
	return f.cells(c, f.known(s, x), rel, width, height)
}

// boxes draws hosts as boxes.
func (f *hostField) boxes(c Canvas, s *feed.Snapshot, hosts []*model.Node, x *index, rel *relations, width, height, across int) []string {
	t := c.Theme
	lines, rows := max(1, (height-1)/boxLines), (len(hosts)+across-1)/across
	f.drawn.first, f.drawn.across, f.drawn.lines, f.drawn.label = 1, across, lines, 0
	f.top = widget.InView(f.top, f.place/across, lines, rows)
	head := underlay(t, s)
	if rows > lines {
		head = t.Paint(theme.Dim, position(f.top*across, min(len(hosts), (f.top+lines)*across), len(hosts))+"   ") + head
	}
	out := []string{head}
	for row := f.top; row < min(rows, f.top+lines); row++ {
		var boxes [][]string
		for i := row * across; i < min(len(hosts), (row+1)*across); i++ {
			boxes = append(boxes, hostBox(t, hosts[i], x.hosts[hosts[i].Name], rel, min(boxWidth, width), f.focused && i == f.place))
		}
		for i := range boxLines {
			var parts []string
			for _, b := range boxes {
				parts = append(parts, b[i])
			}
			out = append(out, strings.Join(parts, "  "))
		}
	}
	return out
}

// position describes what part of the hosts is in view.
func position(first, last, all int) string {
	return fmt.Sprintf("hosts %d-%d of %d", min(first+1, last), last, all)
}

// cells draws one cell for each host.
func (f *hostField) cells(c Canvas, facts *fieldFacts, rel *relations, width, height int) []string {
	t, hosts := c.Theme, facts.hosts
	label := facts.label + 1
	across := max(1, min(width-label, hostGroup))
	if groups := (width - label + 1) / (hostGroup + 1); groups > 1 {
		across = groups * hostGroup
	}
	lines, rows := max(1, height-2), (len(hosts)+across-1)/across
	f.drawn.first, f.drawn.across, f.drawn.lines, f.drawn.label = 2, across, lines, label
	f.top = widget.InView(f.top, f.place/across, lines, rows)
	head := t.Paint(theme.Title, position(f.top*across, min(len(hosts), (f.top+lines)*across), len(hosts))) +
		"  " + t.Paint(theme.Bad, fmt.Sprintf("%s %d", t.Glyphs.Cross, facts.bad)) + "  " + t.Paint(theme.Warn, fmt.Sprintf("%s %d", t.Glyphs.Half, facts.warn))
	if !facts.known {
		head += t.Paint(theme.Held, "  findings ?")
	}
	levels := []rune(t.Glyphs.Spark)
	out := []string{head, t.Paint(theme.Dim, fmt.Sprintf("%s 0  %s..%s 1-%d endpoints", t.Glyphs.Free, string(levels[0]), string(levels[len(levels)-1]), max(1, facts.maxLoad)))}
	mine := rel.sums(facts.in).hosts
	for row := f.top; row < min(rows, f.top+lines); row++ {
		line := cellLine{t: t}
		line.text.WriteString(t.Paint(theme.Dim, widget.Fit(t, widget.Bare(hosts[row*across].Name), label-1)+" "))
		for i := row * across; i < min(len(hosts), (row+1)*across); i++ {
			state := facts.state(t, levels, hosts[i])
			switch {
			case f.focused && i == f.place:
				state.role = theme.Cursor
			case state.role == theme.Good && mine[hosts[i].Name]:
				state.role = theme.Relation
			}
			if at := i - row*across; at > 0 && at%hostGroup == 0 {
				line.add(" ", theme.Plain)
			}
			line.add(state.sign, state.role)
		}
		out = append(out, line.done())
	}
	return out
}

// cellLine is a line of cells. Neighbours of the same role are painted together: each mark costs time.
type cellLine struct {
	t    *theme.Theme
	text strings.Builder
	run  strings.Builder
	role theme.Role
}

// add adds a sign.
func (l *cellLine) add(sign string, role theme.Role) {
	if role != l.role {
		l.done()
		l.role = role
	}
	l.run.WriteString(sign)
}

// done is the line.
func (l *cellLine) done() string {
	l.text.WriteString(l.t.Paint(l.role, l.run.String()))
	l.run.Reset()
	return l.text.String()
}

// about describes the host under the cursor in one line.
func (f *hostField) about(c Canvas, s *feed.Snapshot, x *index) string {
	hosts := agents(s)
	if len(hosts) == 0 {
		return nothing(s, s.Nodes != nil, "no agents registered")
	}
	n := hosts[f.index(hosts)]
	state, role := stateOf(c, s, n)
	out := c.Theme.Paint(theme.Title, c.Theme.Glyphs.Cursor+" host "+widget.Bare(n.Name)) + "  " + c.Theme.Paint(role, widget.Bare(state)) + "  " + count(len(x.hosts[n.Name]), "endpoint")
	h, _, known := feed.Of[model.Health](s, HealthQuestion())
	if !known {
		return out + "  findings ?"
	}
	var codes []string
	for i := range h.Findings {
		if on := &h.Findings[i]; slices.Contains(hostsOf(on), n.Name) {
			codes = append(codes, on.Code.String())
		}
	}
	if len(codes) == 0 {
		return out + "  no findings"
	}
	return out + "  " + c.Theme.Paint(theme.Warn, strings.Join(codes, " "))
}

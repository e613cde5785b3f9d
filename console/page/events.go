package page

import (
	"slices"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Events is the changes that this console saw, and the last of the history before it, and what nodes were said to do,
// oldest first.
type Events struct {
	top    int
	cursor int
	held   bool // the user reads: the newest does not move the cursor

	shown  []feed.Event // of the snapshot from, kept by filter
	from   *feed.Snapshot
	filter *widget.Filter
}

// NewEvents makes the page.
func NewEvents() *Events { return &Events{} }

// Name is the crumb.
func (p *Events) Name() string { return "events" }

// Command prints changes.
func (p *Events) Command() string { return "netctl events" }

// Keys are follow, movement, and the ways to the object.
func (p *Events) Keys() []theme.Key { return theme.EventKeys() }

// kept is the events that the filter keeps; they are looked for once a snapshot. When the oldest have been forgotten
// meanwhile, the cursor stays on its event.
func (p *Events) kept(c Canvas, s *feed.Snapshot) []feed.Event {
	if p.from == s && p.filter == c.Filter {
		return p.shown
	}
	was, same := p.shown, p.filter == c.Filter
	p.shown, p.from, p.filter = keptEvents(s.Events, c.Filter), s, c.Filter
	if same && p.cursor < len(was) {
		if at := slices.Index(p.shown, was[p.cursor]); at >= 0 {
			p.top, p.cursor = max(0, p.top+at-p.cursor), at
		}
	}
	return p.shown
}

// Key moves, which ends following; f follows again; enter and H go to the object.
func (p *Events) Key(key string, c Canvas, s *feed.Snapshot) Action {
	kept := p.kept(c, s)
	if at := p.at(kept); scroll(&at, key, c.Height) {
		p.cursor, p.held = max(0, min(at, len(kept)-1)), true
		return Action{}
	}
	switch {
	case key == "f":
		p.cursor, p.held = p.at(kept), !p.held
	case len(kept) > 0 && (key == "enter" || key == "d" || key == "H"):
		return eventObject(key, &kept[p.at(kept)], s)
	}
	return Action{}
}

// at is where the cursor is.
func (p *Events) at(kept []feed.Event) int {
	if !p.held {
		return max(0, len(kept)-1)
	}
	return max(0, min(p.cursor, len(kept)-1))
}

// eventObject is the way to what an event is about.
func eventObject(key string, e *feed.Event, s *feed.Snapshot) Action {
	if e.Kind == feed.NodeKind {
		for i := range s.Nodes {
			if s.Nodes[i].Name == e.Key && s.Nodes[i].Role == model.RoleAgent {
				return Action{Go: NewPipeline(e.Key)}
			}
		}
		return Action{Go: NewLeader()}
	}
	kind, ok := model.KindOf(e.Kind)
	if !ok {
		return Action{Notice: "a " + e.Kind + " is no object to look at; netctl history tells of it"}
	}
	if key == "H" {
		return Action{Go: NewHistory(kind, e.Key)}
	}
	described := &Describe{Kind: kind, Key: e.Key}
	there := find(s, kind, e.Key) != nil
	if kind == model.KindEndpoint() {
		there = slices.ContainsFunc(s.Endpoints, func(x *model.EndpointOper) bool { return x.Key == e.Key })
	}
	if !there {
		return Action{Notice: "it is not there any more; H tells its history"}
	}
	return Action{Describe: described}
}

// View draws the window.
func (p *Events) View(c Canvas, s *feed.Snapshot) []string {
	kept := p.kept(c, s)
	if len(kept) == 0 {
		return []string{c.Theme.Paint(theme.Dim, "No events are known, or none that the filter keeps.")}
	}
	at := p.at(kept)
	p.top = max(0, min(max(min(p.top, at), at-c.Height+1), len(kept)-c.Height))
	var out []string
	for i := p.top; i < min(len(kept), p.top+c.Height); i++ {
		line := eventLine(c.Theme, &kept[i])
		if i == at {
			line = c.Theme.Paint(theme.Cursor, widget.Fit(c.Theme, widget.Fit(c.Theme, c.Theme.Glyphs.Cursor, 2)+eventText(c.Theme, &kept[i]), c.Width))
		}
		out = append(out, line)
	}
	return out
}

// keptEvents are the events that a filter keeps.
func keptEvents(all []feed.Event, filter *widget.Filter) []feed.Event {
	if filter == nil {
		return all
	}
	var out []feed.Event
	for i := range all {
		if cells := eventCells(&all[i]); filter.Keeps(cells[:]) {
			out = append(out, all[i])
		}
	}
	return out
}

func eventCells(e *feed.Event) [4]string {
	at := e.At.Format(time.TimeOnly)
	if e.Past {
		at = e.At.Format("01-02 15:04:05")
	}
	what := e.Kind + " " + e.Key
	if e.Text != "" {
		what += " " + e.Text
	}
	revision := ""
	if e.Revision > 0 {
		revision = "revision " + strconv.FormatUint(e.Revision, 10)
	}
	return [4]string{at, revision, string(e.Type), what}
}

// eventText is an event in columns.
func eventText(t *theme.Theme, e *feed.Event) string {
	cells := eventCells(e)
	return widget.Fit(t, cells[0], 14) + "  " + widget.Fit(t, cells[1], 16) + "  " + widget.Fit(t, cells[2], 6) + "  " + cells[3]
}

func eventLine(t *theme.Theme, e *feed.Event) string {
	role := theme.Plain
	switch e.Type {
	case model.EventDelete:
		role = theme.Warn
	case feed.Warned:
		role = theme.Bad
	case feed.Noted:
		role = theme.Good
	}
	return t.Paint(role, "  "+eventText(t, e))
}

// scroll moves top and tells whether the key was for it.
func scroll(top *int, key string, page int) bool {
	switch key {
	case "up", "k":
		*top--
	case "down", "j":
		*top++
	case "pgup":
		*top -= page
	case "pgdown":
		*top += page
	case "home", "g":
		*top = 0
	case "end", "G":
		*top = 1 << 30
	default:
		return false
	}
	return true
}

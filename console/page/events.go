package page

import (
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Events is the changes that this console saw, and the last of the history before it, oldest first.
type Events struct {
	top  int
	held bool // the user reads: the newest does not move the window

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

// Keys are follow and movement.
func (p *Events) Keys() []theme.Key { return theme.EventKeys() }

// kept is the events that the filter keeps; they are looked for once a snapshot.
func (p *Events) kept(c Canvas, s *feed.Snapshot) []feed.Event {
	if p.from != s || p.filter != c.Filter {
		p.shown, p.from, p.filter = keptEvents(s.Events, c.Filter), s, c.Filter
	}
	return p.shown
}

// Key scrolls, which ends following; f follows again.
func (p *Events) Key(key string, c Canvas, s *feed.Snapshot) Action {
	top := p.top
	if scroll(&top, key, c.Height) {
		p.held, p.top = true, max(0, min(top, len(p.kept(c, s))-c.Height))
	}
	if key == "f" {
		p.held = !p.held
	}
	return Action{}
}

// View draws the window.
func (p *Events) View(c Canvas, s *feed.Snapshot) []string {
	kept := p.kept(c, s)
	if len(kept) == 0 {
		return []string{c.Theme.Paint(theme.Dim, "No events are known, or none that the filter keeps.")}
	}
	if p.top = min(p.top, max(0, len(kept)-c.Height)); !p.held {
		p.top = max(0, len(kept)-c.Height)
	}
	var out []string
	for i := p.top; i < min(len(kept), p.top+c.Height); i++ {
		out = append(out, eventLine(c.Theme, &kept[i]))
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
	return [4]string{at, "revision " + strconv.FormatUint(e.Revision, 10), string(e.Type), e.Kind + " " + e.Key}
}

func eventLine(t *theme.Theme, e *feed.Event) string {
	role, cells := theme.Plain, eventCells(e)
	if e.Type == model.EventDelete {
		role = theme.Warn
	}
	return t.Paint(role, "  "+widget.Fit(t, cells[0], 14)+"  "+widget.Fit(t, cells[1], 16)+"  "+widget.Fit(t, cells[2], 6)+"  "+cells[3])
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

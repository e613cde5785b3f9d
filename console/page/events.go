package page

import (
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Events is the changes that this console saw, oldest first.
type Events struct {
	top  int
	held bool // the user reads: the newest does not move the window
}

// NewEvents makes the page.
func NewEvents() *Events { return &Events{} }

// Name is the crumb.
func (p *Events) Name() string { return "events" }

// Command prints changes.
func (p *Events) Command() string { return "netctl events" }

// Keys are follow and movement.
func (p *Events) Keys() []theme.Key { return theme.EventKeys() }

// Key scrolls, which ends following; f follows again.
func (p *Events) Key(key string, c Canvas, s *feed.Snapshot) Action {
	top := p.top
	if scroll(&top, key, c.Height) {
		p.held, p.top = true, max(0, min(top, len(eventLines(c, s))-c.Height))
	}
	if key == "f" {
		p.held = !p.held
	}
	return Action{}
}

// View draws the window.
func (p *Events) View(c Canvas, s *feed.Snapshot) []string {
	lines := eventLines(c, s)
	if len(lines) == 0 {
		return []string{c.Theme.Paint(theme.Dim, "No events since the console started (netctl history tells of those before), or none that the filter keeps.")}
	}
	if !p.held {
		p.top = len(lines)
	}
	var shown []string
	shown, p.top = widget.Scroll(lines, p.top, c.Height)
	return shown
}

func eventLines(c Canvas, s *feed.Snapshot) []string {
	var out []string
	for _, e := range s.Events {
		cells := []string{e.At.Format(time.TimeOnly), "revision " + strconv.FormatUint(e.Revision, 10), string(e.Type), e.Kind + " " + e.Key}
		if !c.Filter.Keeps(cells) {
			continue
		}
		role := theme.Plain
		if e.Type == model.EventDelete {
			role = theme.Warn
		}
		out = append(out, c.Theme.Paint(role, "  "+cells[0]+"  "+widget.Fit(c.Theme, cells[1], 16)+"  "+widget.Fit(c.Theme, cells[2], 6)+"  "+cells[3]))
	}
	return out
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

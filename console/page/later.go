package page

import (
	"cmp"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// Later stands for a page of an object that has yet to be received.
type Later struct {
	name  string
	line  string                      // command that prints the object
	find  func(s *feed.Snapshot) Page // nil: the object is not there
	inner Page                        // once it was found
}

// NewLater makes the page. Until find finds it, name is its crumb, and command prints it.
func NewLater(name, command string, find func(s *feed.Snapshot) Page) *Later {
	return &Later{name: name, line: command, find: find}
}

// found is the page that this one stands for; nil while it is not there.
func (p *Later) found(s *feed.Snapshot) Page {
	if p.inner == nil && s != nil {
		p.inner = p.find(s)
	}
	return p.inner
}

// Name is the crumb.
func (p *Later) Name() string {
	if p.inner != nil {
		return p.inner.Name()
	}
	return p.name
}

// Command prints what the page shows.
func (p *Later) Command() string {
	if p.inner != nil {
		return p.inner.Command()
	}
	return p.line
}

// Keys are the page's.
func (p *Later) Keys() []theme.Key {
	if p.inner != nil {
		return p.inner.Keys()
	}
	return nil
}

// Claims are the page's.
func (p *Later) Claims(key string) bool {
	c, ok := p.inner.(Claimer)
	return ok && c.Claims(key)
}

// Marked are the page's.
func (p *Later) Marked(s *feed.Snapshot) int {
	if m, ok := p.inner.(Marker); ok {
		return m.Marked(s)
	}
	return 0
}

// Questions are the page's.
func (p *Later) Questions(s *feed.Snapshot) []feed.Question {
	if a, ok := p.found(s).(Asker); ok {
		return a.Questions(s)
	}
	return nil
}

// Key is the page's.
func (p *Later) Key(key string, c Canvas, s *feed.Snapshot) Action {
	if inner := p.found(s); inner != nil {
		return inner.Key(key, c, s)
	}
	return Action{}
}

// View is the page's, or says what is missing.
func (p *Later) View(c Canvas, s *feed.Snapshot) []string {
	if inner := p.found(s); inner != nil {
		return inner.View(c, s)
	}
	if s.Synced {
		return []string{c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" there is no "+p.name+"; esc goes back")}
	}
	return []string{c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" "+cmp.Or(p.name, "it")+" has not been received yet")}
}

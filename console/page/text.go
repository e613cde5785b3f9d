package page

import (
	"strings"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Text is a page of text: a description, YAML.
type Text struct {
	name, command string
	lines         []string
	top           int
}

// NewText makes a page of body; command prints the same.
func NewText(name, command, body string) *Text {
	return &Text{name: name, command: command, lines: strings.Split(strings.TrimRight(body, "\n"), "\n")}
}

// Name is the crumb.
func (p *Text) Name() string { return p.name }

// Command prints the same.
func (p *Text) Command() string { return p.command }

// Keys scroll.
func (p *Text) Keys() []theme.Key { return theme.TextKeys() }

// Key scrolls.
func (p *Text) Key(key string, c Canvas, _ *feed.Snapshot) Action {
	scroll(&p.top, key, c.Height)
	p.top = max(0, min(p.top, len(p.kept(c))-c.Height))
	return Action{}
}

// View draws the window.
func (p *Text) View(c Canvas, _ *feed.Snapshot) []string {
	shown, _ := widget.Scroll(p.kept(c), p.top, c.Height)
	return shown
}

func (p *Text) kept(c Canvas) []string {
	var out []string
	for _, l := range p.lines {
		if c.Filter.Keeps([]string{l}) {
			out = append(out, l)
		}
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package app

import (
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/widget"
)

// prompt is the line for ":", "/" and "@".
type prompt struct {
	kind  string // "": there is none
	input widget.Input
}

func (p *prompt) open() bool { return p.kind != "" }

func (p *prompt) start(kind string) { *p = prompt{kind, widget.NewInput()} }

// update edits the line. done reports whether it was ended with enter; esc ends it with an empty line.
func (p *prompt) update(msg tea.Msg, s *feed.Snapshot) (kind, line string, done bool) {
	kind = p.kind
	pressed, _ := msg.(tea.KeyPressMsg)
	switch line = p.input.Text(); {
	case pressed.String() == "esc":
		*p = prompt{}
		return kind, "", true
	case pressed.String() == "enter":
		if _, err := page.Open(line); kind == ":" && err != nil {
			line = page.Complete(line, s)
		}
		*p = prompt{}
		return kind, line, true
	case pressed.String() == "tab" && kind == ":":
		p.input.SetText(page.Complete(line, s))
	default:
		p.input.Update(msg)
	}
	return kind, p.input.Text(), false
}

// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"

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

// complete returns the first path or view with a prefix, or the prefix itself.
func complete(typed string, s *feed.Snapshot, own *personal) string {
	if views := own.named(typed); len(views) > 0 {
		return views[0]
	}
	return page.Complete(typed, s)
}

// hints are the keys of the prompt.
func (p *prompt) hints() []hint {
	switch p.kind {
	case ":":
		return []hint{{"enter", "go"}, {"tab", "complete"}, {"esc", "close"}}
	case "/":
		return []hint{{"enter", "keep the filter"}, {"esc", "end it"}}
	}
	return []hint{{"enter", "go"}, {"esc", "close"}}
}

// travels reports whether a line goes to another moment.
func travels(line string) bool {
	return line == toPresent || line == toMoment || strings.HasPrefix(line, toMoment+" ")
}

// update edits the line. done reports whether it was ended with enter; esc ends it with an empty line.
func (p *prompt) update(msg tea.Msg, s *feed.Snapshot, own *personal) (kind, line string, done bool) {
	kind = p.kind
	pressed, _ := msg.(tea.KeyPressMsg)
	switch line = p.input.Text(); {
	case pressed.String() == "esc":
		*p = prompt{}
		return kind, "", true
	case pressed.String() == "enter":
		if _, _, err := own.open(line); kind == ":" && err != nil && !travels(line) {
			line = complete(line, s, own)
		}
		*p = prompt{}
		return kind, line, true
	case pressed.String() == "tab" && kind == ":":
		p.input.SetText(complete(line, s, own))
	default:
		p.input.Update(msg)
	}
	return kind, p.input.Text(), false
}

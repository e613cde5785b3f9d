// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Change is a change to be made: of one object, or the deletion of one or more.
type Change struct {
	Objects
	Object model.Object // its new state; nil: deleted
}

// String is the change in words.
func (x Change) String() string {
	switch {
	case len(x.Keys) > 1:
		return fmt.Sprintf("delete %d %s", len(x.Keys), x.Kind.Many)
	case x.Object == nil:
		return "delete " + x.Kind.Name + " " + x.Keys[0]
	}
	return "change " + x.Kind.Name + " " + x.Keys[0]
}

// command is the netctl command that does the same.
func (x Change) command() string {
	if x.Object != nil {
		return "netctl apply -f FILE"
	}
	var each []string
	for _, key := range x.Keys {
		each = append(each, removeCommand(x.Kind, key))
	}
	return strings.Join(each, "; ")
}

// confirm is the body of a page that shows a change, what it affects and the result of its dry run.
type confirm struct {
	text
	change Change
	draft  []byte // that the change was made of; nil: it was not edited
	wrong  string // netmaster's reason for a refusal; "": none
}

// Confirm makes a page that asks for confirmation and makes a change.
func Confirm(change Change) *Page { return Edited(change, nil) }

// Edited makes a page that makes a change which was made of a draft. The draft can be edited again.
func Edited(change Change, draft []byte) *Page {
	b := &confirm{change: change, draft: draft}
	b.text.lines = b.lines
	p := &Page{Name: change.String() + "?", Command: change.command(), Editing: draft != nil, Asks: b.questions, Body: b, Refused: func(why error) { b.wrong = why.Error() }}
	p.Keys = append(p.Keys, on("Y", "do it", b.confirmed).hint("Y", "do it"))
	if draft != nil {
		p.Keys = append(p.Keys, on("e", "edit again", func(_ string, _ Canvas, s *feed.Snapshot) Action {
			return Action{Edit: &change.Objects, Draft: withComments(draft, b.problem(s))}
		}).hint("e", "edit again"))
	}
	p.Keys = append(p.Keys, documented("esc", "cancel").hint("esc", "cancel"))
	return p
}

// Unread makes the page of a draft of which no change could be made, and why.
func Unread(what Objects, draft []byte, why error) *Page {
	return &Page{Name: "edit " + what.Keys[0], Command: "netctl apply -f FILE", Editing: true,
		Body: &text{lines: func(c Canvas, _ *feed.Snapshot) []string {
			t := c.Theme
			out := []string{t.Paint(theme.Title, "Edit "+what.Kind.Name+" "+what.Keys[0]), ""}
			out = append(out, widget.Wrap(t.Paint(theme.Bad, t.Glyphs.Cross+" "+why.Error()), c.Width, 2)...)
			return append(out, "", t.Paint(theme.Title, "e edit again, esc discard"))
		}},
		Keys: []Key{
			on("Y", "do it", func(string, Canvas, *feed.Snapshot) Action {
				return Action{Notice: "nothing to do: press e to edit again"}
			}).hint("Y", "do it"),
			on("e", "edit again", func(string, Canvas, *feed.Snapshot) Action {
				return Action{Edit: &what, Draft: withComments(draft, why.Error())}
			}).hint("e", "edit again"),
			documented("esc", "cancel").hint("esc", "cancel"),
		}}
}

func (b *confirm) confirmed(_ string, _ Canvas, s *feed.Snapshot) Action {
	refusals := b.refusals(s)
	switch {
	case b.change.Object != nil && len(b.differences(s)) == 0:
		return Action{Notice: "no changes"}
	case len(refusals) == len(b.change.Keys):
		return Action{Notice: "not sent, because netmaster refuses it: " + refusals[0]}
	}
	return Action{Change: &b.change}
}

// differences are those between the current object and its new state.
func (b *confirm) differences(s *feed.Snapshot) []model.Change {
	before := find(s, b.change.Kind, b.change.Keys[0])
	if b.change.Object == nil || before == nil {
		return nil
	}
	return model.Differences(before, b.change.Object)
}

// plain is a field's value as it is printed.
func plain(v any) any {
	if labels, ok := v.(map[string]string); ok {
		return "[" + model.JoinLabels(labels) + "]"
	}
	return v
}

func (b *confirm) lines(c Canvas, s *feed.Snapshot) (out []string) {
	t := c.Theme
	say := func(lines ...string) {
		for _, line := range lines {
			out = append(out, widget.Wrap(line, c.Width, 2)...)
		}
	}
	title := b.change.String()
	say(t.Paint(theme.Title, strings.ToUpper(title[:1])+title[1:]), "")
	if b.change.Object != nil {
		differences := b.differences(s)
		for _, d := range differences {
			say(fmt.Sprintf("  %s: %v -> %v", d.Field, plain(d.Old), plain(d.New)))
		}
		if len(differences) == 0 {
			say(t.Paint(theme.Dim, "  no changes"))
		}
		say("")
	}
	for _, key := range b.change.Keys {
		if len(b.change.Keys) > 1 {
			say(t.Paint(theme.Title, key))
		}
		say(b.dryRunLine(c, s, key))
		what := affected(s, b.change.Kind, key)
		forwarding, known := b.forwarding(s, key)
		if forwarding != "" {
			what = append(what, "forwarding: "+forwarding)
		}
		if len(what) == 0 {
			if known {
				say("Nothing depends on it.")
			}
			continue
		}
		say(t.Paint(theme.Warn, "It affects:"))
		for _, line := range what {
			say("  " + line)
		}
	}
	if b.wrong != "" {
		say("", t.Paint(theme.Bad, t.Glyphs.Cross+" failed: "+b.wrong))
	}
	choices := "Y apply, esc cancel"
	if b.draft != nil {
		choices = "Y apply, e edit again, esc cancel"
	}
	return append(out, "", t.Paint(theme.Title, choices))
}

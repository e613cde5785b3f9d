package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Change is a change to be carried out.
type Change struct {
	Kind   *model.Kind
	Key    string
	More   []string     // further keys, that are deleted too
	Object model.Object // as it shall be; nil: deleted
}

// Keys are all keys.
func (x *Change) Keys() []string { return append([]string{x.Key}, x.More...) }

// Says is the change in words.
func (x *Change) Says() string {
	if len(x.More) > 0 {
		return fmt.Sprintf("delete %d %s", len(x.Keys()), x.Kind.Many)
	}
	if x.Object == nil {
		return "delete " + x.Kind.Name + " " + x.Key
	}
	return "change " + x.Kind.Name + " " + x.Key
}

// Confirm shows a change, what it concerns and what netmaster says of it, and carries it out when told to. A change that was
// edited can be edited again, whatever was wrong with it.
type Confirm struct {
	change Change
	before model.Object // nil: it was not there
	draft  []byte       // that the change was made of; nil: it was not edited
	wrong  string       // why the draft is no change, or what netmaster said when it refused; "": nothing
	top    int
}

// NewConfirm makes the page of a change to an object that is now as before says.
func NewConfirm(change Change, before model.Object) *Confirm {
	return &Confirm{change: change, before: before}
}

// NewEdited makes the page of a change that was made of a draft.
func NewEdited(change Change, before model.Object, draft []byte) *Confirm {
	return &Confirm{change: change, before: before, draft: draft}
}

// NewUnread makes the page of a draft of which no change could be made, and why.
func NewUnread(kind *model.Kind, key string, draft []byte, why error) *Confirm {
	return &Confirm{change: Change{Kind: kind, Key: key}, draft: draft, wrong: why.Error()}
}

// unread tells whether there is no change, but a draft that is wrong.
func (p *Confirm) unread() bool { return p.draft != nil && p.change.Object == nil }

// Refuse notes what netmaster said.
func (p *Confirm) Refuse(why error) { p.wrong = why.Error() }

// Name is the crumb.
func (p *Confirm) Name() string {
	if p.unread() {
		return "edit " + p.change.Key
	}
	return p.change.Says() + "?"
}

// Command does the same.
func (p *Confirm) Command() string {
	if p.change.Object != nil || p.unread() {
		return "netctl apply -f FILE"
	}
	var each []string
	for _, key := range p.change.Keys() {
		each = append(each, removal(p.change.Kind, key))
	}
	return strings.Join(each, "; ")
}

// Keys confirm.
func (p *Confirm) Keys() []theme.Key { return theme.ConfirmKeys() }

// Key scrolls; Y carries the change out.
func (p *Confirm) Key(key string, c Canvas, s *feed.Snapshot) Action {
	switch {
	case key == "e" && p.draft != nil:
		return Action{Edit: &Describe{Kind: p.change.Kind, Key: p.change.Key}, Draft: remarked(p.draft, p.complaint(s))}
	case key == "Y" && p.unread():
		return Action{Notice: "there is nothing to carry out: e edits it again"}
	case key == "Y" && p.change.Object != nil && len(p.differences()) == 0:
		return Action{Notice: "nothing is different: there is nothing to change"}
	case key == "Y" && len(p.refusals(s)) == len(p.change.Keys()):
		return Action{Notice: "not sent, as netmaster refuses it: " + p.refusals(s)[0]}
	case key == "Y":
		return Action{Change: &p.change}
	}
	scroll(&p.top, key, c.Height)
	p.top = max(0, min(p.top, len(p.lines(c, s))-c.Height))
	return Action{}
}

func (p *Confirm) differences() []model.Change {
	if p.change.Object == nil || p.before == nil {
		return nil
	}
	return model.Differences(p.before, p.change.Object)
}

// View draws the change.
func (p *Confirm) View(c Canvas, s *feed.Snapshot) []string {
	shown, _ := widget.Scroll(p.lines(c, s), p.top, c.Height)
	return shown
}

func (p *Confirm) lines(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	var out []string
	say := func(lines ...string) {
		for _, line := range lines {
			out = append(out, widget.Wrap(line, c.Width, 2)...)
		}
	}
	if p.unread() {
		say(t.Paint(theme.Title, "Edit "+p.change.Kind.Name+" "+p.change.Key), "", t.Paint(theme.Bad, t.Glyphs.Cross+" "+p.wrong), "",
			t.Paint(theme.Title, "e edits the text again, esc drops it."))
		return out
	}
	says := p.change.Says()
	say(t.Paint(theme.Title, strings.ToUpper(says[:1])+says[1:]), "")
	if p.change.Object != nil {
		for _, d := range p.differences() {
			say(fmt.Sprintf("  %s: %v -> %v", d.Field, d.Old, d.New))
		}
		if len(p.differences()) == 0 {
			say(t.Paint(theme.Dim, "  nothing is different"))
		}
		say("")
	}
	for _, key := range p.change.Keys() {
		if len(p.change.More) > 0 {
			say(t.Paint(theme.Title, key))
		}
		say(p.trialLine(c, s, key))
		what := affected(s, p.change.Kind, key)
		if len(what) == 0 {
			say("Nothing else names it or belongs to it.")
			continue
		}
		say(t.Paint(theme.Warn, "It concerns:"))
		for _, line := range what {
			say("  " + line)
		}
	}
	if p.wrong != "" {
		say("", t.Paint(theme.Bad, t.Glyphs.Cross+" it was not done: "+p.wrong))
	}
	return append(out, "", t.Paint(theme.Title, p.choices()))
}

// choices are what the keys do.
func (p *Confirm) choices() string {
	if p.draft != nil {
		return "Y carries it out, e edits it again, esc leaves everything as it is."
	}
	return "Y carries it out, esc leaves everything as it is."
}

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

// Confirm shows a change and what it concerns, and carries it out when told to.
type Confirm struct {
	change Change
	before model.Object // nil: it was not there
	top    int
}

// NewConfirm makes the page of a change to an object that is now as before says.
func NewConfirm(change Change, before model.Object) *Confirm {
	return &Confirm{change: change, before: before}
}

// Name is the crumb.
func (p *Confirm) Name() string { return p.change.Says() + "?" }

// Command does the same.
func (p *Confirm) Command() string {
	if p.change.Object != nil {
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
	if key == "Y" {
		if p.change.Object != nil && len(p.differences()) == 0 {
			return Action{Notice: "nothing is different: there is nothing to change"}
		}
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
	out := []string{t.Paint(theme.Title, strings.ToUpper(p.change.Says()[:1])+p.change.Says()[1:]), ""}
	if p.change.Object != nil {
		for _, d := range p.differences() {
			out = append(out, fmt.Sprintf("  %s: %v -> %v", d.Field, d.Old, d.New))
		}
		if len(p.differences()) == 0 {
			out = append(out, t.Paint(theme.Dim, "  nothing is different"))
		}
		out = append(out, "")
	}
	for _, key := range p.change.Keys() {
		if len(p.change.More) > 0 {
			out = append(out, t.Paint(theme.Title, key))
		}
		what := affected(s, p.change.Kind, key)
		if len(what) == 0 {
			out = append(out, "Nothing else names it or belongs to it.")
			continue
		}
		out = append(out, t.Paint(theme.Warn, "It concerns:"))
		for _, line := range what {
			out = append(out, "  "+line)
		}
	}
	return append(out, "", t.Paint(theme.Title, "Y carries it out, esc leaves everything as it is.")+" netmaster may still refuse.")
}

package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Why is whether one end reaches another, and why: what the objects say, and what the switches on the way would do with
// the packet and its answer. What is not known yet is asked for first.
type Why struct {
	form  form
	steps bool // the flows of every hop are shown
	top   int
}

// NewWhy makes the page of two ends, "kind/name" as netmaster takes them, and of traffic, "tcp 5432". What is "" is asked
// for.
func NewWhy(from, to, traffic string) *Why {
	return &Why{form: newForm(from, to, traffic)}
}

// Name is the crumb.
func (p *Why) Name() string { return "why" }

// Command prints the same, or says how to ask while it is not known what.
func (p *Why) Command() string {
	if p.form.values[fieldFrom] == "" || p.form.values[fieldTo] == "" {
		return "netctl help why"
	}
	return strings.TrimSpace("netctl why " + p.form.values[fieldFrom] + " " + p.form.values[fieldTo] + " " + p.form.values[fieldTraffic])
}

// Keys ask anew and scroll.
func (p *Why) Keys() []theme.Key { return theme.WhyKeys() }

// Claims takes all keys while something is typed; esc goes back when there is nothing to go back to on this page.
func (p *Why) Claims(key string) bool {
	return p.form.open() && (key != "esc" || p.form.complete())
}

// Questions are the ways of the packet and of its answer.
func (p *Why) Questions(*feed.Snapshot) []feed.Question {
	if ask, err := p.form.request(); err == nil && !p.form.open() {
		return []feed.Question{{Topic: feed.Reach, Why: ask}}
	}
	return nil
}

// Key types, or asks something else.
func (p *Why) Key(key string, c Canvas, s *feed.Snapshot) Action {
	if p.form.open() {
		if p.form.key(key, s) {
			p.top = 0
		}
		return Action{}
	}
	switch key {
	case "f", "t":
		p.form.edit(map[string]int{"f": fieldFrom, "t": fieldTo}[key])
	case "enter", "p":
		p.form.edit(fieldTraffic)
	case "r":
		p.form.values[fieldFrom], p.form.values[fieldTo] = p.form.values[fieldTo], p.form.values[fieldFrom]
	case "s":
		p.steps = !p.steps
	default:
		scroll(&p.top, key, c.Height)
		p.top = max(0, min(p.top, len(p.lines(c, s))-c.Height))
		return Action{}
	}
	p.top = 0
	return Action{}
}

// View draws what is asked, and the answer.
func (p *Why) View(c Canvas, s *feed.Snapshot) []string {
	shown, _ := widget.Scroll(p.lines(c, s), p.top, c.Height)
	return shown
}

// lines are all lines, those of the answer wrapped.
func (p *Why) lines(c Canvas, s *feed.Snapshot) []string {
	out := p.form.view(c, s)
	if p.form.open() {
		return out
	}
	for _, line := range p.answer(c, s) {
		out = append(out, widget.Wrap(line, c.Width, 11)...)
	}
	return out
}

func (p *Why) answer(c Canvas, s *feed.Snapshot) (out []string) {
	ask, err := p.form.request()
	if err != nil {
		return append(out, "", c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" "+err.Error()))
	}
	w, a, ok := feed.Of[model.Why](s, feed.Question{Topic: feed.Reach, Why: ask})
	switch {
	case a.Err != "":
		out = append(out, "", waiting(c, a, "netmaster"))
	case !ok:
		out = append(out, "", c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" netmaster asks the switches on the way; no packet is sent"))
	}
	if !ok {
		return out
	}
	out = append(out, "", c.Theme.Paint(verdictRole(w.Verdict), strings.ToUpper(string(w.Verdict)))+"  "+w.Text)
	if w.Verdict == model.VerdictDisagree {
		out = append(out, c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" the switches do something else than the objects say: "+p.culprit(&w)))
	}
	out = append(out, "", c.Theme.Paint(theme.Title, "from     ")+w.From.String(), c.Theme.Paint(theme.Title, "to       ")+w.To.String(),
		c.Theme.Paint(theme.Title, "objects  ")+c.Theme.Paint(verdictRole(w.Intent.Verdict), string(w.Intent.Verdict))+": "+w.Intent.Text)
	out = append(out, p.way(c, &w, "there", &w.Forward)...)
	out = append(out, p.way(c, &w, "back", &w.Reverse)...)
	return append(out, "", c.Theme.Paint(theme.Dim, fmt.Sprintf("asked %s ago, and again every %s", Age(c.Now.Sub(a.At)), Age(feed.Reach.Every()))))
}

// culprit names the first switch that does not do what the objects say, and what to do about it.
func (p *Why) culprit(w *model.Why) string {
	for _, h := range append(append([]model.WhyHop{}, w.Forward.Hops...), w.Reverse.Hops...) {
		if against(w, &h) {
			return fmt.Sprintf("look at %s first; netctl drift %s compares its switch with what it should hold", h.Host, h.Host)
		}
	}
	return "netctl drift HOST compares a switch with what it should hold"
}

// against tells whether a hop does something else than the objects say.
func against(w *model.Why, h *model.WhyHop) bool {
	return w.Verdict == model.VerdictDisagree && h.Verdict != model.VerdictUnknown && (h.Verdict == model.VerdictAllowed) != (w.Intent.Verdict == model.VerdictAllowed)
}

// way draws the switches on the way of a packet.
func (p *Why) way(c Canvas, w *model.Why, name string, way *model.WhyWay) []string {
	t := c.Theme
	var out []string
	for i := range way.Hops {
		h := &way.Hops[i]
		sign, role := map[model.Verdict]string{model.VerdictAllowed: t.Glyphs.Dot, model.VerdictDenied: t.Glyphs.Cross}[h.Verdict], verdictRole(h.Verdict)
		if sign == "" {
			sign = "?"
		}
		line := t.Paint(role, sign+" "+h.Host) + " " + h.Text
		if against(w, h) {
			line = t.Paint(theme.Bad, sign+" "+h.Host+" "+h.Text+"  "+t.Glyphs.Cross+" the objects say "+string(w.Intent.Verdict))
		}
		out = append(out, t.Paint(theme.Title, widget.Fit(t, name, 9))+line)
		if name = ""; !p.steps {
			continue
		}
		for _, s := range h.Steps {
			owner := ""
			if s.Owner != "" {
				owner = t.Paint(theme.Relation, "  "+s.Owner)
			}
			out = append(out, "           "+t.Paint(theme.Dim, widget.Fit(t, s.Table, 10))+fmt.Sprintf(" %5d  ", s.Priority)+s.Match+": "+s.Does+owner)
		}
	}
	return out
}

func verdictRole(v model.Verdict) theme.Role {
	switch v {
	case model.VerdictAllowed:
		return theme.Good
	case model.VerdictDenied:
		return theme.Warn
	case model.VerdictDisagree:
		return theme.Bad
	}
	return theme.Dim
}

// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

func whyEntry() Entry {
	return Entry{Name: "why", Short: "why", About: "check whether one end can reach another, and why",
		Make: func() *Page { return Why("", "", "") }, Open: openWhy, Offer: offerWhy}
}

// openWhy opens FROM/TO[/PROTOCOL[/PORT]]; an end may be KIND/NAME.
func openWhy(path []string, view string) *Page {
	if view != "" {
		return nil
	}
	var ends [2]string
	for i := range ends {
		n := min(1, len(path))
		if len(path) > 1 && slices.Contains([]string{"endpoint", "group", "service", "host", "address"}, path[0]) {
			n = 2
		}
		ends[i], path = strings.Join(path[:n], "/"), path[n:]
	}
	traffic := strings.Join(path, " ")
	if traffic == "" && ends[1] != "" {
		traffic = "icmp"
	}
	return Why(ends[0], ends[1], traffic)
}

func offerWhy(s *feed.Snapshot, typed string, add func(string)) {
	from, _, second := strings.Cut(strings.TrimPrefix(typed, "/"), "/")
	for _, e := range s.Endpoints {
		if add("/" + e.EndpointID); second {
			add("/" + from + "/" + e.EndpointID)
		}
	}
}

// why is the body of whether one end reaches another, and why: the result by the objects, and how the switches on the path would handle the
// packet and its answer. Unknown fields are requested first.
type why struct {
	text
	page  *Page
	form  form
	steps bool // the flows of every hop are shown
}

// Why makes the page of two ends, "kind/name" as netmaster accepts them, and of traffic, "tcp 5432". Empty ones are requested.
func Why(from, to, traffic string) *Page {
	b := &why{form: newForm(from, to, traffic)}
	b.text.lines = b.lines
	edit := func(field int) func(string, Canvas, *feed.Snapshot) Action {
		return func(string, Canvas, *feed.Snapshot) Action { b.form.edit(field); b.changed(); return Action{} }
	}
	b.page = &Page{Name: "why", Asks: b.questions, Body: b, Keys: []Key{
		on("f", "another sender", edit(fieldFrom)).hint("f", "from"),
		on("t", "another receiver", edit(fieldTo)).hint("t", "to"),
		on("p enter", "change protocol and port", edit(fieldTraffic)).hint("p", "port"),
		on("r", "swap sender and receiver", func(string, Canvas, *feed.Snapshot) Action {
			b.form.values[fieldFrom], b.form.values[fieldTo] = b.form.values[fieldTo], b.form.values[fieldFrom]
			b.changed()
			return Action{}
		}).hint("r", "swap"),
		on("s", "show the matched flows on each switch", func(string, Canvas, *feed.Snapshot) Action {
			b.steps = !b.steps
			b.scroll.Top()
			return Action{}
		}).hint("s", "flows"),
	}}
	b.changed()
	return b.page
}

// changed follows the form: the command prints the same, or shows its usage while the form is incomplete.
func (b *why) changed() {
	b.scroll.Top()
	b.page.Command = "netctl help why"
	if v := b.form.values; v[fieldFrom] != "" && v[fieldTo] != "" {
		b.page.Command = strings.TrimSpace("netctl why " + strings.Join(v[:], " "))
	}
}

// claims takes all keys while something is typed; esc goes back when there is nothing to go back to on this page.
func (b *why) claims(key string) bool { return b.form.open() && (key != "esc" || b.form.complete()) }

// questions are those for the paths of the packet and of its answer.
func (b *why) questions(*feed.Snapshot) []feed.Question {
	if ask, err := b.form.request(); err == nil && !b.form.open() {
		return []feed.Question{{Topic: feed.Why, Why: ask}}
	}
	return nil
}

// Key types, or scrolls.
func (b *why) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	if !b.form.open() {
		return b.text.Key(msg, c, s)
	}
	if b.form.key(msg, s) {
		b.changed()
	}
	return Action{}
}

// lines are all lines, those of the answer wrapped.
func (b *why) lines(c Canvas, s *feed.Snapshot) []string {
	out := b.form.view(c, s)
	if b.form.open() {
		return out
	}
	for _, line := range b.answer(c, s) {
		out = append(out, widget.Wrap(line, c.Width, 11)...)
	}
	return out
}

func (b *why) answer(c Canvas, s *feed.Snapshot) (out []string) {
	ask, err := b.form.request()
	if err != nil {
		return append(out, "", c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" "+err.Error()))
	}
	w, a, ok := feed.Of[model.Why](s, feed.Question{Topic: feed.Why, Why: ask})
	switch {
	case a.Err != "":
		out = append(out, "", answerState(c, a, "netmaster"))
	case !ok:
		out = append(out, "", c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" netmaster traces the packet through the switches; no packet is sent"))
	}
	if !ok {
		return out
	}
	out = append(out, "", c.Theme.Paint(verdictRole(w.Verdict), strings.ToUpper(string(w.Verdict)))+"  "+w.Text)
	if w.Verdict == model.VerdictDisagree {
		out = append(out, c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" the switches contradict the objects: "+firstMismatch(&w)))
	}
	out = append(out, "", c.Theme.Paint(theme.Title, "from     ")+w.From.String(), c.Theme.Paint(theme.Title, "to       ")+w.To.String(),
		c.Theme.Paint(theme.Title, "objects  ")+c.Theme.Paint(verdictRole(w.Intent.Verdict), string(w.Intent.Verdict))+": "+w.Intent.Text)
	out = append(out, b.path(c, &w, "there", &w.Forward)...)
	out = append(out, b.path(c, &w, "back", &w.Reverse)...)
	if by := w.Changed; by != nil {
		out = append(out, c.Theme.Paint(theme.Title, "changed  ")+fmt.Sprintf("last %s %s, %s by %s, %s ago", by.Kind, by.Key, by.Verb, by.By, Age(c.Now.Sub(by.At))))
	}
	if w.Next != "" {
		out = append(out, c.Theme.Paint(theme.Title, "next     ")+w.Next)
	}
	return append(out, "", c.Theme.Paint(theme.Dim, fmt.Sprintf("no packet was sent; traced %s ago, repeated every %s", Age(c.Now.Sub(a.At)), Age(feed.Why.Interval()))))
}

// firstMismatch names the first switch that differs from the objects, and the remedy.
func firstMismatch(w *model.Why) string {
	for _, h := range append(append([]model.WhyHop{}, w.Forward.Hops...), w.Reverse.Hops...) {
		if contradicts(w, &h) {
			return fmt.Sprintf("check %s first: netctl drift %s compares its switch with the intended state", h.Host, h.Host)
		}
	}
	return "netctl drift HOST compares a switch with its intended state"
}

// contradicts reports whether a hop differs from the objects.
func contradicts(w *model.Why, h *model.WhyHop) bool {
	return w.Verdict == model.VerdictDisagree && h.Verdict != model.VerdictUnknown && (h.Verdict == model.VerdictAllowed) != (w.Intent.Verdict == model.VerdictAllowed)
}

// path draws the switches on the path of a packet.
func (b *why) path(c Canvas, w *model.Why, name string, way *model.WhyPath) []string {
	t := c.Theme
	var out []string
	for i := range way.Hops {
		h := &way.Hops[i]
		sign, role := map[model.Verdict]string{model.VerdictAllowed: t.Glyphs.Dot, model.VerdictDenied: t.Glyphs.Cross}[h.Verdict], verdictRole(h.Verdict)
		if sign == "" {
			sign = "?"
		}
		line := t.Paint(role, sign+" "+h.Host) + " " + h.Text
		if contradicts(w, h) {
			line = t.Paint(theme.Bad, sign+" "+h.Host+" "+h.Text+"  "+t.Glyphs.Cross+" by the objects: "+string(w.Intent.Verdict))
		}
		out = append(out, t.Paint(theme.Title, widget.Fit(t, name, 9))+line)
		if name = ""; !b.steps {
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

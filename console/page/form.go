// SPDX-License-Identifier: Apache-2.0

package page

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// The fields of a form.
const (
	fieldFrom = iota
	fieldTo
	fieldTraffic
	fields
)

// offers is how many suggestions are shown.
const offers = 8

// form has the fields of a packet: the sender, the receiver, and the traffic. Fields are typed one after the other, with suggestions from
// the snapshot.
type form struct {
	values [fields]string
	at     int // the field that is typed; fields: none
	input  widget.Input
	choice int // of the suggestions; -1: what was typed

	made    []offer // suggestions for madeFor, of the snapshot from
	madeFor string
	from    *feed.Snapshot
}

// offer is a suggestion: its value, and its text.
type offer struct{ value, about string }

func newForm(from, to, traffic string) form {
	f := form{values: [fields]string{from, to, traffic}}
	f.next()
	return f
}

func (f *form) open() bool { return f.at < fields }

// complete reports whether all fields have been filled once.
func (f *form) complete() bool {
	return f.values[fieldFrom] != "" && f.values[fieldTo] != "" && f.values[fieldTraffic] != ""
}

// next goes to the first field that is empty.
func (f *form) next() {
	at := slices.Index(f.values[:], "")
	if at < 0 {
		at = fields
	}
	f.edit(at)
}

// edit types a field again.
func (f *form) edit(field int) { f.at, f.input, f.choice, f.from = field, widget.NewInput(), 0, nil }

// request is the request of the form; an error describes an unsupported one.
func (f *form) request() (model.WhyRequest, error) {
	q := model.WhyRequest{From: f.values[fieldFrom], To: f.values[fieldTo]}
	if err := q.SetTraffic(strings.Fields(f.values[fieldTraffic])); err != nil {
		return q, err
	}
	return q, q.Resolve()
}

// key edits the field and reports whether one was finished or cancelled.
func (f *form) key(msg tea.KeyPressMsg, s *feed.Snapshot) bool {
	all := f.offers(s)
	switch msg.String() {
	case "enter":
		value := strings.TrimSpace(f.input.Text())
		if f.choice >= 0 && f.choice < len(all) {
			value = all[f.choice].value
		}
		if value == "" {
			return false
		}
		f.values[f.at] = value
		f.next()
		return true
	case "esc":
		f.next()
		return true
	case "up":
		f.choice = max(0, min(f.choice, len(all))-1)
	case "down":
		f.choice = max(0, min(f.choice+1, len(all)-1))
	case "tab":
		if f.choice >= 0 && f.choice < len(all) {
			f.input.SetText(all[f.choice].value)
			f.typed()
		}
	default:
		f.input.Update(msg)
		f.typed()
	}
	return false
}

// typed chooses among the suggestions for what has been typed: what is whole by itself, an address or a protocol with its port, is
// taken before any.
func (f *form) typed() {
	text, whole := f.input.Text(), false
	if f.at == fieldTraffic {
		q := model.WhyRequest{From: "a", To: "b"}
		whole = strings.TrimSpace(text) != "" && q.SetTraffic(strings.Fields(text)) == nil && q.Resolve() == nil
	} else {
		_, err := netip.ParseAddr(text)
		whole = err == nil
	}
	if f.choice = 0; whole {
		f.choice = -1
	}
}

// offers are suggestions for what has been typed.
func (f *form) offers(s *feed.Snapshot) []offer {
	if f.from == s && f.madeFor == f.input.Text() {
		return f.made
	}
	f.from, f.madeFor, f.made = s, f.input.Text(), nil
	if f.at == fieldTraffic {
		f.made = f.traffics(s)
	} else {
		f.made = f.ends(s)
	}
	return f.made
}

// ends are containers, groups, services and hosts of which a part was typed.
func (f *form) ends(s *feed.Snapshot) (out []offer) {
	word := strings.ToLower(f.input.Text())
	add := func(value, about string) bool {
		if strings.Contains(strings.ToLower(value+" "+about), word) && (f.at != fieldTo || value != f.values[fieldFrom]) {
			out = append(out, offer{value, about})
		}
		return len(out) < offers
	}
	for _, e := range s.Endpoints {
		if !add(endpointEnd(e.Key), strings.TrimSpace(firstAddress(e)+"  "+e.HomingHost+"  "+e.EndpointGroupKey)) {
			return out
		}
	}
	for _, g := range each[*model.EndpointGroup](s) {
		if !add(groupEnd(g), "means one of its containers") {
			return out
		}
	}
	for _, l := range each[*model.ServiceLB](s) {
		if f.at == fieldTo && !add(serviceEnd(l), strings.Join(l.Ports, " ")) {
			return out
		}
	}
	for _, host := range agents(s) {
		if !add("host/"+host.Name, "") {
			return out
		}
	}
	return out
}

// traffics are a ping, and what rules and services speak of.
func (f *form) traffics(s *feed.Snapshot) (out []offer) {
	known := map[string]bool{}
	add := func(value, about string) {
		if !known[value] && strings.Contains(value, strings.ToLower(strings.TrimSpace(f.input.Text()))) && len(out) < offers {
			known[value] = true
			out = append(out, offer{value, about})
		}
	}
	add("icmp", "a ping")
	for _, r := range each[*model.Rule](s) {
		if r.Port != 0 && (r.Protocol == "tcp" || r.Protocol == "udp") {
			add(r.Protocol+" "+strconv.Itoa(int(r.Port)), "rule "+r.ObjectKey())
		}
	}
	for _, l := range each[*model.ServiceLB](s) {
		for _, text := range l.Ports {
			if part := strings.Split(text, ":"); len(part) == 3 {
				add(strings.ToLower(part[2])+" "+part[0], "service "+l.ObjectKey())
			}
		}
	}
	return out
}

// view draws the fields and, below the one that is typed, the suggestions.
func (f *form) view(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	var out []string
	for i, name := range []string{"From", "To", "Traffic"} {
		label := t.Paint(theme.Title, widget.Fit(t, name, 9))
		if i != f.at {
			out = append(out, label+f.values[i])
			continue
		}
		out = append(out, label+f.input.View(t))
		all := f.offers(s)
		for n, o := range all {
			line := widget.Fit(t, o.value, 40) + "  " + o.about
			if n == f.choice {
				out = append(out, "       "+t.Glyphs.Cursor+" "+t.Paint(theme.Cursor, line))
			} else {
				out = append(out, "         "+line)
			}
		}
		hint := "enter a part of a name, or an address; up and down select, enter accepts, esc cancels"
		if i == fieldTraffic {
			hint = "icmp, or tcp or udp with a port, as in tcp 5432; up and down select, enter accepts, esc cancels"
		}
		out = append(out, "         "+t.Paint(theme.Dim, hint))
	}
	return out
}

// endpointEnd, groupEnd and serviceEnd are objects as netmaster takes them for an end.
func endpointEnd(key string) string { return "endpoint/" + key }

func groupEnd(g *model.EndpointGroup) string { return "group/" + g.ObjectKey() }

func serviceEnd(l *model.ServiceLB) string { return "service/" + l.ObjectKey() }

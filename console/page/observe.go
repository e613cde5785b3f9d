// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

func observeEntry() Entry {
	return Entry{Name: "observe", Short: "observe", Aliases: []string{"connections", "talkers"}, About: "connections: opened, closed and refused ones, and top talkers",
		Make: func() *Page { return Observe(false) }, Open: openObserve, Offer: func(_ *feed.Snapshot, _ string, add func(string)) { add("/denied"); add("/talkers") }}
}

// openObserve opens "denied" or "talkers".
func openObserve(path []string, view string) *Page {
	if len(path) != 1 || view != "" {
		return nil
	}
	switch path[0] {
	case "denied":
		return Observe(true)
	case "talkers":
		return talkers()
	}
	return nil
}

// observedQuestion requests the connections of the last minutes.
func observedQuestion() feed.Question { return feed.Question{Topic: feed.Observed} }

// Observe makes the page of the connections that hosts have seen, the newest first; denied shows only refused or dropped ones.
func Observe(denied bool) *Page {
	ask := model.Observe{Denied: denied}
	l := &list[*model.Observed]{
		headers: columns("Time", "Host", "Verdict", "Traffic", "From", "To", "Why"),
		empty:   func(*feed.Snapshot) string { return "no connections seen in the last minutes" },
		above:   answered(observedQuestion(), "netmaster"),
		items: func(s *feed.Snapshot) (out []*model.Observed) {
			all, _, _ := feed.Of[[]model.Observed](s, observedQuestion())
			for i := len(all) - 1; i >= 0; i-- {
				if ask.Matches(&all[i]) {
					out = append(out, &all[i])
				}
			}
			return out
		},
		id: observedID,
		row: func(_ Canvas, _ *feed.Snapshot, e *model.Observed) widget.Row {
			at := "-"
			if !e.Time.IsZero() {
				at = e.Time.Format("15:04:05")
			}
			return widget.Row{Role: observedRole(e.Verdict), Cells: []string{at, cmp.Or(e.Host, "-"), string(e.Verdict), cmp.Or(e.Traffic(), "-"), cmp.Or(e.From.String(), "-"), cmp.Or(e.To.String(), "-"), e.Why()}}
		},
	}
	p := &Page{Name: "observe", Live: true, Command: "netctl observe", Asks: asks(observedQuestion()), Body: l, Keys: []Key{
		l.on("enter", "trace the connection: whether it is allowed, and why", func(e *model.Observed) Action { return judged(e) }).hint("enter", "why"),
		on("t", "show top talkers", func(string, Canvas, *feed.Snapshot) Action { return open(talkers()) }).hint("t", "talkers"),
	}}
	if denied {
		p.Name, p.Command = "denied", "netctl observe --denied"
		return p
	}
	p.Keys = append(p.Keys, on("x", "show only refused and dropped connections", func(string, Canvas, *feed.Snapshot) Action { return open(Observe(true)) }).hint("x", "refused"))
	return p
}

// observedRole is the style of an event: highlighted if it did not pass, or is unknown.
func observedRole(v model.ObservedVerdict) theme.Role {
	switch v {
	case model.ObservedRefused:
		return theme.Bad
	case model.ObservedDropped:
		return theme.Warn
	case model.ObservedUnknown:
		return theme.Dim
	}
	return theme.Plain
}

// observedID identifies an event.
func observedID(e *model.Observed) string {
	return fmt.Sprint(e.Time.UnixNano(), e.Host, e.Verdict, e.From.String(), e.SrcPort, e.To.String(), e.Port, e.Reason)
}

// judged starts a why question about an event whose ends are known.
func judged(e *model.Observed) Action {
	if e.From == nil || e.To == nil {
		return Action{Notice: "it belongs to no connection"}
	}
	end := func(of *model.ObservedEnd) string {
		if of.Endpoint != "" {
			return "endpoint/" + of.Endpoint
		}
		return of.Address
	}
	return open(Why(end(e.From), end(e.To), strings.Replace(e.Traffic(), "/", " ", 1)))
}

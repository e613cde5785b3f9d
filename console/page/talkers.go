// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

// talker is what one end has opened to another.
type talker struct {
	from, to, traffic string
	opened, refused   uint64    // connections; refused with those that were dropped
	bytes             uint64    // of those that have closed
	counted           bool      // the switches count bytes
	last              time.Time // of the events that count
	event             *model.Observed
}

// talkersOf sums up events, by the number of opened or refused connections.
func talkersOf(all []model.Observed) []*talker {
	type pair struct{ from, to, traffic string }
	by := map[pair]*talker{}
	var out []*talker
	for i := range all {
		e := &all[i]
		if e.From == nil || e.To == nil {
			continue
		}
		k := pair{e.From.String(), e.To.String(), e.Traffic()}
		t := by[k]
		if t == nil {
			t = &talker{from: k.from, to: k.to, traffic: k.traffic}
			by[k] = t
			out = append(out, t)
		}
		switch e.Verdict {
		case model.ObservedOpened:
			t.opened++
		case model.ObservedRefused, model.ObservedDropped:
			t.refused += max(e.Count, 1)
		case model.ObservedClosed:
			if e.Sent != nil && e.Got != nil {
				t.bytes, t.counted = t.bytes+e.Sent.Bytes+e.Got.Bytes, true
			}
		}
		t.last, t.event = e.Time, e
	}
	slices.SortStableFunc(out, func(a, b *talker) int {
		return cmp.Or(cmp.Compare(b.opened+b.refused, a.opened+a.refused), b.last.Compare(a.last), cmp.Compare(a.from+a.to+a.traffic, b.from+b.to+b.traffic))
	})
	return out
}

// talkers makes the page of which ends have opened most connections to which within the last minutes.
func talkers() *Page {
	l := &list[*talker]{
		headers: columns("From", "To", "Traffic", "Opened", "Refused", "Bytes", "Last"),
		empty:   func(*feed.Snapshot) string { return "no connections seen in the last minutes" },
		above:   answered(observedQuestion(), "netmaster"),
		items: func(s *feed.Snapshot) []*talker {
			all, _, _ := feed.Of[[]model.Observed](s, observedQuestion())
			return talkersOf(all)
		},
		id: func(t *talker) string { return t.from + " " + t.to + " " + t.traffic },
		row: func(c Canvas, _ *feed.Snapshot, t *talker) widget.Row {
			bytes := "?"
			if t.counted {
				bytes = widget.SI(float64(t.bytes))
			}
			return widget.Row{Cells: []string{t.from, t.to, t.traffic, number(t.opened), number(t.refused), bytes, Age(c.Now.Sub(t.last))}}
		},
	}
	return &Page{Name: "talkers", Live: true, Command: "netctl observe", Asks: asks(observedQuestion()), Body: l, Keys: []Key{
		l.on("enter", "trace the connection: whether it is allowed, and why", func(t *talker) Action { return judged(t.event) }).hint("enter", "why"),
	}}
}

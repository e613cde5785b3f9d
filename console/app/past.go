// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/moment"
)

// traveller is a cluster whose earlier moments can be shown.
type traveller interface {
	// Travel has snapshots show an earlier moment; the zero time: the present. It does not block.
	Travel(to time.Time)
}

// commands of the prompt that are no pages.
const (
	toMoment  = "at"
	toPresent = "now"
)

// inPast reports whether an earlier moment is shown, or will be with the next snapshot.
func (m *Model) inPast() bool { return m.snapshot.Past() || !m.goal.IsZero() }

// travel has the console show an earlier moment; one that is not before now is the present.
func (m *Model) travel(to time.Time) {
	t, ok := m.cluster.(traveller)
	switch {
	case m.replay != nil:
		m.notice = "a recording is played: @ goes to a time in it"
		return
	case m.recorder != nil:
		m.notice = "the present is recorded: end --record first"
		return
	case !ok:
		m.notice = "only a cluster has earlier moments"
		return
	}
	if !to.Before(m.clock) {
		to = time.Time{}
	}
	m.goal = to
	t.Travel(to)
}

// travelTo goes to the moment that a user has written.
func (m *Model) travelTo(text string) {
	to, err := moment.Parse(text, m.clock, m.clock.Location())
	if err != nil {
		m.notice = err.Error()
		return
	}
	m.travel(to)
}

// here is the moment from which steps lead: the one that is to be shown.
func (m *Model) here() time.Time {
	if m.goal.IsZero() {
		return m.clock
	}
	return m.goal
}

// ofMoment takes a snapshot, if it is of the moment that is to be shown. If nothing is known of that, the console stays where it was.
func (m *Model) ofMoment(s *feed.Snapshot) (taken bool) {
	switch {
	case !s.Moment.Equal(m.goal):
		return false
	case s.Refused != "":
		m.notice = s.Refused
		m.travel(m.snapshot.Moment)
		return false
	case s.Past() && !s.Synced && s.Err == "" && m.snapshot.Synced: // what was shown stays until it is complete
		return false
	}
	return true
}

// pastKeys work on every page while an earlier moment is shown.
func pastKeys() []binding {
	step := func(of map[string]time.Duration) func(*Model, string) tea.Cmd {
		return func(m *Model, key string) tea.Cmd { m.travel(m.here().Add(of[key])); return nil }
	}
	return []binding{
		bind("< >", "previous, next change or finding", func(m *Model, key string) tea.Cmd { m.toMark(key == ">"); return nil }),
		bind(", .", "one minute back, forward", step(map[string]time.Duration{",": -time.Minute, ".": time.Minute})),
		bind("{ }", "one hour back, forward", step(map[string]time.Duration{"{": -time.Hour, "}": time.Hour})),
		bind("ctrl+e", "return to the present, as :now does", func(m *Model, _ string) tea.Cmd { m.travel(m.clock); return nil }),
	}
}

// toMark goes to the next mark, or to the previous one. After the last is the present.
func (m *Model) toMark(next bool) {
	marks, here := m.snapshot.Marks, m.here()
	if next {
		for _, k := range marks {
			if k.At.After(here) {
				m.travel(k.At)
				return
			}
		}
		m.travel(m.clock)
		return
	}
	for _, k := range slices.Backward(marks) {
		if k.At.Before(here) {
			m.travel(k.At)
			return
		}
	}
	m.notice = "no earlier change or finding is kept"
}

// pastBar shows the moment, and on a line from the oldest mark to now where changes and findings lie.
func (m *Model) pastBar() string {
	t, s := m.theme, m.snapshot
	if !s.Moment.Equal(m.goal) {
		to := "the present"
		if !m.goal.IsZero() {
			to = moment.Format(m.goal, m.clock.Location())
		}
		return t.Paint(theme.Warn, widget.Fit(t, " going to "+to+t.Glyphs.Ellipsis, m.width))
	}
	text := fmt.Sprintf(" THE PAST  %s  %s ago  ", moment.Format(s.Moment, m.clock.Location()), page.Age(m.clock.Sub(s.Moment)))
	return t.Paint(theme.Warn, text) + m.scrubber(max(0, m.width-widget.Width(text)-len(" now ")+1)) + t.Paint(theme.Dim, " now")
}

// scrubber is the line of marks, of width cells.
func (m *Model) scrubber(width int) string {
	if width == 0 {
		return ""
	}
	t, s := m.theme, m.snapshot
	begin := s.Moment
	if len(s.Marks) > 0 && s.Marks[0].At.Before(begin) {
		begin = s.Marks[0].At
	}
	cell := func(at time.Time) int {
		all := m.clock.Sub(begin)
		if all <= 0 {
			return width - 1
		}
		return max(0, min(int(float64(width)*float64(at.Sub(begin))/float64(all)), width-1))
	}
	const nothing, change, finding, cursor = 0, 1, 2, 3
	cells := make([]int, width)
	for _, k := range s.Marks {
		is := change
		if k.Finding {
			is = finding
		}
		cells[cell(k.At)] = max(cells[cell(k.At)], is)
	}
	cells[cell(s.Moment)] = cursor
	signs := map[int]string{nothing: t.Paint(theme.Dim, t.Glyphs.Rule), change: t.Paint(theme.Held, t.Glyphs.Up), finding: t.Paint(theme.Bad, "!"),
		cursor: t.Paint(theme.Cursor, t.Glyphs.Mark)}
	var b strings.Builder
	for _, is := range cells {
		b.WriteString(signs[is])
	}
	return b.String()
}

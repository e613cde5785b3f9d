// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"slices"
	"time"
)

// events is the section of the last changes with their authors, and of the findings that began and ended, the newest first.
func (f *facts) events() *Section {
	s := &Section{Title: "Events", None: "none recorded", Unknown: f.history.unknown()}
	for _, why := range f.timeline.unknown() {
		s.Unknown = append(s.Unknown, "findings: "+why)
	}
	add := func(at time.Time, parts ...Part) { s.Rows = append(s.Rows, Row{Time: &at, Text: parts}) }
	for i := range f.history.value {
		e := &f.history.value[i]
		text := e.Verb
		if e.Verb == "update" {
			text += " " + e.Difference()
		}
		text += " by " + e.By.String()
		if e.Why != "" {
			text += " (" + e.Why + ")"
		}
		add(e.Time, plain("%s", text))
	}
	for i := range f.timeline.value {
		e := &f.timeline.value[i]
		add(e.Time, plain("%s ", e.Verb()), mention(e.Object), plain(" %s", e.Text()))
	}
	slices.SortStableFunc(s.Rows, func(a, b Row) int { return b.Time.Compare(*a.Time) })
	s.Rows = s.Rows[:min(len(s.Rows), maxEvents)]
	return s
}

// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/sanitize"
)

// document makes the page from what is known.
func (f *facts) document() *Document {
	d := &Document{Kind: NodeKind, Key: f.key}
	if f.kind != nil {
		d.Kind = f.kind.Command.Use
	}
	for _, build := range []func() *Section{f.problems, f.about, f.reachedBy, f.reaches, f.rulesSection, f.provides, f.providers, f.uses, f.neighbours, f.membersSection} {
		d.add(build())
	}
	for _, s := range f.related() {
		d.add(&s)
	}
	for _, build := range []func() *Section{f.traffic, f.load, f.drops, f.addressSection, f.events, f.commands} {
		d.add(build())
	}
	return d
}

// maxText bounds the length of a text, in bytes.
const maxText = 600

// add adds a section, whose texts come from outside.
func (d *Document) add(s *Section) {
	if s == nil {
		return
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		r.Name = sanitize.Line(r.Name, maxText)
		for j := range r.Text {
			r.Text[j].Text = clean(r.Text[j].Text)
		}
	}
	for i, why := range s.Unknown {
		s.Unknown[i] = sanitize.Line(why, maxReason)
	}
	d.Sections = append(d.Sections, *s)
}

// clean is a part's text as one line, with the blanks that divide it from other parts.
func clean(text string) string {
	inner := strings.Trim(text, " ")
	at := strings.Index(text, inner)
	return text[:at] + sanitize.Line(inner, maxText) + text[at+len(inner):]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"maps"
	"slices"
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

func (d *Document) add(s *Section) {
	if s != nil {
		d.Sections = append(d.Sections, *s)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

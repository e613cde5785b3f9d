// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"slices"
	"strings"
)

// Set is a collection of flows, groups and meters: those of one owner, or the desired or actual ones of a whole switch. Within a Set a
// flow's Key, a group's id and a meter's id should be unique; Check reports whether they are.
type Set struct {
	Flows  []Flow
	Groups []Group
	Meters []Meter
}

// Add appends flows.
func (s *Set) Add(f ...Flow) { s.Flows = append(s.Flows, f...) }

// AddGroup appends groups.
func (s *Set) AddGroup(g ...Group) { s.Groups = append(s.Groups, g...) }

// AddMeter appends meters.
func (s *Set) AddMeter(m ...Meter) { s.Meters = append(s.Meters, m...) }

// Merge appends everything of o.
func (s *Set) Merge(o Set) {
	s.Flows = append(s.Flows, o.Flows...)
	s.Groups = append(s.Groups, o.Groups...)
	s.Meters = append(s.Meters, o.Meters...)
}

// Sort puts flows into the order of table, descending priority and match, groups and meters into that of their ids.
func (s *Set) Sort() {
	slices.SortFunc(s.Flows, func(a, b Flow) int { return a.Compare(b.Key) })
	slices.SortFunc(s.Groups, func(a, b Group) int { return int(int64(a.ID) - int64(b.ID)) })
	slices.SortFunc(s.Meters, func(a, b Meter) int { return int(int64(a.ID) - int64(b.ID)) })
}

// Check returns an error for anything that a switch would refuse: two entries at one place, or a flow or bucket that names a group or meter
// missing in the Set.
func (s Set) Check() error {
	groups, meters, flows := map[uint32]bool{}, map[uint32]bool{}, make(map[Key]bool, len(s.Flows))
	for _, g := range s.Groups {
		if groups[g.ID] {
			return fmt.Errorf("group %#x is there twice", g.ID)
		}
		groups[g.ID] = true
	}
	for _, m := range s.Meters {
		if meters[m.ID] {
			return fmt.Errorf("meter %d is there twice", m.ID)
		}
		meters[m.ID] = true
	}
	for _, g := range s.Groups {
		for id := range g.refersTo {
			if !groups[id] {
				return fmt.Errorf("group %#x names group %#x, which is missing", g.ID, id)
			}
		}
	}
	for i := range s.Flows {
		f := &s.Flows[i]
		if flows[f.Key] {
			return fmt.Errorf("two flows have one table, priority and match: %s", f)
		}
		flows[f.Key] = true
		for id := range f.Actions.Groups {
			if !groups[id] {
				return fmt.Errorf("flow names group %#x, which is missing: %s", id, f)
			}
		}
		for id := range f.Actions.Meters {
			if !meters[id] {
				return fmt.Errorf("flow names meter %d, which is missing: %s", id, f)
			}
		}
	}
	return nil
}

// Text prints the sorted Set, a line an entry, meters and groups first, with the tables' names.
func (s Set) Text(names Tables) string {
	c := Set{slices.Clone(s.Flows), slices.Clone(s.Groups), slices.Clone(s.Meters)}
	c.Sort()
	var b strings.Builder
	for _, m := range c.Meters {
		fmt.Fprintln(&b, m)
	}
	for _, g := range c.Groups {
		fmt.Fprintln(&b, g.Text(names))
	}
	for _, f := range c.Flows {
		fmt.Fprintln(&b, f.Text(names))
	}
	return b.String()
}

// String is Text with table numbers.
func (s Set) String() string { return s.Text(nil) }

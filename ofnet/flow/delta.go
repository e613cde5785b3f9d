// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"slices"
	"strings"
)

// Delta is the difference between two Sets, in the order in which a switch must receive it: meters and groups that flows need come first,
// groups and meters that flows needed last (deleting a group deletes the flows that use it). Groups that name other groups stand after them
// in the adds and before them in the deletes.
type Delta struct {
	AddMeters, ModMeters []Meter
	AddGroups, ModGroups []Group
	AddFlows, ModFlows   []Flow // an ADD over an equal Key replaces the flow and keeps its counters
	DrainFlows           []Flow // they replace the flow of another object, with new counters
	DelFlows             []Flow
	DelGroups            []Group
	DelMeters            []Meter
}

// Diff returns the changes that turn have into want. Of duplicate entries in want the first counts.
func Diff(want, have Set) Delta {
	var d Delta
	d.AddFlows, d.ModFlows, d.DelFlows = diff(want.Flows, have.Flows, func(f *Flow) Key { return f.Key })
	if len(d.ModFlows) > 0 {
		cookies := make(map[Key]Cookie, len(have.Flows))
		for i := range have.Flows {
			cookies[have.Flows[i].Key] = have.Flows[i].Cookie
		}
		d.Part(func(k Key) Cookie { return cookies[k] })
	}
	d.AddGroups, d.ModGroups, d.DelGroups = diff(want.Groups, have.Groups, func(g *Group) uint32 { return g.ID })
	d.AddMeters, d.ModMeters, d.DelMeters = diff(want.Meters, have.Meters, func(m *Meter) uint32 { return m.ID })
	d.Order()
	return d
}

// Part moves the flows whose place another object has from ModFlows to DrainFlows; was is the cookie there.
func (d *Delta) Part(was func(Key) Cookie) {
	var mod []Flow
	for _, f := range d.ModFlows {
		if was(f.Key) == f.Cookie {
			mod = append(mod, f)
		} else {
			d.DrainFlows = append(d.DrainFlows, f)
		}
	}
	d.ModFlows = mod
}

// Order sorts groups as described for Delta.
func (d *Delta) Order() {
	d.AddGroups = inOrder(d.AddGroups)
	d.DelGroups = inOrder(d.DelGroups)
	slices.Reverse(d.DelGroups)
}

func diff[K, V comparable](want, have []V, key func(*V) K) (add, mod, del []V) {
	old := make(map[K]int, len(have))
	for i := range have {
		old[key(&have[i])] = i
	}
	const seen = -1
	for i := range want {
		k := key(&want[i])
		at, ok := old[k]
		switch {
		case !ok:
			add = append(add, want[i])
		case at == seen:
			continue
		case have[at] != want[i]:
			mod = append(mod, want[i])
		}
		old[k] = seen
	}
	for i := range have {
		if old[key(&have[i])] == i {
			del = append(del, have[i])
		}
	}
	return add, mod, del
}

// inOrder puts groups after those they name.
func inOrder(groups []Group) []Group {
	byID := make(map[uint32]Group, len(groups))
	for _, g := range groups {
		byID[g.ID] = g
	}
	out := make([]Group, 0, len(groups))
	var visit func(Group)
	visit = func(g Group) {
		if _, waits := byID[g.ID]; !waits {
			return
		}
		delete(byID, g.ID) // before its parts, so that a cycle ends
		for id := range g.refersTo {
			if part, ok := byID[id]; ok {
				visit(part)
			}
		}
		out = append(out, g)
	}
	for _, g := range groups {
		visit(g)
	}
	return out
}

// Empty reports whether there is nothing to do.
func (d *Delta) Empty() bool { return d.Len() == 0 }

// Len counts the changes.
func (d *Delta) Len() int {
	return d.FlowMods() + len(d.AddGroups) + len(d.ModGroups) + len(d.DelGroups) +
		len(d.AddMeters) + len(d.ModMeters) + len(d.DelMeters)
}

// FlowMods counts the changes of flows.
func (d *Delta) FlowMods() int {
	return len(d.AddFlows) + len(d.ModFlows) + len(d.DrainFlows) + len(d.DelFlows)
}

// Text prints the changes in order, as "ovs-ofctl bundle" reads them; meters, which a bundle cannot hold, are in lines that begin with
// "meter".
func (d *Delta) Text(names Tables) string {
	var b strings.Builder
	line := func(verb string, list ...string) {
		for _, s := range list {
			fmt.Fprintf(&b, "%s %s\n", verb, s)
		}
	}
	flows := func(verb string, list []Flow) {
		for _, f := range list {
			line(verb, f.Text(names))
		}
	}
	groups := func(verb string, list []Group) {
		for _, g := range list {
			line(verb, g.Text(names))
		}
	}
	meters := func(verb string, list []Meter) {
		for _, m := range list {
			line(verb, m.String())
		}
	}
	meters("meter add", d.AddMeters)
	meters("meter modify", d.ModMeters)
	groups("group add", d.AddGroups)
	groups("group modify", d.ModGroups)
	flows("flow add", d.AddFlows)
	flows("flow add", d.ModFlows)
	for _, f := range d.DrainFlows {
		line("flow add", "reset_counts "+f.Text(names))
	}
	for _, f := range d.DelFlows {
		line("flow delete_strict", f.place(names))
	}
	for _, g := range d.DelGroups {
		line("group delete", fmt.Sprintf("group_id=%d", g.ID))
	}
	for _, m := range d.DelMeters {
		line("meter delete", fmt.Sprintf("meter=%d", m.ID))
	}
	return b.String()
}

// String is Text with table numbers.
func (d *Delta) String() string { return d.Text(nil) }

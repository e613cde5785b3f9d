// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"maps"
	"slices"

	"github.com/contiv/contiv/netpolicy"
)

// maxPort is the greatest number of a port.
const maxPort = 65535

// classes are the kinds of traffic that both gates distinguish between two workloads, narrow ones first and the rest last.
func (g *Gates) classes(from, to Workload) []Traffic {
	starts := map[int]map[int]struct{}{} // of named ports, and after them, by protocol
	named := map[int][][2]int{}
	add := func(protocol, first, last int) {
		if starts[protocol] == nil {
			starts[protocol] = map[int]struct{}{}
		}
		if first != 0 {
			starts[protocol][first], starts[protocol][last+1] = struct{}{}, struct{}{}
			named[protocol] = append(named[protocol], [2]int{first, last})
		}
	}
	g.Net.rules(func(r *netpolicy.Rule) {
		for _, p := range r.Ports {
			if p.Name == "" {
				add(int(p.Protocol), int(p.First), int(p.Last))
			} else if to.Pod != nil {
				for _, n := range to.Pod.Ports {
					if n.Name == p.Name && (p.Protocol == 0 || int(p.Protocol) == n.Protocol) {
						add(n.Protocol, n.Port, n.Port)
					}
				}
			}
		}
	})
	if g.Rules != nil {
		for _, t := range classes(g.Rules.of(Party{from.Group}, "out"), g.Rules.of(Party{to.Group}, "in")) {
			if t.Protocol != 0 {
				add(t.Protocol, t.Port, t.Port)
			}
		}
	}
	var out []Traffic
	for _, protocol := range slices.Sorted(maps.Keys(starts)) {
		bounds := slices.Sorted(maps.Keys(starts[protocol]))
		for i, first := range bounds {
			last := maxPort
			if i+1 < len(bounds) {
				last = bounds[i+1] - 1
			}
			if slices.ContainsFunc(named[protocol], func(n [2]int) bool { return n[0] <= first && first <= n[1] }) {
				out = append(out, Traffic{Protocol: protocol, Port: first, Last: last})
			}
		}
		out = append(out, Traffic{Protocol: protocol})
	}
	for i := range out {
		if out[i].Last == out[i].Port {
			out[i].Last = 0
		}
	}
	slices.SortStableFunc(out, func(a, b Traffic) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), trueFirst(a.Port != 0, b.Port != 0), cmp.Compare(a.Port, b.Port))
	})
	return append(out, Traffic{})
}

// SumOf is Sum of rulings.
func SumOf(list []Ruling) Summary {
	decisions := make([]Decision, len(list))
	for i, r := range list {
		decisions[i] = Decision{Traffic: r.Traffic, Fate: r.Fate}
	}
	return Sum(decisions)
}

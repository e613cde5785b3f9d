// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"
	"strings"
)

// Summary summarizes a list of decisions.
type Summary struct {
	Fate Fate   // Allowed: all of it; Denied: none; Depends: some of it, or it depends on addresses
	Text string // "all", "none", "tcp 8080", "all -tcp 22"; "?" precedes what depends on addresses
}

// Sum describes decisions in a few words: first the traffic that no rule names, if it passes, then exceptions, "-" before denied ones, "+"
// or nothing before allowed ones.
func Sum(list []Decision) Summary {
	if len(list) == 0 {
		return Summary{Depends, "not judged"}
	}
	rest, same := list[len(list)-1].Fate, true
	words := map[Fate][]string{Allowed: {"all"}, Depends: {"?"}}[rest]
	wide := slices.Clone(list) // whole protocols before their ports
	slices.SortStableFunc(wide, func(a, b Decision) int { return min(a.Port, 1) - min(b.Port, 1) })
	for _, d := range wide {
		same = same && d.Fate == rest
		if d.Fate == usual(list, d) {
			continue
		}
		sign := map[Fate]string{Denied: "-", Depends: "?"}[d.Fate]
		if d.Fate == Allowed && rest != Denied {
			sign = "+"
		}
		words = append(words, sign+d.Traffic.String())
	}
	if same {
		return Summary{rest, [...]string{"all", "none", "? by address"}[rest]}
	}
	return Summary{Depends, strings.Join(words, " ")}
}

// usual is the fate that a class shares with others and needs no mention for: that of the other ports of its protocol, of ICMP for ICMPv6,
// or of traffic that no rule names.
func usual(list []Decision, d Decision) Fate {
	wider := Traffic{}
	switch {
	case d.Port != 0:
		wider.Protocol = d.Protocol
	case d.Protocol == ICMPv6:
		wider.Protocol = ICMP
	}
	fate := list[len(list)-1].Fate
	for _, x := range list {
		if x.Traffic == wider {
			fate = x.Fate
		}
	}
	return fate
}

// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"slices"
)

// Shadows finds flows that no packet can reach, because one flow of a higher priority in the same table matches all their packets. It
// returns, for each flow, the index of such a flow, or -1. It does not find a flow that only several others together cover. Clauses of
// conjunctions match no packet by themselves and so cover nothing (ovs-actions(7), "conjunction").
//
// It costs the number of flows times the number of different sets of fields and masks in a table.
func Shadows(flows []Flow) []int {
	out, order := make([]int, len(flows)), make([]int, len(flows))
	for i := range flows {
		out[i], order[i] = -1, i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(flows[a].Table, flows[b].Table), -cmp.Compare(flows[a].Priority, flows[b].Priority))
	})
	for len(order) > 0 {
		n := 1
		for n < len(order) && flows[order[n]].Table == flows[order[0]].Table {
			n++
		}
		shadowsIn(flows, order[:n], out)
		order = order[n:]
	}
	return out
}

// shape is one set of fields and masks, and the flows seen that test exactly these, by their values.
type shape struct {
	masks []Term
	seen  map[string]int
}

// shadowsIn fills in out for the flows of one table, which order lists by falling priority.
func shadowsIn(flows []Flow, order, out []int) {
	shapes, names := []*shape{}, map[string]*shape{}
	for len(order) > 0 {
		n := 1
		for n < len(order) && flows[order[n]].Priority == flows[order[0]].Priority {
			n++
		}
		for _, i := range order[:n] {
			terms := slices.Collect(flows[i].Match.terms)
			for _, s := range shapes {
				if by, ok := s.covers(terms); ok {
					out[i] = by
					break
				}
			}
		}
		for _, i := range order[:n] { // equal priorities do not cover one another
			m := flows[i].Match
			if m.foreign() || flows[i].Actions.clause() {
				continue
			}
			terms := slices.Collect(m.terms)
			name := ""
			for t := range terms {
				name += string(rune(terms[t].field)) + string(terms[t].mask[:])
			}
			s := names[name]
			if s == nil {
				s = &shape{terms, map[string]int{}}
				names[name], shapes = s, append(shapes, s)
			}
			values, _ := s.project(terms)
			if _, ok := s.seen[values]; !ok {
				s.seen[values] = i
			}
		}
		order = order[n:]
	}
}

// covers returns a flow of the shape that matches every packet for which terms are true.
func (s *shape) covers(terms []Term) (int, bool) {
	values, ok := s.project(terms)
	if !ok {
		return 0, false
	}
	i, ok := s.seen[values]
	return i, ok
}

// project returns the part of terms within the bits that the shape tests; false if they leave one of these open.
func (s *shape) project(terms []Term) (string, bool) {
	var buf [64]byte
	values, at := buf[:0], 0
	for i := range s.masks {
		want := &s.masks[i]
		for at < len(terms) && terms[at].field < want.field {
			at++
		}
		if at == len(terms) || terms[at].field != want.field {
			return "", false
		}
		for b := range want.mask {
			if want.mask[b]&^terms[at].mask[b] != 0 {
				return "", false
			}
			values = append(values, terms[at].value[b]&want.mask[b])
		}
	}
	return string(values), true
}

// foreign reports whether the match tests fields that this package does not know.
func (m Match) foreign() bool {
	for range m.raw {
		return true
	}
	return false
}

// clause reports whether the actions make the flow a clause of a conjunction.
func (a Actions) clause() bool {
	for rest := a.Apply(); len(rest) >= 10; {
		n := int(rest[2])<<8 | int(rest[3])
		if n < 8 || n > len(rest) {
			return false
		}
		if be.Uint16([]byte(rest[:2])) == actExperimenter && n >= 10 && be.Uint16([]byte(rest[8:10])) == nxConjunction {
			return true
		}
		rest = rest[n:]
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package rates

import (
	"cmp"
	"slices"
)

// sums are lines under construction, by level and name.
type sums map[Level]map[string]*Line

func newSums() sums {
	out := sums{}
	for _, l := range Levels() {
		out[l] = map[string]*Line{}
	}
	return out
}

// line returns the line of an object, and adds it if needed.
func (s sums) line(level Level, name string) *Line {
	l := s[level][name]
	if l == nil {
		l = &Line{Name: name}
		s[level][name] = l
	}
	return l
}

// add adds the traffic of a subject to everything that it is a part of.
func (s sums) add(k subject, sent, received Flow) {
	if k.endpoint == "" {
		s.line(Rules, k.rule).grow(sent, received)
		return
	}
	e := s.line(Endpoints, k.endpoint)
	e.On = k.host
	e.grow(sent, received)
	s.line(Hosts, k.host).grow(sent, received)
	if k.group != "" {
		s.line(Groups, k.group).grow(sent, received)
	}
}

func (l *Line) grow(sent, received Flow) {
	l.Sent.Packets += sent.Packets
	l.Sent.Bytes += sent.Bytes
	l.Received.Packets += received.Packets
	l.Received.Bytes += received.Bytes
}

// order adds the past values to each line, and puts those with most bytes first.
func (s sums) order(past map[Level]map[string][]float64) map[Level][]Line {
	out := map[Level][]Line{}
	for level, lines := range s {
		for _, l := range lines {
			now := l.Total()
			if level == Rules {
				now = l.Sent.Packets
			}
			series := append(slices.Clone(past[level][l.Name]), now)
			l.Past = series[max(0, len(series)-Kept):]
			out[level] = append(out[level], *l)
		}
		slices.SortFunc(out[level], func(a, b Line) int {
			return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Name, b.Name))
		})
	}
	return out
}

// pasts returns the past values of lines, by level and name.
func pasts(lines map[Level][]Line) map[Level]map[string][]float64 {
	out := map[Level]map[string][]float64{}
	for level, all := range lines {
		out[level] = make(map[string][]float64, len(all))
		for i := range all {
			out[level][all[i].Name] = all[i].Past
		}
	}
	return out
}

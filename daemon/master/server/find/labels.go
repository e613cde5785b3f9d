// SPDX-License-Identifier: Apache-2.0

package find

import (
	"cmp"
	"strings"
)

// fieldLabels is the field of labels in an answer.
const fieldLabels = "labels"

// labelText is a label in lower case.
type labelText struct {
	text  string // key=value
	value int    // where the value starts
	drawn bool   // the value is a random one: only its begin is searched
}

func newLabelText(key, value string) labelText {
	return labelText{text: lower(key) + "=" + lower(value), value: len(key) + 1, drawn: kindOfName(lower(value), label, drawnName) == drawnName}
}

// label ranks a query in a label. With "=", the query is a part of KEY=VALUE; without, it is one of the value, whose begin is that of a word of the label.
func (q *query) label(l *labelText) rank {
	r := none
	if strings.Contains(q.text, "=") {
		r = rankOf(l.text, q.text)
	} else if r = rankOf(l.text[l.value:], q.text); r < word {
		r = word
	}
	if r == part && l.drawn {
		r = none
	}
	return r
}

// labels are those of the endpoints of an index. Endpoints share most of theirs: each is there once.
type labels struct {
	numbers map[[2]string]uint32 // by key and value
	list    []labelText
	of      []uint32 // numbers of the labels of all endpoints, in their order
	stops   []uint32 // of the endpoints in of
}

func newLabels() labels { return labels{numbers: map[[2]string]uint32{}} }

// add adds the labels of the next endpoint.
func (l *labels) add(of map[string]string) {
	for key, value := range of {
		at := [2]string{key, value}
		n, known := l.numbers[at]
		if !known {
			n = uint32(len(l.list))
			l.numbers[at], l.list = n, append(l.list, newLabelText(key, value))
		}
		l.of = append(l.of, n)
	}
	l.stops = append(l.stops, uint32(len(l.of)))
}

// rankedLabels are the ranks of a query in all labels of an index.
type rankedLabels struct {
	labels *labels
	ranks  []rank // by number
	best   rank
}

// ranked ranks a query in all labels; nil: it is in none.
func (l *labels) ranked(q *query) *rankedLabels {
	out := &rankedLabels{labels: l, best: none}
	for n := range l.list {
		r := q.label(&l.list[n])
		if r == none {
			continue
		}
		if out.ranks == nil {
			out.ranks = make([]rank, len(l.list))
			for i := range out.ranks {
				out.ranks[i] = none
			}
		}
		out.ranks[n], out.best = r, min(out.best, r)
	}
	if out.best == none {
		return nil
	}
	return out
}

// or returns the best label of an endpoint if it is better than another hit, which is returned otherwise. Of equal labels the shortest counts, and of
// those the first by the alphabet.
func (r *rankedLabels) or(other hit, n int) hit {
	if other.rank <= r.best {
		return other
	}
	start, best := uint32(0), (*labelText)(nil)
	if n > 0 {
		start = r.labels.stops[n-1]
	}
	rank := other.rank
	for _, number := range r.labels.of[start:r.labels.stops[n]] {
		switch one := &r.labels.list[number]; {
		case r.ranks[number] < rank:
			rank, best = r.ranks[number], one
		case r.ranks[number] == rank && best != nil && one.before(best):
			best = one
		}
	}
	if best == nil {
		return other
	}
	return hit{rank: rank, field: label, label: best}
}

func (l *labelText) before(o *labelText) bool {
	return cmp.Or(cmp.Compare(len(l.text), len(o.text)), cmp.Compare(l.text, o.text)) < 0
}

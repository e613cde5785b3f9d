// SPDX-License-Identifier: Apache-2.0

package find

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/sanitize"
)

// class orders matches of one rank: objects and hosts are before endpoints, and names before labels.
type class uint8

const (
	objects class = iota
	endpoints
	labelled
)

// match is how well something matches: by the rank, the class, and the length of the value.
type match struct {
	rank
	class
	length int
}

// compare is negative if a match comes before another.
func (m match) compare(o match) int {
	return cmp.Or(cmp.Compare(m.rank, o.rank), cmp.Compare(m.class, o.class), cmp.Compare(m.length, o.length))
}

// best keeps the best matches, in order. Of equal ones, the first to come stay.
type best struct {
	limit int
	total int // number of all matches
	rows  []row
}

type row struct {
	match
	found model.Found
}

// keeps counts a match, and reports whether it is among the best, so that it must be put.
func (b *best) keeps(m match) bool {
	b.total++
	return len(b.rows) < b.limit || m.compare(b.rows[len(b.rows)-1].match) < 0
}

// put keeps a match. Its texts are cleaned and shortened.
func (b *best) put(m match, f model.Found) {
	f.Rank = m.rank.String()
	f.Value, f.About = sanitize.Line(f.Value, maxText), sanitize.Line(f.About, maxText)
	at, _ := slices.BinarySearchFunc(b.rows, m, func(r row, m match) int {
		return cmp.Or(r.compare(m), -1) // behind all that are equal
	})
	if len(b.rows) == b.limit {
		b.rows = b.rows[:b.limit-1]
	}
	b.rows = slices.Insert(b.rows, at, row{m, f})
}

// items are the kept matches. Of equal ones, those of endpoints follow, which come in no order, in the order of their keys.
func (b *best) items() []model.Found {
	endpoint := model.KindEndpoint().Name
	slices.SortStableFunc(b.rows, func(x, y row) int {
		of, other := x.found.Kind == endpoint, y.found.Kind == endpoint
		switch c := x.compare(y.match); {
		case c != 0:
			return c
		case of && other:
			return cmp.Compare(x.found.Key, y.found.Key)
		case of:
			return 1
		case other:
			return -1
		}
		return 0
	})
	out := make([]model.Found, len(b.rows))
	for i := range b.rows {
		out[i] = b.rows[i].found
	}
	return out
}

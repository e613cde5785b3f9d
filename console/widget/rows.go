package widget

import "slices"

// Rows is the rows of a table in their order. Of a long list, only those that are asked for are made.
type Rows interface {
	Len() int
	// At makes row i.
	At(i int) Row
	// Find is the number of the row with that ID; negative when there is none.
	Find(id string) int
}

// List is rows that are all made.
type List []Row

// Len is the number of rows.
func (l List) Len() int { return len(l) }

// At is row i.
func (l List) At(i int) Row { return l[i] }

// Find looks at one row after the other.
func (l List) Find(id string) int {
	return slices.IndexFunc(l, func(r Row) bool { return r.ID == id })
}

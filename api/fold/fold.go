// SPDX-License-Identifier: Apache-2.0

// Package fold folds matrices of allowed connections: rows that are equal become one row, and columns that are equal one column. netctl and
// the console show such matrices.
package fold

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"
)

// From is the number of parties from which a matrix is folded at first: a smaller one is readable as it is.
const From = 10

// listed is the length up to which the name of a fold lists two members.
const listed = 18

// Fold is the numbers of rows, or of columns, that are equal, in ascending order. It has at least one.
type Fold []int

// Matrix is the folds of the rows and of the columns of a matrix, each in the order of their first members. Every row and every column is in
// exactly one fold.
type Matrix struct{ Rows, Cols []Fold }

// Each returns n folds of one member.
func Each(n int) []Fold {
	out := make([]Fold, n)
	for i := range out {
		out[i] = Fold{i}
	}
	return out
}

// Of folds a square matrix. alike are parties whose rows and columns are known to be equal, each party in one of them; cell is called for
// the first members of each two.
func Of(alike []Fold, cell func(row, col int) string) Matrix {
	n := len(alike)
	numbers, cells := map[string]uint32{}, make([]uint32, n*n)
	for i, from := range alike {
		for j, to := range alike {
			text := cell(from[0], to[0])
			number, known := numbers[text]
			if !known {
				number = uint32(len(numbers))
				numbers[text] = number
			}
			cells[i*n+j] = number
		}
	}
	return Matrix{Rows: join(alike, func(i, j int) uint32 { return cells[i*n+j] }), Cols: join(alike, func(i, j int) uint32 { return cells[j*n+i] })}
}

// join joins those of alike whose lines are equal; at returns the cell at a place of a line.
func join(alike []Fold, at func(line, place int) uint32) (out []Fold) {
	by := map[string]int{}
	key := make([]byte, 0, 4*len(alike))
	for i := range alike {
		key = key[:0]
		for j := range alike {
			key = binary.BigEndian.AppendUint32(key, at(i, j))
		}
		k, known := by[string(key)]
		if !known {
			k = len(out)
			by[string(key)] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], alike[i]...)
	}
	for _, f := range out {
		slices.Sort(f)
	}
	slices.SortFunc(out, func(a, b Fold) int { return a[0] - b[0] })
	return out
}

// Name is the name of a fold of parties, which are in order: "web"; "app, db" of two with short names; "g0000..g0299 (300)" if the fold has
// all from the first to the last; else the first with the number of the others, "app +4".
func (f Fold) Name(name func(i int) string) string {
	first, last := name(f[0]), name(f[len(f)-1])
	switch n := len(f); {
	case n == 2 && utf8.RuneCountInString(first+last)+2 <= listed:
		return first + ", " + last
	case n > 2 && f[n-1]-f[0] == n-1:
		return fmt.Sprintf("%s..%s (%d)", first, last, n)
	}
	return Plus(first, len(f)-1)
}

// Plus is a name with the number of others of its kind, if there are any: "web-1 +2".
func Plus(first string, others int) string {
	if others == 0 {
		return first
	}
	return fmt.Sprintf("%s +%d", first, others)
}

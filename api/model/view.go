// SPDX-License-Identifier: Apache-2.0

package model

// View is a table of items that are not objects, such as nodes: its columns, in order. The files of api/schema/listings declare the views.
type View[T any] []ColumnOf[T]

// ColumnOf is a column of a View.
type ColumnOf[T any] struct {
	Column
	// Value returns the value of an item; nil: the program that draws the table has it, such as an age.
	Value func(item *T) any
}

// Columns returns the columns of the table, with those of wide tables if wide.
func (v View[T]) Columns(wide bool) (out []Column) {
	for i := range v {
		if c := &v[i]; wide || !c.Wide {
			out = append(out, c.Column)
		}
	}
	return out
}

// Headers returns the headers of the columns.
func (v View[T]) Headers(wide bool) (out []string) {
	for _, c := range v.Columns(wide) {
		out = append(out, c.Header)
	}
	return out
}

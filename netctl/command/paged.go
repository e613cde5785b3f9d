// SPDX-License-Identifier: Apache-2.0

package command

import (
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// paged is a list of a kind that arrives in pages. Formats with one document are printed at the end, all others with each page.
type paged[T interface{ Field(name string) any }] struct {
	kind    *model.Kind
	columns []model.Column
	format  term.Format
	keep    func(T) bool
	key     func(T) string
}

// print prints the selected objects of the pages. For an empty list it prints nothing: the caller finds the reason, and then writes what
// print returns.
func (p paged[T]) print(f *Factory, pages iter.Seq2[[]T, error]) (n int, _ *term.Listing, _ error) {
	l := &term.Listing{Table: term.Table{Columns: p.columns}}
	rows, values := p.format.Rows() || p.format.Sort != "", !p.format.Rows() && !p.format.Names()
	whole := values || p.format.Sort != ""
	kept := []any{}
	for page, err := range pages {
		if err != nil {
			return n, l, err
		}
		for _, object := range page {
			if !p.keep(object) {
				continue
			}
			n++
			if rows {
				l.Add(term.Row(l.Columns, object.Field))
			}
			switch {
			case whole && !p.format.Bare:
				kept = append(kept, kinded{p.kind, object})
			case whole:
				kept = append(kept, object)
			}
			if p.format.Names() {
				l.Names = append(l.Names, p.name(object))
			}
		}
		if n == 0 || whole {
			continue
		}
		if err := f.print(l, p.format); err != nil {
			return n, l, err
		}
	}
	l.Value = kept
	if n > 0 && whole {
		return n, l, f.print(l, p.format)
	}
	return n, l, nil
}

// name returns the name of an object, bare or in the form that other commands accept.
func (p paged[T]) name(object T) string {
	if p.format.Name == term.Quiet {
		return term.Cell(object.Field(nameArg(p.kind)))
	}
	return fullName(p.kind, p.key(object))
}

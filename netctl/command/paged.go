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
func (p paged[T]) print(f *Factory, pages iter.Seq2[[]T, error]) (n int, _ *listing, _ error) {
	l := &listing{Table: term.Table{Columns: p.columns}}
	whole := !p.format.Tabular() && !p.format.Names()
	kept := []T{}
	for page, err := range pages {
		if err != nil {
			return n, l, err
		}
		for _, object := range page {
			if !p.keep(object) {
				continue
			}
			n++
			switch {
			case whole:
				kept = append(kept, object)
			case p.format.Tabular():
				l.Add(term.Row(l.Columns, object.Field))
			default:
				l.names = append(l.names, p.name(object))
			}
		}
		if n == 0 || whole {
			continue
		}
		if err := l.write(f, p.format); err != nil {
			return n, l, err
		}
	}
	l.value = kept
	if n > 0 && whole {
		return n, l, l.write(f, p.format)
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

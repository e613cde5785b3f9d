package command

import (
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// paged is a list of a kind that comes in pages. What is one document is printed at its end, all else with each page.
type paged[T interface{ Field(name string) any }] struct {
	kind   *model.Kind
	format term.Format
	keep   func(T) bool
	key    func(T) string
}

// print prints the objects of the pages that are kept. Of a list without any it prints nothing: the caller finds out why it is empty, and
// then writes what it returns.
func (p paged[T]) print(f *Factory, pages iter.Seq2[[]T, error]) (n int, _ *listing, _ error) {
	l := &listing{Table: term.Table{Columns: term.Columns(p.kind, p.format.Wide())}}
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

// name is how an object is named, bare or so that other commands take it.
func (p paged[T]) name(object T) string {
	if p.format.Name == term.Quiet {
		return term.Cell(object.Field(nameArg(p.kind)))
	}
	return fullName(p.kind, p.key(object))
}

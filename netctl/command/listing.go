package command

import (
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// listing is a list that is ready to be printed in any format.
type listing struct {
	columns []model.Column
	tail    bool // pad the last column too
	rowTail bool // pad the last column of rows, not of the header
	rows    [][]string
	names   []string
	spare   []string // memory for rows
	value   any      // for json, yaml and jsonpath
}

// row adds a row, which is copied, and its object's name.
func (l *listing) row(name string, row []string) {
	if len(l.spare) < len(row) {
		l.spare = make([]string, 256*len(row))
	}
	n := copy(l.spare, row)
	l.rows, l.spare = append(l.rows, l.spare[:n:n]), l.spare[n:]
	l.names = append(l.names, name)
}

// write prints the listing.
func (l *listing) write(f *Factory, format term.Format) error {
	switch {
	case format.Tabular():
		return local((&term.Table{Columns: l.columns, Tail: l.tail, RowTail: l.rowTail, Rows: l.rows}).Write(f.Out))
	case format.Name == "name":
		for _, name := range l.names {
			if err := printf(f.Out, "%s\n", name); err != nil {
				return err
			}
		}
		return nil
	}
	return local(format.Write(f.Out, l.value))
}

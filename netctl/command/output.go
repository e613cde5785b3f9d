// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"

	"github.com/contiv/contiv/netctl/term"
)

// listing is a list to be printed in any format, as a whole or in parts.
type listing struct {
	term.Table
	names []string
	value any // for json, yaml and jsonpath
}

// row adds a row and its object's name.
func (l *listing) row(name string, row []string) {
	l.Add(row)
	l.names = append(l.names, name)
}

// write prints the listing, as a whole for formats with one document, else the rows added since the last call.
func (l *listing) write(f *Factory, format term.Format) error {
	switch {
	case format.Tabular():
		return local(l.Table.Write(f.Out))
	case format.Names():
		out := bufio.NewWriter(f.Out)
		for _, name := range l.names {
			_, _ = out.WriteString(name) // Flush returns the error
			_ = out.WriteByte('\n')
		}
		l.names = nil
		return local(out.Flush())
	}
	return local(format.Write(f.Out, l.value))
}

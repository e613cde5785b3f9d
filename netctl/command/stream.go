// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"

	"github.com/contiv/contiv/netctl/term"
)

// stream prints items that arrive one by one, in any format.
type stream struct {
	term.Listing
	printed bool
}

// item prints an item: line for people, its row and value for programs.
func (s *stream) item(f *Factory, format term.Format, line, name string, value any, row []string) error {
	switch format.Name {
	case "table", "wide":
		return f.text(line + "\n")
	case "json":
		text, err := json.Marshal(value)
		if err != nil {
			return local(err)
		}
		return printf(f.Out, "%s\n", text)
	case "yaml":
		if err := printf(f.Out, "---\n"); err != nil {
			return err
		}
	}
	if row != nil {
		s.Row(name, row)
	}
	s.Value = value
	format.Headless = format.Headless || s.printed && format.Name != "csv"
	s.printed = true
	return f.print(&s.Listing, format)
}

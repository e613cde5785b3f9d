// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bufio"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/contiv/contiv/sortkey"
)

// Listing is a list to be printed in any format, as a whole or in parts.
type Listing struct {
	Table
	Names []string // of the rows
	Value any      // for formats that print values: a list of the rows' items, or the whole answer
}

// Row adds a row and its object's name.
func (l *Listing) Row(name string, row []string) {
	l.Add(row)
	l.Names = append(l.Names, name)
}

// Write prints the listing, as a whole for formats with one document, else the rows added since the last call.
func (l *Listing) Write(w io.Writer, f Format) error {
	l.Headless = f.Headless
	if f.Sort != "" {
		if err := l.sort(f.Sort); err != nil {
			return err
		}
	}
	switch {
	case f.Tabular():
		return l.Table.Write(w)
	case f.Name == "csv" && len(l.Columns) > 0:
		return l.writeCSV(w, f)
	case f.Names():
		out := bufio.NewWriter(w)
		for _, name := range l.Names {
			_, _ = out.WriteString(name) // Flush returns the error
			_ = out.WriteByte('\n')
		}
		l.Names, l.rows = nil, nil
		return out.Flush()
	}
	return f.Write(w, l.Value)
}

// writeCSV prints the rows added since the last call, the first time below their header.
func (l *Listing) writeCSV(w io.Writer, f Format) error {
	var header []string
	for _, c := range l.Columns {
		header = append(header, strings.TrimSpace(c.Header))
	}
	f.Headless = f.Headless || l.widths != nil
	l.widths = make([]int, len(l.Columns))
	l.moments()
	rows := l.rows
	l.rows = nil
	return f.writeCSV(w, header, rows)
}

// sort orders the rows, their names and the items of the value by a column, whose name may be in any case, or by a field of the items.
func (l *Listing) sort(by string) error {
	list, isList := elements(l.Value)
	keys, err := l.keys(by, list, isList)
	if err != nil {
		return err
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return keys[a].Compare(keys[b]) })
	if len(l.rows) == len(order) {
		l.rows = arrange(l.rows, order)
	}
	if len(l.Names) == len(order) {
		l.Names = arrange(l.Names, order)
	}
	if isList && len(list) == len(order) {
		l.Value = arrange(list, order)
	}
	return nil
}

// keys returns what the rows, or, without rows, the items are ordered by.
func (l *Listing) keys(by string, list []any, isList bool) (out []sortkey.Key, err error) {
	if at := l.column(by); at >= 0 {
		for _, row := range l.rows {
			cell := ""
			if at < len(row) {
				cell = row[at]
			}
			out = append(out, sortkey.Of(cell))
		}
		return out, nil
	}
	path, err := fieldPath(by)
	if err != nil {
		return nil, err
	}
	found := len(list) == 0
	for _, item := range list {
		text, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		value, err := plain(text)
		if err != nil {
			return nil, err
		}
		cell, has := fieldOf(path, value)
		found = found || has
		out = append(out, sortkey.Of(cell))
	}
	if !found || !isList || len(l.rows) > 0 && len(l.rows) != len(list) {
		var headers []string
		for _, c := range l.Columns {
			if c.Header != "" {
				headers = append(headers, strings.TrimSpace(c.Header))
			}
		}
		return nil, BadUsage("--sort-by: got %s, want a column (%s) or a field of the objects, such as .subnet", by, strings.Join(headers, ", "))
	}
	return out, nil
}

// column returns the index of a column by its name, without regard to case, blanks and dashes; -1 if there is none.
func (l *Listing) column(name string) int {
	bare := func(s string) string {
		return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(s))
	}
	for i, c := range l.Columns {
		if c.Header != "" && bare(c.Header) == bare(name) {
			return i
		}
	}
	return -1
}

// elements returns the elements of a slice.
func elements(v any) (out []any, isList bool) {
	list := reflect.ValueOf(v)
	if !list.IsValid() || list.Kind() != reflect.Slice {
		return nil, false
	}
	for i := range list.Len() {
		out = append(out, list.Index(i).Interface())
	}
	return out, true
}

// arrange returns the elements of a list in an order.
func arrange[T any](list []T, order []int) []T {
	out := make([]T, len(order))
	for i, from := range order {
		out[i] = list[from]
	}
	return out
}

package term

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/contiv/contiv/api/model"
)

// Table prints rows below a header, two spaces between columns, as the original did.
type Table struct {
	Columns []model.Column
	Tail    bool // pad the last column too
	RowTail bool // of the rows alone
	Rows    [][]string
}

// Write prints the table. A table without rows is its two header lines.
func (t *Table) Write(w io.Writer) error {
	buffer := bufio.NewWriter(w) // tabwriter writes each cell by itself
	out := tabwriter.NewWriter(buffer, 0, 2, 2, ' ', 0)
	headers, dashes := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		n := c.Dashes
		if n == 0 { // a column without a header has no dashes
			n = len(c.Header)
		}
		headers[i], dashes[i] = c.Header, strings.Repeat("-", n)
	}
	for i, row := range append([][]string{headers, dashes}, t.Rows...) {
		line := strings.Join(row, "\t")
		if t.Tail || t.RowTail && i > 1 {
			line += "\t"
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return errors.Join(out.Flush(), buffer.Flush())
}

// Columns are the columns of a kind's table.
func Columns(k *model.Kind, wide bool) []model.Column {
	var out []model.Column
	for _, c := range k.Columns {
		if wide || !c.Wide {
			out = append(out, c)
		}
	}
	return out
}

// Row reads the columns' fields.
func Row(columns []model.Column, field func(name string) any) []string {
	row := make([]string, 0, len(columns))
	for _, c := range columns {
		switch {
		case c.HeadOnly:
		case c.Field == "":
			row = append(row, "")
		default:
			row = append(row, styled(c.Style, field(c.Field)))
		}
	}
	return row
}

// styled prints one value in the style of its column.
func styled(style string, v any) string {
	switch style {
	case "brackets":
		list, _ := v.([]string)
		return "[" + strings.Join(list, " ") + "]"
	case "bandwidth":
		text, _ := v.(string)
		if b, err := model.ParseBandwidth(text); err == nil {
			return b.String()
		}
	}
	return Cell(v)
}

// Cell prints one value.
func Cell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case []string:
		return strings.TrimSuffix(strings.Join(v, ","), ",")
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// WriteRow prints the rows alone, each column at least as wide as its header, for a table that grows as one watches.
func (t *Table) WriteRow(w io.Writer) error {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c model.Column) bool { return c.HeadOnly })
	for _, row := range t.Rows {
		var b strings.Builder
		for i, cell := range row {
			if i == len(row)-1 {
				b.WriteString(cell)
				break
			}
			fmt.Fprintf(&b, "%-*s  ", max(len(columns[i].Header), columns[i].Dashes), cell)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

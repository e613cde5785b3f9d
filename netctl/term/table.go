package term

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	headers, dashes := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		n := c.Dashes
		if n == 0 { // a column without a header has no dashes
			n = len(c.Header)
		}
		headers[i], dashes[i] = c.Header, strings.Repeat("-", n)
	}
	// A cell with nothing behind it is as wide as it is, and makes its column no wider.
	widths := make([]int, len(t.Columns))
	measure := func(row []string, tail bool) {
		for i, cell := range row {
			if i < len(row)-1 || tail {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	measure(headers, t.Tail)
	measure(dashes, t.Tail)
	for _, row := range t.Rows {
		measure(row, t.Tail || t.RowTail)
	}
	out := bufio.NewWriterSize(w, 16<<10)
	writeLine(out, headers, widths, t.Tail)
	writeLine(out, dashes, widths, t.Tail)
	for _, row := range t.Rows {
		writeLine(out, row, widths, t.Tail || t.RowTail)
	}
	return out.Flush()
}

const gap = "  " // between columns

// writeLine prints cells, each as wide as its column, the last one only with tail. The writer keeps the error.
func writeLine(out *bufio.Writer, row []string, widths []int, tail bool) {
	for i, cell := range row {
		_, _ = out.WriteString(cell)
		if i == len(row)-1 && !tail {
			break
		}
		for n := widths[i] - utf8.RuneCountInString(cell); n > 0; n-- {
			_ = out.WriteByte(' ')
		}
		_, _ = out.WriteString(gap)
	}
	_ = out.WriteByte('\n')
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
			row = append(row, Styled(c.Style, field(c.Field)))
		}
	}
	return row
}

// Styled prints one value in the style of its column.
func Styled(style string, v any) string {
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

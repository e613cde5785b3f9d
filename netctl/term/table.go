package term

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Table prints rows below a header, two spaces between columns, as the original did.
type Table struct {
	Columns []model.Column
	Tail    bool // pad the last column too; to be set before rows are added
	RowTail bool // of the rows alone; likewise
	rows    rows
}

// Add adds a row, which is copied. It may have fewer cells than there are columns.
func (t *Table) Add(row []string) { add(&t.rows, row, nil, t.Tail || t.RowTail) }

// AddText adds a row as Add does. same may mark cells that are as in the row above, which saves looking; nil marks none.
func (t *Table) AddText(row [][]byte, same []bool) { add(&t.rows, row, same, t.Tail || t.RowTail) }

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
	head := rows{widths: slices.Clone(t.rows.widths)}
	add(&head, headers, nil, t.Tail)
	add(&head, dashes, nil, t.Tail)
	out := bufio.NewWriterSize(w, 32<<10)
	head.write(out, head.widths, t.Tail)
	t.rows.write(out, head.widths, t.Tail || t.RowTail)
	return out.Flush()
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
	case "labels":
		text, _ := v.(string)
		return model.LabelText(text)
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

// WriteRow prints one row, each column at least as wide as its header, for a table that grows as one watches.
func (t *Table) WriteRow(w io.Writer, row []string) error {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c model.Column) bool { return c.HeadOnly })
	var b strings.Builder
	for i, cell := range row {
		if i == len(row)-1 {
			b.WriteString(cell)
			break
		}
		fmt.Fprintf(&b, "%-*s  ", max(len(columns[i].Header), columns[i].Dashes), cell)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

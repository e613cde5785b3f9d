package term

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/contiv/contiv/api/model"
)

// Table prints rows below a header and its dashes, in columns without borders.
type Table struct {
	Columns []model.Column
	rows    [][]string
}

// gap is what stands between two columns.
const gap = "  "

// Add adds a row. It may have fewer cells than there are columns.
func (t *Table) Add(row []string) { t.rows = append(t.rows, row) }

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
	out := bufio.NewWriterSize(w, 32<<10)
	table := tablewriter.NewTable(trimmed{out},
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Borders: tw.BorderNone, Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone}})),
		tablewriter.WithRowAutoWrap(tw.WrapNone), tablewriter.WithPadding(tw.Padding{Right: gap, Overwrite: true}), tablewriter.WithTrimSpace(tw.Off))
	if err := table.Bulk(slices.Concat([][]string{headers, dashes}, t.rows)); err != nil {
		return fmt.Errorf("lay a table out: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("lay a table out: %w", err)
	}
	return out.Flush()
}

// trimmed writes lines without the blanks at their ends. Each call writes one line; Flush tells the error.
type trimmed struct{ *bufio.Writer }

// Write implements io.Writer.
func (w trimmed) Write(line []byte) (int, error) {
	_, _ = w.Writer.Write(bytes.TrimRight(line, " \n"))
	return len(line), w.WriteByte('\n')
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
		cell := ""
		if c.Field != "" {
			cell = Styled(c.Style, field(c.Field))
		}
		row = append(row, cell)
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
	var b strings.Builder
	for i, cell := range row {
		fmt.Fprintf(&b, "%-*s"+gap, max(len(t.Columns[i].Header), t.Columns[i].Dashes), cell)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	return err
}

// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/sanitize"
)

// Table prints rows below a header and its dashes, in columns without borders. It may be written repeatedly, as rows arrive: a column that
// later rows need wider is wider from there on.
type Table struct {
	Columns  []model.Column
	Headless bool // no header is written
	Plain    bool // no dashes are written below the header
	Screen   Screen
	rows     [][]string
	widths   []int // of the written rows, in cells of the terminal; nil: none
	cells    []int // widths of the cells of these rows, without the header
	fitted   []int // widths that fit to the screen; hidden: the column is not written
}

// gap is the number of blanks between two columns.
const gap = 2

// Add adds a row. It may have fewer cells than there are columns.
func (t *Table) Add(row []string) { t.rows = append(t.rows, row) }

// Write prints the rows added since its last call, the first time below the header's two lines.
func (t *Table) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 32<<10)
	t.moments()
	t.Screen.clean(t.rows)
	rows, head := t.rows, 0
	if t.widths == nil {
		t.widths, t.cells = make([]int, len(t.Columns)), make([]int, len(t.Columns))
		header := t.header()
		head, rows = len(header), append(header, rows...)
	}
	for i, row := range rows {
		if i != 1 || head != 2 || t.Screen.Width == 0 { // dashes are as wide as they may be
			t.widen(row, i >= head)
		}
	}
	t.fit()
	for i, row := range rows {
		t.line(out, t.cut(row), i >= head)
	}
	if note := t.omitted(); head > 0 && note != "" {
		_, _ = out.WriteString(displaywidth.TruncateString(note, t.Screen.Width, "…") + "\n")
	}
	t.rows = nil
	return out.Flush()
}

// header returns the names of the columns, and the dashes below them.
func (t *Table) header() [][]string {
	if t.Headless {
		return nil
	}
	names, dashes := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		n := c.Dashes
		if n == 0 { // a column without a header has no dashes
			n = len(c.Header)
		}
		names[i], dashes[i] = c.Header, strings.Repeat("-", n)
	}
	if t.Plain {
		return [][]string{names}
	}
	return [][]string{names, dashes}
}

// widen makes the columns wide enough for a row, or for the header.
func (t *Table) widen(row []string, cells bool) {
	for i, cell := range row {
		for line := range strings.SplitSeq(cell, "\n") {
			w := displaywidth.String(line)
			if t.widths[i] = max(t.widths[i], w); cells {
				t.cells[i] = max(t.cells[i], w)
			}
		}
	}
}

// line writes a row without trailing blanks. Lines of a cell stay in its column. States have their colour. Flush of out returns the error.
func (t *Table) line(out *bufio.Writer, row []string, states bool) {
	below, more := make([]string, len(row)), false
	blanks := 0
	for i, cell := range row {
		if t.fitted[i] == hidden {
			continue
		}
		cell, below[i], _ = strings.Cut(cell, "\n")
		more = more || below[i] != ""
		text := strings.TrimRight(cell, " ")
		if text != "" {
			for range blanks {
				_ = out.WriteByte(' ')
			}
			if states && isState(&t.Columns[i]) {
				_, _ = out.WriteString(t.Screen.state(text))
			} else {
				_, _ = out.WriteString(text)
			}
			blanks = 0
		}
		blanks += t.fitted[i] + gap - displaywidth.String(text)
	}
	_ = out.WriteByte('\n')
	if more {
		t.line(out, below, states)
	}
}

// Columns returns the columns of a kind's table.
func Columns(k *model.Kind, wide bool) []model.Column { return wideOnly(k.Columns, wide) }

// SummarizedColumns returns the columns of a kind's table with those of its summary.
func SummarizedColumns(k *model.Kind, wide bool) []model.Column {
	return wideOnly(k.SummarizedColumns(), wide)
}

// wideOnly returns columns without those of wide tables, unless wide is set.
func wideOnly(columns []model.Column, wide bool) []model.Column {
	var out []model.Column
	for _, c := range columns {
		if wide || !c.Wide {
			out = append(out, c)
		}
	}
	return out
}

// Row returns the cells of the columns' fields.
func Row(columns []model.Column, field func(name string) any) []string {
	row := make([]string, 0, len(columns))
	for i := range columns {
		row = append(row, cellOf(&columns[i], field))
	}
	return row
}

func cellOf(c *model.Column, field func(name string) any) string {
	cell := ""
	switch {
	case c.Field != "":
		v := field(c.Field)
		if c.None != "" && (v == "" || v == 0) {
			return c.None
		}
		cell = Styled(c.Style, v)
	case len(c.Parts) > 0:
		var parts []string
		for _, part := range c.Parts {
			empty := false
			text := model.Fill(part, func(name string) string {
				value := Cell(field(name))
				empty = empty || value == ""
				return value
			})
			if !empty {
				parts = append(parts, text)
			}
		}
		cell = strings.Join(parts, ", ")
	}
	return cmp.Or(cell, c.None)
}

// ViewRow returns the cells of an item in a view. own has, by header, the cells that the view has no value of, and those that are worded
// otherwise.
func ViewRow[T any](v model.View[T], wide bool, item *T, own map[string]string) []string {
	row := make([]string, 0, len(v))
	for i := range v {
		c := &v[i]
		if c.Wide && !wide {
			continue
		}
		cell, given := own[c.Header]
		if !given && c.Value != nil {
			cell = text(c.Style, c.Value(item))
		}
		row = append(row, cmp.Or(cell, c.None))
	}
	return row
}

// text formats a value of a view, in its lines.
func text(style string, v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Styled(style, v)
}

// Styled formats one value in the style of its column.
func Styled(style string, v any) string {
	switch style {
	case "brackets":
		list, _ := v.([]string)
		return sanitize.Flat("[" + strings.Join(list, " ") + "]")
	case "labels":
		if text, ok := v.(string); ok {
			return sanitize.Flat(model.LabelText(text))
		}
	case "yesno":
		if yes, ok := v.(bool); ok && yes {
			return "yes"
		}
		return "no"
	case "time":
		if at, ok := v.(time.Time); ok {
			return at.UTC().Format(time.DateTime)
		}
	case "bandwidth":
		text, _ := v.(string)
		if b, err := model.ParseBandwidth(text); err == nil {
			return b.String()
		}
	}
	return Cell(v)
}

// Cell formats one value, in one line.
func Cell(v any) string {
	switch v := v.(type) {
	case string:
		return sanitize.Flat(v)
	case int:
		return strconv.Itoa(v)
	case []string:
		return sanitize.Flat(strings.TrimSuffix(strings.Join(v, ","), ","))
	case map[string]string:
		return sanitize.Flat(model.JoinLabels(v))
	case nil:
		return ""
	default:
		return sanitize.Flat(fmt.Sprint(v))
	}
}

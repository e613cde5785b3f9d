// SPDX-License-Identifier: Apache-2.0

package term

import (
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/moment"
	"github.com/contiv/contiv/sanitize"
)

// Screen is what a table is written for. The zero Screen is a file or a pipe: lines of any length, no colour, and times in UTC.
type Screen struct {
	Width  int            // cells of a line; 0: any
	Colour bool           // states have colours
	Zone   *time.Location // of times; nil: RFC 3339 in UTC
}

// Time prints a time.
func (s Screen) Time(t time.Time) string { return moment.Format(t, s.Zone) }

// hidden is the width of a column that is not written.
const hidden = -1

// leastCells returns the width below which a column of a rank is only cut if the columns of higher ranks are this narrow too.
func leastCells(r model.Rank) int {
	return map[model.Rank]int{model.RankLow: 6, model.RankNormal: 10, model.RankHigh: 23}[r]
}

const narrowest = 4

// address is the width of an IPv4 address with the length of its prefix.
const address = 18

// fit finds widths with which a line fits to the screen: columns without a cell are hidden, then headers that are wider than their cells are
// cut, and then the widest columns of the lowest rank. Columns that are declared to be of a low rank are hidden, the last first, before cells of
// the highest rank are cut, or those of the middle one to less than an address. Later rows show columns without a cell that they fill.
func (t *Table) fit() {
	t.fitted = slices.Clone(t.widths)
	if t.Screen.Width <= 0 || t.excess() <= 0 {
		return
	}
	t.hide()
	for {
		whole := slices.Clone(t.fitted)
		t.narrow()
		last := len(whole) - 1
		for last >= 0 && (whole[last] == hidden || t.Columns[last].Rank != model.RankLow) {
			last--
		}
		if last < 0 || !t.cuts() {
			return
		}
		t.fitted = whole
		t.fitted[last] = hidden
	}
}

// cuts reports whether cells of the highest rank are cut, or those of the middle one to less than an address.
func (t *Table) cuts() bool {
	for i, w := range t.fitted {
		c := &t.Columns[i]
		if rank := c.RankOf(); w != hidden && w < t.cells[i] && c.Style != "text" && (rank == model.RankHigh || rank == model.RankNormal && w < address) {
			return true
		}
	}
	return false
}

// omitted returns a note of the hidden columns that have cells, "" if there are none.
func (t *Table) omitted() string {
	var names []string
	for i, w := range t.fitted {
		if w == hidden && t.cells[i] > 0 {
			names = append(names, strings.TrimSpace(t.Columns[i].Header))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "(-o wide also shows: " + strings.Join(names, ", ") + ")"
}

// hide hides columns without a cell until a line fits.
func (t *Table) hide() {
	for i := len(t.fitted) - 1; i > 0 && t.excess() > 0; i-- {
		if t.cells[i] == 0 && t.Columns[i].RankOf() < model.RankHigh && len(t.Columns[i].Header) > 0 {
			t.fitted[i] = hidden
		}
	}
}

// narrow makes columns narrower until a line fits, or none can give way.
func (t *Table) narrow() {
	t.shrink(model.RankHigh, func(i int) int { return max(narrowest, t.cells[i]) })
	for rank := model.RankLow; rank <= model.RankHigh; rank++ {
		t.shrink(rank, func(i int) int { return leastCells(t.Columns[i].RankOf()) })
	}
	t.shrink(model.RankHigh, func(int) int { return narrowest })
}

// excess returns by how many cells a line is wider than the screen.
func (t *Table) excess() int {
	sum := -gap
	for _, w := range t.fitted {
		if w != hidden {
			sum += w + gap
		}
	}
	return sum - t.Screen.Width
}

// shrink takes cells from the widest columns up to a rank that have more than the least, until a line fits.
func (t *Table) shrink(most model.Rank, least func(column int) int) {
	for excess := t.excess(); excess > 0; excess-- {
		widest := -1
		for i, w := range t.fitted {
			if t.Columns[i].RankOf() <= most && w > least(i) && (widest < 0 || w > t.fitted[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		t.fitted[widest]--
	}
}

// cut shortens the cells of a row to the fitted widths: text gets more lines, other cells lose their end.
func (t *Table) cut(row []string) []string {
	if t.Screen.Width <= 0 {
		return row
	}
	out := make([]string, len(row))
	for i, cell := range row {
		w := t.fitted[i]
		switch {
		case w == hidden || displaywidth.String(cell) <= w:
		case strings.Trim(cell, "-") == "":
			cell = cell[:w] // the dashes below a header
		case t.Columns[i].Style == "text":
			cell = wrap(cell, w)
		default:
			lines := strings.Split(cell, "\n")
			for j := range lines {
				lines[j] = displaywidth.TruncateString(lines[j], w, "…")
			}
			cell = strings.Join(lines, "\n")
		}
		out[i] = cell
	}
	return out
}

// Wrap breaks a line that is longer than the screen; all but its first line are indented.
func (s Screen) Wrap(line string, indent int) string {
	if s.Width <= 0 || s.Width-indent < narrowest || displaywidth.String(line) <= s.Width || len(line) <= indent {
		return line
	}
	return line[:indent] + strings.ReplaceAll(wrap(line[indent:], s.Width-indent), "\n", "\n"+strings.Repeat(" ", indent))
}

// wrap breaks text into lines of a width, between words as far as possible.
func wrap(text string, width int) string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			for displaywidth.String(word) > width {
				part := displaywidth.TruncateString(word, width, "")
				if part == "" { // a character is wider than the column
					break
				}
				if line != "" {
					lines = append(lines, line)
				}
				line, word = "", word[len(part):]
				lines = append(lines, part)
			}
			switch {
			case line == "":
				line = word
			case displaywidth.String(line)+1+displaywidth.String(word) > width:
				lines = append(lines, line)
				line = word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// clean replaces characters in cells that control a terminal, if the rows are written with colours, and so not through sanitize.Writer.
func (s Screen) clean(rows [][]string) {
	if !s.Colour {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = legible(row[i])
		}
	}
}

// legible replaces the characters of a text that control a terminal.
func legible(text string) string {
	var b strings.Builder
	_, _ = sanitize.Writer(&b).Write([]byte(text)) // a Builder accepts everything
	return b.String()
}

// moments prints the cells of times, which rows have in UTC, in the zone of the screen.
func (t *Table) moments() {
	for i := range t.Columns {
		if t.Columns[i].Style != "time" {
			continue
		}
		for _, row := range t.rows {
			if i >= len(row) {
				continue
			}
			for _, layout := range []string{time.DateTime, time.RFC3339Nano} {
				if at, err := time.Parse(layout, row[i]); err == nil {
					row[i] = t.Screen.Time(at)
				}
			}
		}
	}
}

// isState reports whether the cells of a column are states.
func isState(c *model.Column) bool {
	return c.Style == "yesno" || c.Style == "state"
}

// Colours of the terminal (SGR).
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain0 = "\x1b[0m"
)

// colours are those of states, in lower case.
func colours() map[string]string {
	out := map[string]string{}
	for colour, words := range map[string]string{
		red:    "no error deny denied refused none down broken dropped disagree failed conflict",
		yellow: "warning unknown ? pending stale old drain draining waits absent",
		green:  "yes ok allow allowed all ready up done opened passes",
	} {
		for _, word := range strings.Fields(words) {
			out[word] = colour
		}
	}
	return out
}

// state paints a state, whose first word decides about its colour.
func (s Screen) state(text string) string {
	if !s.Colour {
		return text
	}
	first, _, _ := strings.Cut(text, " ")
	colour := colours()[strings.ToLower(strings.TrimSuffix(first, ":"))]
	if colour == "" {
		return text
	}
	return colour + text + plain0
}

// Text prepares text for the screen: characters that control a terminal are replaced, and the first word of a line has a colour if it is a
// state in upper case, such as ERROR or DENIED.
func (s Screen) Text(text string) string {
	text = legible(text)
	if !s.Colour {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		end := strings.IndexFunc(line, func(r rune) bool { return r < 'A' || r > 'Z' })
		if end > 1 {
			line = s.state(line[:end]) + line[end:]
		}
		out.WriteString(line)
	}
	return out.String()
}

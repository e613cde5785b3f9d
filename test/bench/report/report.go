// SPDX-License-Identifier: Apache-2.0

// Package report prints what a benchmark measured: our figure, the peer's or the limit's, their ratio, and the target.
package report

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Row is one line of a report.
type Row struct {
	What   string
	Ours   string
	Peer   string  // "" when the target is absolute
	Ratio  float64 // ours to peer's; 0: none
	Target string
	Met    bool
	Must   bool // no load of the machine excuses that it is not met
}

// Table is a report.
type Table struct {
	Title string
	Rows  []Row
}

// Wrong names the rows that must be met and were not.
func (t *Table) Wrong() (out []string) {
	for _, r := range t.Rows {
		if !r.Met && r.Must {
			out = append(out, r.What+": "+r.Ours)
		}
	}
	return out
}

// Add appends a row.
func (t *Table) Add(r Row) { t.Rows = append(t.Rows, r) }

// Write prints the table.
func (t *Table) Write(w io.Writer) error {
	fmt.Fprintf(w, "\n%s\n", t.Title)
	out := tabwriter.NewWriter(w, 0, 2, 2, ' ', 0)
	fmt.Fprintln(out, "  what\tours\tpeer or limit\tratio\ttarget\t")
	for _, r := range t.Rows {
		ratio, verdict := "", "met"
		if r.Ratio != 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		if !r.Met {
			verdict = "MISSED"
		}
		fmt.Fprintf(out, "  %s\t%s\t%s\t%s\t%s\t%s\n", r.What, r.Ours, r.Peer, ratio, r.Target, verdict)
	}
	return out.Flush()
}

// Median is the middle of the values, which it sorts; 0 of none.
func Median[T int | float64 | time.Duration](values []T) T {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// Percentile is the value below which p percent of the values lie; 0 of none. It sorts the values.
func Percentile[T int | float64 | time.Duration](values []T, p float64) T {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(float64(len(values))*p/100))]
}

// Rate prints a number per second.
func Rate(n float64) string { return fmt.Sprintf("%.0f/s", n) }

// Millis prints a duration in milliseconds.
func Millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

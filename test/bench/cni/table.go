// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// times are durations of one kind of operation.
type times []time.Duration

// percentile returns the value that p of 100 do not exceed.
func (t times) percentile(p int) time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[(len(sorted)-1)*p/100]
}

func (t times) String() string {
	if len(t) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f / %.1f", ms(t.percentile(50)), ms(t.percentile(99)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// table is what a run found, a row each.
type table struct{ rows [][5]string }

// addTimes adds p50 and p99 in milliseconds and the ratio of the medians; peer may be nil.
func (t *table) addTimes(what string, ours, peer times, target string) {
	ratio := "-"
	if len(peer) > 0 {
		ratio = fmt.Sprintf("%.2f", ms(ours.percentile(50))/ms(peer.percentile(50)))
	}
	t.rows = append(t.rows, [5]string{what, ours.String(), peer.String(), ratio, target})
}

// addRates adds how many of n a second each did.
func (t *table) addRates(what string, n int, ours, peer time.Duration, target string) {
	a, b := float64(n)/ours.Seconds(), float64(n)/peer.Seconds()
	t.rows = append(t.rows, [5]string{what, fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f", b), fmt.Sprintf("%.2f", a/b), target})
}

// addCost adds a cost that the peer does not have.
func (t *table) addCost(what string, ours time.Duration, target string) {
	t.rows = append(t.rows, [5]string{what, fmt.Sprintf("%.1f", ms(ours)), "-", "-", target})
}

func (t *table) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tOURS p50/p99 ms\tBRIDGE+HOST-LOCAL\tRATIO\tTARGET")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r[0], r[1], r[2], r[3], r[4])
	}
	return w.Flush()
}

// SPDX-License-Identifier: Apache-2.0

// Package metricstest writes the tables of docs/reference/metrics.md from the declared metrics, and keeps both equal.
package metricstest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Metric is a declared metric.
type Metric struct {
	Name, Type, Help string
	Labels           []string
}

// described matches the text of a prometheus.Desc, which has no accessors.
var described = regexp.MustCompile(`^Desc\{fqName: "([^"]+)", help: "((?:[^"\\]|\\.)*)", constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}\}$`)

// Declared lists the metrics of collectors, sorted by name, without those of the Go runtime and of the process. types has the types that the
// names do not show: a name that ends with _total is a counter's, any other a gauge's.
func Declared(tb testing.TB, types map[string]string, collectors ...prometheus.Collector) (out []Metric) {
	tb.Helper()
	seen := map[string]int{}
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		for _, c := range collectors {
			c.Describe(descs)
		}
	}()
	for d := range descs {
		m := described.FindStringSubmatch(d.String())
		if m == nil {
			tb.Fatalf("got a description %s, want one of client_golang", d)
		}
		if !strings.HasPrefix(m[1], "contiv_") {
			continue
		}
		one := Metric{Name: m[1], Help: strings.ReplaceAll(m[2], `\"`, `"`), Type: types[m[1]]}
		switch {
		case one.Type != "":
		case strings.HasSuffix(m[1], "_total"):
			one.Type = "counter"
		default:
			one.Type = "gauge"
		}
		for _, l := range append(strings.Split(m[3], ","), strings.Split(m[4], ",")...) {
			name, _, _ := strings.Cut(l, "=")
			if name = strings.TrimSpace(name); name != "" {
				one.Labels = append(one.Labels, "`"+name+"`")
			}
		}
		if at, ok := seen[one.Name]; ok { // another value of a constant label
			if !slices.Equal(out[at].Labels, one.Labels) {
				tb.Errorf("%s has the labels %v and %v", one.Name, out[at].Labels, one.Labels)
			}
			continue
		}
		seen[one.Name] = len(out)
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Page compares the table of a program in a page with its metrics, and writes it if update is set. The table is between two comments.
func Page(tb testing.TB, path, program string, metrics []Metric, update bool) {
	tb.Helper()
	begin, end := "<!-- metrics of "+program+", written by a test -->\n", "<!-- end of the metrics of "+program+" -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		tb.Fatalf("%s: want the lines %q and %q around the table", path, begin, end)
	}
	table := "| metric | type | labels | meaning |\n|---|---|---|---|\n"
	for _, m := range metrics {
		table += fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, m.Type, strings.Join(m.Labels, ", "), strings.ReplaceAll(m.Help, "|", `\|`))
	}
	switch {
	case old == table:
	case update:
		if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
			tb.Fatal(err)
		}
	default:
		tb.Errorf("%s differs from the metrics that %s declares: go test -run TestMetricsPage -update writes it\n got %s\nwant %s", path, program, old, table)
	}
}

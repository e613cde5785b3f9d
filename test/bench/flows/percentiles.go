// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

// percentiles are the p50 and p99 of each round.
type percentiles struct{ p50, p99 []time.Duration }

func (p *percentiles) add(each []time.Duration) {
	p.p50, p.p99 = append(p.p50, report.Median(each)), append(p.p99, report.Percentile(each, 99))
}

// String is the p99 of each round.
func (p *percentiles) String() string {
	var out []string
	for _, d := range p.p99 {
		out = append(out, strings.TrimSuffix(report.Millis(d), " ms"))
	}
	return strings.Join(out, " ") + " ms"
}

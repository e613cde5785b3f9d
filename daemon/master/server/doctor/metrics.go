// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
)

func findingsDesc() *prometheus.Desc {
	return prometheus.NewDesc("contiv_findings", "Findings about the cluster, as netctl status lists them.", []string{"code", "severity"}, nil)
}

// Describe is of prometheus.Collector.
func (d *Doctor) Describe(out chan<- *prometheus.Desc) { out <- findingsDesc() }

// Collect makes the verdict. It is of prometheus.Collector, and takes as long as Health does.
func (d *Doctor) Collect(out chan<- prometheus.Metric) {
	type sort struct {
		code     model.FindingCode
		severity model.Severity
	}
	count := map[sort]int{}
	for _, f := range d.Health(context.Background()).Findings {
		count[sort{f.Code, f.Severity}]++
	}
	for s, n := range count {
		out <- prometheus.MustNewConstMetric(findingsDesc(), prometheus.GaugeValue, float64(n), s.code.String(), string(s.severity))
	}
}

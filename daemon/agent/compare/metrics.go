// SPDX-License-Identifier: Apache-2.0

package compare

import "github.com/prometheus/client_golang/prometheus"

// Metrics returns the metrics of the comparisons.
func (c *Comparer) Metrics() []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "agent", Name: "compared_total",
			Help: "sampled connections about which policies and switch were compared"}, func() float64 { return float64(c.Compared()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "contiv", Subsystem: "agent", Name: "compared_differences",
			Help: "sampled connections about which policies and switch differ"}, c.Differences),
	}
}

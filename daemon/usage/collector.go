// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
)

// Collector shows the use of resources as metrics.
type Collector struct {
	read        func() []model.Resource
	used, limit *prometheus.Desc
}

// NewCollector returns the metrics contiv_SUBSYSTEM_resource_used and contiv_SUBSYSTEM_resource_limit of what read returns, which must not
// block.
func NewCollector(subsystem string, read func() []model.Resource) *Collector {
	labels := []string{"resource", "of"}
	return &Collector{read: read,
		used:  prometheus.NewDesc("contiv_"+subsystem+"_resource_used", "Amount in use of a resource that can run out: of memory and disks in bytes.", labels, nil),
		limit: prometheus.NewDesc("contiv_"+subsystem+"_resource_limit", "Limit of a resource that can run out: of memory and disks in bytes.", labels, nil)}
}

// Describe sends the descriptions of the metrics.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	out <- c.used
	out <- c.limit
}

// Collect sends the values, without those whose limit is unknown.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	for _, r := range c.read() {
		if r.Max == 0 {
			continue
		}
		r.Of = strings.ToValidUTF8(r.Of, "?") // a path may be anything
		out <- prometheus.MustNewConstMetric(c.used, prometheus.GaugeValue, float64(r.Used), r.Name, r.Of)
		out <- prometheus.MustNewConstMetric(c.limit, prometheus.GaugeValue, float64(r.Max), r.Name, r.Of)
	}
}

// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/daemon/store"
)

// spaceMetrics are those of the store's members, as they answered last.
type spaceMetrics struct {
	members                 func() []store.Member
	size, used, quota, full *prometheus.Desc
}

var _ prometheus.Collector = (*spaceMetrics)(nil)

// Metrics returns those of the store's members.
func (s *Space) Metrics() prometheus.Collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("contiv_master_store_"+name, help, []string{"member"}, nil)
	}
	return &spaceMetrics{
		members: s.Members,
		size:    desc("size_bytes", "Size of the database of a member of the store."),
		used:    desc("used_bytes", "Bytes of the database of a member of the store that are in use."),
		quota:   desc("quota_bytes", "Size from which on a member of the store refuses changes that need space; missing if the member does not report it."),
		full:    desc("full", "1 while the store has used up its quota and takes no changes."),
	}
}

// Describe is prometheus.Collector's.
func (s *spaceMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.size, s.used, s.quota, s.full} {
		out <- d
	}
}

// Collect is prometheus.Collector's. Of a member that does not answer there is nothing.
func (s *spaceMetrics) Collect(out chan<- prometheus.Metric) {
	seen := map[string]struct{}{} // nothing keeps two members from having one name
	for _, m := range s.members() {
		if _, again := seen[m.Name]; again || m.Err != nil {
			continue
		}
		seen[m.Name] = struct{}{}
		send := func(d *prometheus.Desc, value float64) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, m.Name)
		}
		full := 0.0
		if m.Full {
			full = 1
		}
		send(s.full, full)
		send(s.size, float64(m.Bytes))
		if m.InUse > 0 {
			send(s.used, float64(m.InUse))
		}
		if m.Quota > 0 {
			send(s.quota, float64(m.Quota))
		}
	}
}

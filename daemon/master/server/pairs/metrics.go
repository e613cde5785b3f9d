// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
)

// collector shows the own row as metrics.
type collector struct {
	row                       func() model.MasterRow
	reached, roundTrip, ahead *prometheus.Desc
}

func newCollector(row func() model.MasterRow) *collector {
	of := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("contiv_master_peer_"+name, help, []string{"to"}, nil)
	}
	return &collector{row,
		of("reached", "1 if this netmaster reaches another one, else 0."),
		of("round_trip_seconds", "Smallest of the last five round trips to another netmaster."),
		of("clock_ahead_seconds", "By how much the clock of another netmaster is ahead of this one's.")}
}

// Describe sends the descriptions of the metrics.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.reached, c.roundTrip, c.ahead} {
		out <- d
	}
}

// Collect sends the values, without those that are unknown.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	row := c.row()
	for i := range row.Peers {
		p := &row.Peers[i]
		send := func(d *prometheus.Desc, v float64) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, p.To)
		}
		if p.State != model.PairReached {
			send(c.reached, 0)
			continue
		}
		send(c.reached, 1)
		if p.RoundTripMillis > 0 {
			send(c.roundTrip, p.RoundTripMillis/1000)
		}
		if p.AheadMillis != nil {
			send(c.ahead, *p.AheadMillis/1000)
		}
	}
}

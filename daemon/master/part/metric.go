// SPDX-License-Identifier: Apache-2.0

package part

import "github.com/prometheus/client_golang/prometheus"

// Gauge returns the metric contiv_master_NAME, whose value read returns at each scrape.
func Gauge(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "contiv", Subsystem: "master", Name: name, Help: help}, read)
}

// Counter returns the metric contiv_master_NAME, whose value read returns at each scrape.
func Counter(name, help string, read func() uint64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "master", Name: name, Help: help},
		func() float64 { return float64(read()) })
}

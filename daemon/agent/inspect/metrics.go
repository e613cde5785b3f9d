package inspect

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/contiv/contiv/ofnet/bridge"
)

// registry is the agent's metrics, read from the agent when they are asked for.
func registry(o Options) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, read func() float64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "contiv", Subsystem: "agent", Name: name, Help: help}, read))
	}
	counter := func(name, help string, read func() uint64) {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "agent", Name: name, Help: help},
			func() float64 { return float64(read()) }))
	}
	gauge("ready", "1 when the agent waits for nothing", func() float64 {
		if len(o.Waiting()) == 0 {
			return 1
		}
		return 0
	})
	gauge("attached_endpoints", "interfaces attached to the switch", func() float64 { return float64(len(o.Attach.List())) })
	gauge("flows", "flows that the switch should have", func() float64 { return float64(o.Forward.Summary().Flows) })
	gauge("groups", "groups that the switch should have", func() float64 { return float64(o.Forward.Summary().Groups) })
	gauge("owners_pending", "objects whose flows are on their way", func() float64 { return float64(o.Forward.Summary().Pending) })
	gauge("owners_refused", "objects whose flows the switch refuses", func() float64 { return float64(o.Forward.Summary().Failed) })
	gauge("revision", "store revision that is past the switch's barrier", func() float64 { return float64(o.Forward.Summary().Revision) })
	gauge("seen_revision", "last store revision received", func() float64 { return float64(o.Status().Seen) })
	gauge("malformed_records", "records in the store that could not be read", func() float64 { return float64(len(o.Malformed())) })
	r.MustRegister(newRuleMetrics(o))
	counter("flow_mods_total", "changes of flows, groups and meters sent", func() uint64 { return o.Forward.Counters().FlowMods })
	counter("bundles_total", "successful bundles", func() uint64 { return o.Forward.Counters().Bundles })
	counter("bundles_refused_total", "bundles that the switch refused", func() uint64 { return o.Forward.Counters().Refused })
	counter("resyncs_total", "whole comparisons with the switch", func() uint64 { return o.Forward.Counters().Resyncs })
	counter("drift_total", "differences that comparisons found", func() uint64 { return o.Forward.Counters().Drift })
	for _, sort := range []bridge.Sort{bridge.SortFlow, bridge.SortGroup, bridge.SortMeter} {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "agent", Name: "differences_total",
			Help: "things of the switch that comparisons found changed by others", ConstLabels: prometheus.Labels{"sort": string(sort)}},
			func() float64 { return float64(o.Forward.DriftBySort()[sort]) }))
	}
	counter("switch_connections_total", "OpenFlow connections", func() uint64 { return o.Forward.Counters().Connections })
	return r
}

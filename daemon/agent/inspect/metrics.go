package inspect

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/ofnet/bridge"
)

const differencesHelp = "things of the switch and of the host's interfaces that comparisons found changed by others"

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
	gauge("beyond_repair", "differences that the agent cannot repair, such as a container's interface that is gone", func() float64 { return float64(len(o.Drift.Stuck())) })
	gauge("revision", "store revision that is past the switch's barrier", func() float64 { return float64(o.Forward.Summary().Revision) })
	gauge("seen_revision", "last store revision received", func() float64 { return float64(o.Status().Seen) })
	gauge("uplinks", "NICs of the VLAN trunk", func() float64 { return float64(len(o.Status().Uplinks)) })
	gauge("uplinks_in_trouble", "NICs of the VLAN trunk that have no link, or of which LACP says that they are out of step", func() (n float64) {
		for _, u := range o.Status().Uplinks {
			if u.Trouble() != "" {
				n++
			}
		}
		return n
	})
	gauge("malformed_records", "records in the store that could not be read", func() float64 { return float64(len(o.Malformed())) })
	r.MustRegister(newRuleMetrics(o), newServiceMetrics(o))
	counter("connections_forgotten_total", "selections of connections that the switch was made to forget", func() uint64 { return o.Forward.Counters().Forgotten })
	counter("panics_total", "requests that met a defect of the agent", func() uint64 { return o.panics.Load() })
	counter("flow_mods_total", "changes of flows, groups and meters sent", func() uint64 { return o.Forward.Counters().FlowMods })
	counter("bundles_total", "successful bundles", func() uint64 { return o.Forward.Counters().Bundles })
	counter("bundles_refused_total", "bundles that the switch refused", func() uint64 { return o.Forward.Counters().Refused })
	counter("resyncs_total", "whole comparisons with the switch", func() uint64 { return o.Forward.Counters().Resyncs })
	counter("drift_total", "differences that comparisons found", func() uint64 { return o.Forward.Counters().Drift })
	for _, sort := range []bridge.Sort{bridge.SortFlow, bridge.SortGroup, bridge.SortMeter} {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "agent", Name: "differences_total",
			Help: differencesHelp, ConstLabels: prometheus.Labels{"sort": string(sort)}},
			func() float64 { return float64(o.Forward.DriftBySort()[sort]) }))
	}
	for sort := range o.Drift.Counts() {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "agent", Name: "differences_total",
			Help: differencesHelp, ConstLabels: prometheus.Labels{"sort": sort}},
			func() float64 { return float64(o.Drift.Counts()[sort]) }))
	}
	counter("switch_connections_total", "OpenFlow connections", func() uint64 { return o.Forward.Counters().Connections })
	gauge("bgp_sessions_established", "BGP sessions over which routes are exchanged", func() float64 {
		n := 0
		s, _ := o.Router() // a host without a router has none
		for i := range s.Peers {
			if s.Peers[i].State.SessionState == "established" {
				n++
			}
		}
		return float64(n)
	})
	gauge("bgp_routes", "prefixes that routers outside announce", func() float64 { s, _ := o.Router(); return float64(len(s.Dsts)) })
	gauge("bgp_routes_waiting", "of these, without a known next hop", func() float64 { s, _ := o.Router(); return float64(len(s.Waiting)) })
	gauge("bgp_announced", "addresses of endpoints announced", func() float64 { s, _ := o.Router(); return float64(len(s.Own)) })
	if o.Names != nil {
		total := func(name, help string, read func(c names.Counts) uint64) {
			counter("dns_"+name+"_total", help, func() uint64 { return read(o.Names.Counts()) })
		}
		total("questions", "questions to name servers that were caught", func(c names.Counts) uint64 { return c.Questions })
		total("answered", "of these, answered as names of the tenant", func(c names.Counts) uint64 { return c.Answered })
		total("forwarded", "of these, asked of the host's name servers", func(c names.Counts) uint64 { return c.Forwarded })
		total("passed", "of these, let go unmodified", func(c names.Counts) uint64 { return c.Passed })
		total("excess", "times that an endpoint asked too much and was let past", func(c names.Counts) uint64 { return c.Excess })
		total("failed", "answers that were not sent, or not got in time", func(c names.Counts) uint64 { return c.Failed })
		counter("dns_dropped_total", "questions dropped because too many came at once", func() uint64 { return o.Names.Trap().Dropped })
		counter("dns_trap_lost_total", "times that questions could not be caught any more", func() uint64 { return o.Names.Trap().Unheld })
	}
	if o.Told != nil {
		counter("messages_total", "messages to senders about packets that the router did not pass on", o.Told)
	}
	return r
}

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/contiv/contiv/daemon/agent/dns"
	"github.com/contiv/contiv/ofnet/bridge"
)

const differencesHelp = "things of the switch and of the host's interfaces that comparisons found changed by others"

// metrics are the agent's, read from the agent at each scrape.
type metrics struct {
	*prometheus.Registry
	o Options
}

func (m metrics) gauge(name, help string, read func() float64) {
	m.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "contiv", Subsystem: "agent", Name: name, Help: help}, read))
}

func (m metrics) counter(name, help string, read func() uint64) {
	m.labelled(name, help, nil, read)
}

func (m metrics) labelled(name, help string, labels prometheus.Labels, read func() uint64) {
	m.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "contiv", Subsystem: "agent", Name: name, Help: help, ConstLabels: labels},
		func() float64 { return float64(read()) }))
}

// registry returns the agent's metrics.
func registry(o Options) *prometheus.Registry {
	m := metrics{prometheus.NewRegistry(), o}
	m.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), newRuleMetrics(o), newServiceMetrics(o))
	m.MustRegister(o.Metrics...)
	m.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "contiv", Subsystem: "agent", Name: "build_info", Help: "1; the labels describe the build",
		ConstLabels: prometheus.Labels{"version": o.Version.Version, "revision": o.Version.GitCommit, "goversion": runtime.Version()}}, func() float64 { return 1 }))
	if o.Expires != nil {
		m.gauge("certificate_expiry_timestamp_seconds", "time at which the agent's certificate ends, in seconds since 1970", func() float64 { return float64(o.Expires().Unix()) })
	}
	m.gauge("ready", "1 when the agent waits for nothing", func() float64 {
		if len(o.Waiting()) == 0 {
			return 1
		}
		return 0
	})
	m.gauge("attached_endpoints", "interfaces attached to the switch", func() float64 { return float64(len(o.Attach.List())) })
	m.gauge("seen_revision", "last store revision received", func() float64 { return float64(o.Status().Seen) })
	m.gauge("uplinks", "NICs of the VLAN trunk", func() float64 { return float64(len(o.Status().Uplinks)) })
	m.gauge("uplinks_in_trouble", "NICs of the VLAN trunk that have no link, or of which LACP says that they are out of step", func() (n float64) {
		for _, u := range o.Status().Uplinks {
			if u.Problem() != "" {
				n++
			}
		}
		return n
	})
	m.gauge("malformed_records", "records in the store that could not be read", func() float64 { return float64(len(o.Malformed())) })
	m.counter("panics_total", "requests that met a defect of the agent", func() uint64 { return o.panics.Load() })
	m.addSwitch()
	m.addDifferences()
	m.addRouter()
	if o.Names != nil {
		m.addNames()
	}
	if o.ICMPErrors != nil {
		m.counter("messages_total", "messages to senders about packets that the router did not pass on", o.ICMPErrors)
	}
	return m.Registry
}

// addSwitch adds the desired state of the switch, and its progress.
func (m metrics) addSwitch() {
	total := func(read func(s bridge.Summary) int) func() float64 {
		return func() float64 { return float64(read(m.o.Forward.Summary())) }
	}
	m.gauge("flows", "flows that the switch should have", total(func(s bridge.Summary) int { return s.Flows }))
	m.gauge("groups", "groups that the switch should have", total(func(s bridge.Summary) int { return s.Groups }))
	m.gauge("owners_pending", "objects whose flows are on their way", total(func(s bridge.Summary) int { return s.Pending }))
	m.gauge("owners_refused", "objects whose flows the switch refuses", total(func(s bridge.Summary) int { return s.Failed }))
	m.gauge("revision", "store revision that is past the switch's barrier", func() float64 { return float64(m.o.Forward.Summary().Revision) })
	count := func(read func(c bridge.Counters) uint64) func() uint64 {
		return func() uint64 { return read(m.o.Forward.Counters()) }
	}
	m.counter("connections_forgotten_total", "selections of connections that the switch was made to forget", count(func(c bridge.Counters) uint64 { return c.Forgotten }))
	m.counter("flow_mods_total", "changes of flows, groups and meters sent", count(func(c bridge.Counters) uint64 { return c.FlowMods }))
	m.counter("bundles_total", "successful bundles", count(func(c bridge.Counters) uint64 { return c.Bundles }))
	m.counter("bundles_refused_total", "bundles that the switch refused", count(func(c bridge.Counters) uint64 { return c.Refused }))
	m.counter("resyncs_total", "whole comparisons with the switch", count(func(c bridge.Counters) uint64 { return c.Resyncs }))
	m.counter("drift_total", "differences that comparisons found", count(func(c bridge.Counters) uint64 { return c.Drift }))
	m.counter("switch_connections_total", "OpenFlow connections", count(func(c bridge.Counters) uint64 { return c.Connections }))
}

// addDifferences adds the drift.
func (m metrics) addDifferences() {
	m.gauge("beyond_repair", "differences that the agent cannot repair, such as a container's interface that is gone", func() float64 { return float64(len(m.o.Drift.Stuck())) })
	for _, kind := range []bridge.Kind{bridge.KindFlow, bridge.KindGroup, bridge.KindMeter} {
		m.labelled("differences_total", differencesHelp, prometheus.Labels{"kind": string(kind)}, func() uint64 { return m.o.Forward.DriftByKind()[kind] })
	}
	for kind := range m.o.Drift.Counts() {
		m.labelled("differences_total", differencesHelp, prometheus.Labels{"kind": kind}, func() uint64 { return m.o.Drift.Counts()[kind] })
	}
}

// addRouter adds the routes to and from external routers.
func (m metrics) addRouter() {
	m.gauge("bgp_sessions_established", "BGP sessions over which routes are exchanged", func() float64 {
		n := 0
		s, _ := m.o.Router() // a host without a router has none
		for i := range s.Peers {
			if s.Peers[i].State.SessionState == "established" {
				n++
			}
		}
		return float64(n)
	})
	m.gauge("bgp_routes", "prefixes that routers outside announce", func() float64 { s, _ := m.o.Router(); return float64(len(s.Dsts)) })
	m.gauge("bgp_routes_waiting", "prefixes from routers outside without a known next hop", func() float64 { s, _ := m.o.Router(); return float64(len(s.Waiting)) })
	m.gauge("bgp_announced", "addresses of endpoints announced", func() float64 { s, _ := m.o.Router(); return float64(len(s.Own)) })
}

// addNames adds the DNS queries.
func (m metrics) addNames() {
	o := m.o
	total := func(name, help string, read func(c dns.Counts) uint64) {
		m.counter("dns_"+name+"_total", help, func() uint64 { return read(o.Names.Counts()) })
	}
	total("questions", "questions to name servers that the switch sent to the agent", func(c dns.Counts) uint64 { return c.Questions })
	total("answered", "questions that were answered as names of the tenant", func(c dns.Counts) uint64 { return c.Answered })
	total("forwarded", "questions that were sent to the host's name servers", func(c dns.Counts) uint64 { return c.Forwarded })
	total("passed", "questions that were passed on unmodified", func(c dns.Counts) uint64 { return c.Passed })
	total("excess", "times that an endpoint exceeded its rate of questions", func(c dns.Counts) uint64 { return c.Excess })
	total("failed", "answers to questions that were not sent, or did not arrive in time", func(c dns.Counts) uint64 { return c.Failed })
	m.counter("dns_dropped_total", "questions dropped because too many came at once", func() uint64 { return o.Names.PacketIns().Dropped })
	m.counter("dns_packet_in_lost_total", "times that the switch stopped sending questions to the agent", func() uint64 { return o.Names.PacketIns().Lost })
}

// SPDX-License-Identifier: Apache-2.0

// Package rates derives traffic per second from the counters of switches: of endpoints, groups, hosts and rules, with the last minute of
// each.
package rates

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// Kept is the maximum number of past values of a Line.
const Kept = 30

// longest is the maximum interval of two samples that yield current rates.
const longest = time.Minute

// Level is the kind of objects that lines are about.
type Level string

// The levels.
const (
	Endpoints Level = "endpoints"
	Groups    Level = "groups"
	Hosts     Level = "hosts"
	Rules     Level = "rules"
)

// Levels lists all levels, in the order of menus.
func Levels() []Level { return []Level{Endpoints, Groups, Hosts, Rules} }

// Flow is traffic per second.
type Flow struct {
	Packets float64 `json:"packets"`
	Bytes   float64 `json:"bytes"`
}

// Line is the traffic that one object sends and receives, or a rule decides about, which then is what it "sends".
type Line struct {
	Name      string    `json:"name"`
	Container string    `json:"container,omitempty"` // the runtime's name of an endpoint's container, for a pod "namespace/pod", if it differs
	On        string    `json:"on,omitempty"`        // host of an endpoint
	Sent      Flow      `json:"sent"`
	Received  Flow      `json:"received"`
	Past      []float64 `json:"past,omitempty"` // bytes per second in both directions, for a rule packets; the newest last
}

// Total returns the sort key of lines: bytes per second in both directions.
func (l *Line) Total() float64 { return l.Sent.Bytes + l.Received.Bytes }

// subject is a source of counters: an endpoint, or a rule of a group, on one host.
type subject struct{ host, endpoint, rule, group string }

// count has the counters of a subject.
type count struct{ sent, received model.FlowCount }

// Meter computes rates from successive samples. The zero Meter has no sample. It is not safe for concurrent use.
type Meter struct {
	readAt map[string]time.Time // of each host in the last sample
	counts map[subject]count    // of the last sample
	past   map[Level]map[string][]float64
	lines  map[Level][]Line
	looks  int
}

// Known reports whether there are two samples, and so rates.
func (m *Meter) Known() bool { return m.looks > 1 }

// Lines returns the rates of the last two samples, those with most bytes first, then by name. The caller must not change them.
func (m *Meter) Lines(of Level) []Line { return m.lines[of] }

// Add adds a sample. A host that is missing in it has no lines, and its traffic until the next sample is in no rate.
func (m *Meter) Add(c *model.Counters) {
	took, counts, s := map[string]time.Time{}, map[subject]count{}, newSums()
	for i := range c.Hosts {
		h := &c.Hosts[i]
		if h.Unknown != "" {
			continue
		}
		was, known := m.readAt[h.Host]
		took[h.Host] = h.ReadAt
		seconds := h.ReadAt.Sub(was).Seconds()
		known = known && seconds > 0 && seconds <= longest.Seconds()
		if known {
			s.line(Hosts, h.Host)
		}
		for _, e := range h.Endpoints {
			if known {
				s.line(Endpoints, e.Endpoint).Container = e.Container
			}
		}
		for k, n := range counted(h) {
			counts[k] = n
			if known {
				before := m.counts[k] // zero for a new one
				s.add(k, per(before.sent, n.sent, seconds), per(before.received, n.received, seconds))
			}
		}
	}
	m.lines = s.order(m.past)
	m.readAt, m.counts, m.past, m.looks = took, counts, pasts(m.lines), m.looks+1
}

// counted returns a host's counters by subject.
func counted(h *model.HostCounters) map[subject]count {
	out := make(map[subject]count, len(h.Endpoints)+len(h.Rules))
	for _, e := range h.Endpoints {
		out[subject{host: h.Host, endpoint: e.Endpoint, group: e.Group}] = count{e.Sent, e.Received}
	}
	for _, r := range h.Rules {
		k := subject{host: h.Host, rule: r.Rule, group: r.Group}
		n := out[k].sent
		out[k] = count{sent: model.FlowCount{Packets: n.Packets + r.Hits.Packets, Bytes: n.Bytes + r.Hits.Bytes}}
	}
	return out
}

// per computes a rate per second. If a counter has decreased, it was reset, and the rate uses its whole value.
func per(was, is model.FlowCount, seconds float64) Flow {
	if is.Packets < was.Packets || is.Bytes < was.Bytes {
		was = model.FlowCount{}
	}
	return Flow{float64(is.Packets-was.Packets) / seconds, float64(is.Bytes-was.Bytes) / seconds}
}

// Package rates turns what switches have counted into what passes per second: of endpoints, groups, hosts and rules, with the last minute of each.
package rates

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// Kept is how many values of the past a Line has at most.
const Kept = 30

// longest is how far apart two looks may be and still tell of now.
const longest = time.Minute

// Level is what lines are about.
type Level string

// The levels.
const (
	Endpoints Level = "endpoints"
	Groups    Level = "groups"
	Hosts     Level = "hosts"
	Rules     Level = "rules"
)

// Levels lists all, as they are offered.
func Levels() []Level { return []Level{Endpoints, Groups, Hosts, Rules} }

// Flow is what passes per second.
type Flow struct {
	Packets float64 `json:"packets"`
	Bytes   float64 `json:"bytes"`
}

// Line is how much one object sends and receives, or a rule decides about, which then is what it "sends".
type Line struct {
	Name      string    `json:"name"`
	Container string    `json:"container,omitempty"` // what the runtime calls an endpoint's, of a pod "namespace/pod", where that is another name
	On        string    `json:"on,omitempty"`        // host of an endpoint
	Sent      Flow      `json:"sent"`
	Received  Flow      `json:"received"`
	Past      []float64 `json:"past,omitempty"` // bytes a second in both directions, of a rule packets; the newest last
}

// Total is what a line is ordered by: bytes a second in both directions.
func (l *Line) Total() float64 { return l.Sent.Bytes + l.Received.Bytes }

// subject is what counts: an endpoint, or a rule of a group, on one host.
type subject struct{ host, endpoint, rule, group string }

// count is what a subject has counted.
type count struct{ sent, received model.FlowCount }

// Meter works out rates from one look to the next. The zero Meter has seen nothing. It is not safe for concurrent use.
type Meter struct {
	readAt map[string]time.Time // of each host that was known at the last look
	counts map[subject]count    // then
	past   map[Level]map[string][]float64
	lines  map[Level][]Line
	looks  int
}

// Known says whether there has been a second look, from which rates follow.
func (m *Meter) Known() bool { return m.looks > 1 }

// Lines are the rates as of the last two looks, those with most bytes first; by name where that is alike. The caller must not change them.
func (m *Meter) Lines(of Level) []Line { return m.lines[of] }

// Add takes in another look. A host that is not known in it has no lines, and what it counts meanwhile is in no rate.
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
				before := m.counts[k] // of one that is new nothing
				s.add(k, per(before.sent, n.sent, seconds), per(before.received, n.received, seconds))
			}
		}
	}
	m.lines = s.order(m.past)
	m.readAt, m.counts, m.past, m.looks = took, counts, pasts(m.lines), m.looks+1
}

// counted is what a host has counted, by what counts.
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

// per is what was counted per second. A counter that shows less than before has begun again, and all that it shows is since.
func per(was, is model.FlowCount, seconds float64) Flow {
	if is.Packets < was.Packets || is.Bytes < was.Bytes {
		was = model.FlowCount{}
	}
	return Flow{float64(is.Packets-was.Packets) / seconds, float64(is.Bytes-was.Bytes) / seconds}
}

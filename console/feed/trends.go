// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
)

// maxTrends bounds the lines of a level, those with most.
const maxTrends = 1000

// Trends are what passes per second.
type Trends struct {
	Known  bool                         `json:"known"` // there have been two looks, from which rates follow
	Lines  map[rates.Level][]rates.Line `json:"lines"`
	Silent map[string]string            `json:"silent,omitempty"` // why nothing is known of hosts
	Hits   map[string]uint64            `json:"hits,omitempty"`   // packets that rules have decided about within Span; rules without any are absent
	Span   time.Duration                `json:"span,omitempty"`   // up to HitsWithin; 0: they are unknown
}

// HitsWithin is the time over which packets are counted by rule.
const HitsWithin = 5 * time.Minute

// trends looks at counters again and again.
type trends struct {
	mu    sync.Mutex
	meter rates.Meter
	hits  hitCount
}

// hitCount counts the packets by rule of the last minutes.
type hitCount struct {
	at     time.Time         // of the previous look
	last   map[hitKey]uint64 // its counters
	looked []hitLook         // of the last HitsWithin, the oldest first
}

// hitKey is a counter.
type hitKey struct{ host, rule, group string }

// hitLook is what counters have grown by between two looks.
type hitLook struct {
	from  time.Time         // of the first
	grown map[string]uint64 // by rule
}

// add takes counters. A counter that is new, or that started again, has grown by its value, except in the first counters of a host.
func (h *hitCount) add(now time.Time, c *model.Counters) {
	look, last, known := hitLook{h.at, map[string]uint64{}}, map[hitKey]uint64{}, map[string]bool{}
	for k := range h.last {
		known[k.host] = true
	}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		if host.Unknown != "" {
			for k, v := range h.last {
				if k.host == host.Host {
					last[k] = v
				}
			}
			continue
		}
		last[hitKey{host: host.Host}] = 0
		for _, r := range host.Rules {
			k := hitKey{host.Host, r.Rule, r.Group}
			was, had := h.last[k]
			if last[k] = r.Hits.Packets; !known[host.Host] {
				continue
			}
			if !had || r.Hits.Packets < was {
				was = 0
			}
			if r.Hits.Packets > was {
				look.grown[r.Rule] += r.Hits.Packets - was
			}
		}
	}
	if !h.at.IsZero() {
		h.looked = append(h.looked, look)
	}
	h.at, h.last = now, last
	for len(h.looked) > 0 && now.Sub(h.looked[0].from) > HitsWithin {
		h.looked = h.looked[1:]
	}
}

// within is what rules have decided about within the last minutes, and how long that is: 0 is unknown.
func (h *hitCount) within() (hits map[string]uint64, span time.Duration) {
	hits = map[string]uint64{}
	for _, look := range h.looked {
		for rule, n := range look.grown {
			hits[rule] += n
		}
	}
	if len(h.looked) > 0 {
		span = h.at.Sub(h.looked[0].from)
	}
	return hits, span
}

// look reads the counters, and computes the rates since the previous sample.
func (t *trends) look(ctx context.Context, c *client.Client, now func() time.Time) (Trends, error) {
	counters, err := c.Counters(ctx, "")
	if err != nil {
		return Trends{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meter.Add(&counters)
	t.hits.add(now(), &counters)
	out := Trends{Known: t.meter.Known(), Lines: map[rates.Level][]rates.Line{}, Silent: map[string]string{}}
	out.Hits, out.Span = t.hits.within()
	for _, l := range rates.Levels() {
		lines := t.meter.Lines(l)
		out.Lines[l] = lines[:min(len(lines), maxTrends)]
	}
	for _, h := range counters.Hosts {
		if h.Unknown != "" {
			out.Silent[h.Host] = h.Unknown
		}
	}
	return out, nil
}

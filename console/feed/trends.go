// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"sync"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/rates"
)

// maxTrends bounds the lines of a level, those with most.
const maxTrends = 1000

// Trends are what passes per second.
type Trends struct {
	Known  bool                         `json:"known"` // there have been two looks, from which rates follow
	Lines  map[rates.Level][]rates.Line `json:"lines"`
	Silent map[string]string            `json:"silent,omitempty"` // why nothing is known of hosts
}

// trends looks at counters again and again.
type trends struct {
	mu    sync.Mutex
	meter rates.Meter
}

// look reads the counters, and computes the rates since the previous sample.
func (t *trends) look(ctx context.Context, c *client.Client) (Trends, error) {
	counters, err := c.Counters(ctx, "")
	if err != nil {
		return Trends{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meter.Add(&counters)
	out := Trends{Known: t.meter.Known(), Lines: map[rates.Level][]rates.Line{}, Silent: map[string]string{}}
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

// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

const (
	// sampleInterval is the maximum age of a shared sample: the switch is read at most once a second, however many clients ask.
	sampleInterval = time.Second
	// rateWithin is the maximum distance of two samples from which a rate is computed.
	rateWithin = 15 * time.Second
)

// sampler reads the switch's flows on demand, and computes their rates since the previous sample. All clients share it; without clients, it
// reads nothing.
type sampler struct {
	read live
	now  func() time.Time

	turn chan struct{} // one goroutine at a time reads

	mu   sync.Mutex
	last *sample
}

// sample has the switch's flows at one time. It is immutable.
type sample struct {
	at    time.Time
	flows []bridge.LiveFlow

	since  time.Duration // since the previous sample; 0: none, or too long ago
	before map[flow.Key]counts
	shadow []int // by flow.Shadows
}

type counts struct{ packets, bytes uint64 }

func newSampler(read live, now func() time.Time) *sampler {
	return &sampler{read: read, now: now, turn: make(chan struct{}, 1)}
}

// sample returns the newest sample, and reads a new one if that is older than a second. It blocks until the switch has answered or ctx
// ends.
func (s *sampler) sample(ctx context.Context) (*sample, error) {
	if now := s.recent(); now != nil {
		return now, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if now := s.recent(); now != nil { // another goroutine read one while this one waited
		return now, nil
	}
	flows, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	next := &sample{at: s.now(), flows: flows, shadow: shadows(flows)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil {
		if since := next.at.Sub(s.last.at); since > 0 && since <= rateWithin {
			next.since, next.before = since, make(map[flow.Key]counts, len(s.last.flows))
			for i := range s.last.flows {
				f := &s.last.flows[i]
				next.before[f.Key] = counts{f.Packets, f.Bytes}
			}
		}
	}
	s.last = next
	return next, nil
}

func shadows(live []bridge.LiveFlow) []int {
	flows := make([]flow.Flow, len(live))
	for i := range live {
		flows[i] = live[i].Flow
	}
	return flow.Shadows(flows)
}

func (s *sampler) recent() *sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.now().Sub(s.last.at) < sampleInterval {
		return s.last
	}
	return nil
}

// rate returns what a flow of the sample has counted per second since the previous sample, nil if unknown. A flow that is newer than that,
// or whose counters were reset, has counted everything since.
func (s *sample) rate(f *bridge.LiveFlow) *model.FlowRate {
	if s.since == 0 {
		return nil
	}
	was := s.before[f.Key]
	if f.Packets < was.packets || f.Bytes < was.bytes {
		was = counts{}
	}
	seconds := s.since.Seconds()
	return &model.FlowRate{Packets: float64(f.Packets-was.packets) / seconds, Bytes: float64(f.Bytes-was.bytes) / seconds}
}

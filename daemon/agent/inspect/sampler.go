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
	// sampleInterval is how old a sample may be and still be given out: however many ask, the switch is read once a second.
	sampleInterval = time.Second
	// rateWithin is how far apart two samples may be and still tell a rate of now.
	rateWithin = 15 * time.Second
)

// sampler reads the switch's flows when someone asks, and works out their rates since the time before. All who ask
// share it; while no one does, nothing is read.
type sampler struct {
	read live
	now  func() time.Time

	turn chan struct{} // one at a time reads

	mu   sync.Mutex
	last *sample
}

// sample is what the switch had at one time. It is not changed once it is made.
type sample struct {
	at    time.Time
	flows []bridge.LiveFlow

	since  time.Duration // from the sample before; 0: none, or too long ago
	before map[flow.Key]counts
	shadow []int // by flow.Shadows
}

type counts struct{ packets, bytes uint64 }

func newSampler(read live, now func() time.Time) *sampler {
	return &sampler{read: read, now: now, turn: make(chan struct{}, 1)}
}

// sample returns the newest sample, taking one when it is older than a second. It blocks until the switch has answered or
// ctx ends.
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
	if now := s.recent(); now != nil { // someone took it while we waited
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

// rate is what a flow of the sample has counted per second since the sample before, nil when that is not known. A flow
// that is newer than that, or whose counters began again, has counted all that it shows since.
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

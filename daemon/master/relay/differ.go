// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"cmp"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/channel"
)

// A shard whose contents differ in an agent is sent again as a whole: at once, and at increasing intervals while the difference persists.
const (
	againFirst = 5 * time.Second
	maxAgain   = 10 * time.Minute
	differsFor = time.Minute // how long an ended difference is remembered
)

// difference describes a shard of which an agent held something else.
type difference struct {
	times int       // number of times that it was sent again
	sent  time.Time // when that was last
	last  time.Time // when it was reported last
	still bool
}

// rest returns the time after which a shard may be sent again.
func (d *difference) rest() time.Duration {
	if d.times == 0 {
		return 0
	}
	return min(maxAgain, againFirst<<min(d.times-1, 10))
}

// holding is the state of an agent, by its reports. The relay's lock guards it.
type holding struct {
	digests map[channel.Shard]channel.Digest // nil: not reported
	step    uint64                           // at which they were compared last
	since   map[channel.Shard]uint64         // steps at which shards were sent as a whole
	left    uint64                           // step at which shards were last left
	differs map[channel.Shard]*difference
	again   map[channel.Shard]struct{} // shards to be sent again, or left again
}

func newHolding() holding {
	return holding{since: map[channel.Shard]uint64{}, differs: map[channel.Shard]*difference{}, again: map[channel.Shard]struct{}{}}
}

// digestAt returns the digest of the shard after a step; ok is false if its log does not reach back to that step.
func (s *shard) digestAt(step uint64) (digest channel.Digest, ok bool) {
	if step < s.from {
		return 0, false
	}
	i, _ := slices.BinarySearchFunc(s.log, step+1, func(e entry, seq uint64) int { return cmp.Compare(e.seq, seq) })
	if i == 0 {
		return s.base, true
	}
	return s.log[i-1].digest, true
}

// compare compares the state that an agent reports with what it was sent up to the same step, and schedules differing shards to be sent
// again. It costs a few comparisons of numbers per shard of the host, and nothing if nothing is new. The caller holds the relay's lock.
func (s *Stream) compare(r *channel.Report, now time.Time) {
	h := &s.holding
	fresh := r.Digests != nil
	if fresh {
		h.digests = r.Digests
	}
	if h.digests == nil || r.Step == 0 || r.Step > s.relay.seq || r.Step == h.step && !fresh {
		return
	}
	h.step = r.Step
	for name := range s.sent {
		want, known := s.relay.shards[name].digestAt(r.Step)
		if !known || r.Step < h.since[name] {
			continue
		}
		s.judge(name, h.digests[name] != want, now)
	}
	for name := range h.digests {
		if _, told := s.sent[name]; !told && r.Step >= h.left {
			s.judge(name, true, now) // it concerns the host no longer
		}
	}
	for name, d := range h.differs {
		_, told := s.sent[name]
		_, holds := h.digests[name]
		if !told && !holds {
			d.still = false
		}
	}
}

// judge records whether a shard differs, and schedules it to be sent again.
func (s *Stream) judge(name channel.Shard, differs bool, now time.Time) {
	d := s.holding.differs[name]
	switch {
	case !differs && d != nil:
		d.still = false
	case differs && d == nil:
		d = &difference{}
		s.holding.differs[name] = d
	}
	if !differs {
		return
	}
	d.still, d.last = true, now
	if now.Sub(d.sent) < d.rest() {
		return
	}
	d.times, d.sent = d.times+1, now
	s.relay.resent.Add(1)
	s.relay.log.Warn("agent has other records than it was sent; sending them again", "host", s.hello.Host, "shard", name)
	s.holding.again[name] = struct{}{}
	s.notify()
}

// resend marks the shards due to be sent again for sending as a whole, and returns those that the agent must leave. The caller holds the
// relay's lock.
func (s *Stream) resend() (leave []channel.Shard) {
	for name := range s.holding.again {
		if _, told := s.sent[name]; told {
			delete(s.sent, name)
		} else {
			leave = append(leave, name)
		}
		delete(s.holding.again, name)
	}
	return leave
}

// differed returns the recent differences, ordered by shard. The caller holds the relay's lock.
func (s *Stream) differed(now time.Time) (out []channel.Difference) {
	for name, d := range s.holding.differs {
		if !d.still && now.Sub(d.last) >= differsFor {
			delete(s.holding.differs, name)
			continue
		}
		out = append(out, channel.Difference{Shard: name, Times: d.times, Last: d.last, Still: d.still})
	}
	slices.SortFunc(out, func(a, b channel.Difference) int { return cmp.Compare(a.Shard, b.Shard) })
	return out
}

// Resent returns the number of shards that were sent again because their agents held something else.
func (r *Relay) Resent() uint64 { return r.resent.Load() }

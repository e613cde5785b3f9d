package relay

import (
	"cmp"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/channel"
)

// A shard that an agent holds otherwise is sent again as a whole: at once, and, while the difference stays, again after longer and longer.
const (
	againFirst = 5 * time.Second
	maxAgain   = 10 * time.Minute
	differsFor = time.Minute // for as long after it has ended a difference is known
)

// difference is what is known of a shard of which an agent held something else.
type difference struct {
	times int       // that it was sent again
	sent  time.Time // when that was last
	last  time.Time // when it was reported last
	still bool
}

// rest is how long after it was sent a shard is not sent again.
func (d *difference) rest() time.Duration {
	if d.times == 0 {
		return 0
	}
	return min(maxAgain, againFirst<<min(d.times-1, 10))
}

// holding is what an agent holds, by its reports. The relay's lock guards it.
type holding struct {
	digests map[channel.Shard]channel.Digest // nil: it has not said
	step    uint64                           // for which they were compared last
	since   map[channel.Shard]uint64         // steps at which shards were sent as a whole
	left    uint64                           // step at which shards were left last
	differs map[channel.Shard]*difference
	again   map[channel.Shard]struct{} // shards to be sent again, or left again
}

func newHolding() holding {
	return holding{since: map[channel.Shard]uint64{}, differs: map[channel.Shard]*difference{}, again: map[channel.Shard]struct{}{}}
}

// digestAt is what the shard held after a step; ok is false of one that its log does not reach back to.
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

// compare compares what an agent reports to hold with what it was sent up to the same step, and has what differs sent again. It costs some comparisons of numbers
// for each of the host's shards, and nothing when there is nothing new. The relay's lock is held.
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
			s.judge(name, true, now) // it is none of the host's any more
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

// judge notes whether a shard differs, and has it sent again.
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
	s.relay.log.Warn("an agent holds other records than it was sent: they are sent again", "host", s.hello.Host, "shard", name)
	s.holding.again[name] = struct{}{}
	s.notify()
}

// resend has the shards sent as a whole that are to be sent again, and returns those that the agent is to leave. The relay's lock is held.
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

// differed are the differences of late, ordered by shard. The relay's lock is held.
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

// Resent is how many shards were sent again, since their agents held something else.
func (r *Relay) Resent() uint64 { return r.resent.Load() }

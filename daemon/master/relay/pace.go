// SPDX-License-Identifier: Apache-2.0

package relay

import "time"

// How long the streams of a shard rest after a change woke them. It grows with their number, because each message has a cost, here and at
// its agent. So changes that concern few hosts go out at once, and changes that concern all hosts are batched.
const (
	paceEach = 200 * time.Microsecond
	maxPace  = time.Second
)

// wake wakes the streams of a changed shard, or schedules that for later. The caller holds r.mu.
func (r *Relay) wake(s *shard, now time.Time) {
	if s.rest(now) > 0 {
		r.late[s] = struct{}{}
		return
	}
	delete(r.late, s)
	s.woken = now
	for st := range s.streams {
		st.notify()
	}
}

// rest returns how long the streams of the shard must still rest.
func (s *shard) rest(now time.Time) time.Duration {
	return min(maxPace, time.Duration(len(s.streams))*paceEach) - now.Sub(s.woken)
}

// wakeLate wakes the streams whose rest has ended, and returns a channel that fires when others are due; nil: there are none.
func (r *Relay) wakeLate(now time.Time) <-chan time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	var first time.Duration
	for s := range r.late {
		r.wake(s, now)
		if _, waits := r.late[s]; waits && (first == 0 || s.rest(now) < first) {
			first = s.rest(now)
		}
	}
	if first == 0 {
		return nil
	}
	return time.After(first)
}

package relay

import "time"

// For how long the streams of a shard are left alone, after they were woken for one change of it: the longer the more there are, since each message has
// a cost, here and at its agent. So what concerns few goes out while what concerns all, as when all hosts come, is gathered.
const (
	paceEach = 200 * time.Microsecond
	maxPace  = time.Second
)

// wake wakes the streams of a shard that has changed, or notes that they are to be woken later. r.mu is held.
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

// rest is for how long the streams of the shard are still left alone.
func (s *shard) rest(now time.Time) time.Duration {
	return min(maxPace, time.Duration(len(s.streams))*paceEach) - now.Sub(s.woken)
}

// wakeLate wakes the streams whose time has come, and returns a channel on which something comes when there are others to be woken; nil: there are none.
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

// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"testing"
	"time"
)

// Changes for many agents are batched, changes for few are not, and no agent is forgotten.
func TestPace(t *testing.T) {
	r := New(nil, "", nil, nil)
	with := func(n int) *shard {
		s := newShard("s", 0)
		for range n {
			s.streams[&Stream{wake: make(chan struct{}, 1)}] = struct{}{}
		}
		return s
	}
	woken := func(s *shard) (n int) {
		for st := range s.streams {
			select {
			case <-st.wake:
				n++
			default:
			}
		}
		return n
	}
	now := time.Now()
	many, few := with(1000), with(2)
	for _, s := range []*shard{many, few} {
		if r.wake(s, now); woken(s) != len(s.streams) {
			t.Errorf("the first change: want all %d woken", len(s.streams))
		}
	}
	now = now.Add(time.Millisecond)
	r.wake(many, now)
	r.wake(few, now)
	if n, all := woken(many), woken(few); n != 0 || all != 2 {
		t.Errorf("a millisecond later: want only the few woken, got %d of many and %d", n, all)
	}
	if later := r.wakeLate(now.Add(100 * time.Millisecond)); later == nil || woken(many) != 0 {
		t.Error("half-way: want them left alone, and a time when they are not")
	}
	if later := r.wakeLate(now.Add(200 * time.Millisecond)); later != nil || woken(many) != 1000 {
		t.Error("after 200 ms: want all woken, and nothing left")
	}
	if rest := with(1_000_000).rest(now); rest > maxPace {
		t.Errorf("want at most %s, got %s", maxPace, rest)
	}
}

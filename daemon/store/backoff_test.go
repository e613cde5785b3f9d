// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// The windows double up to 2 s, pauses spread over the whole window, and simultaneous failures count once.
func TestBackoff(t *testing.T) {
	longest := func(failures int) (longest time.Duration, early bool) {
		for range 200 {
			var b store.Backoff
			for range failures {
				b.Failed(b.Round())
			}
			p := b.Pause()
			longest, early = max(longest, p), early || p < 200*time.Millisecond
		}
		return longest, early
	}
	for failures, window := range map[int]time.Duration{0: 0, 1: 100 * time.Millisecond, 3: 400 * time.Millisecond, 8: 2 * time.Second, 100: 2 * time.Second} {
		if got, early := longest(failures); got > window || got < window/2 || !early {
			t.Errorf("%d failures: want pauses all over %s, got %s at most, early ones %t", failures, window, got, early)
		}
	}
	var b store.Backoff
	round := b.Round()
	for range 20 {
		b.Failed(round) // all watches of a client notice the same outage
	}
	if p := b.Pause(); p > 100*time.Millisecond {
		t.Errorf("one outage: want 100 ms at most, got %s", p)
	}
	if again := b.Wait(t.Context()); again != round+1 {
		t.Errorf("want round %d, got %d", round+1, again)
	}
	for range 8 {
		b.Failed(b.Round())
	}
	b.Reached()
	if b.Failed(b.Round()); b.Pause() > 100*time.Millisecond {
		t.Errorf("the first failure after a success: want 100 ms at most, got %s", b.Pause())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b.Wait(ended)
}

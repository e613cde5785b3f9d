// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// One question is asked of an agent at a time, others of others beside it; who does not wait any more holds no one up, and nothing is left.
func TestTurns(t *testing.T) {
	turns := newTurns()
	var asking, most, other atomic.Int32
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			leave, err := turns.acquire(t.Context(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			if now := asking.Add(1); now > most.Load() {
				most.Store(now)
			}
			if away, err := turns.acquire(t.Context(), "b"); err == nil {
				other.Add(1)
				away()
			}
			asking.Add(-1)
			leave()
			leave() // an answer may be closed twice
		})
	}
	wait.Wait()
	if most.Load() != 1 || other.Load() != 20 {
		t.Errorf("want one at a time at one agent and 20 at another, got %d, %d", most.Load(), other.Load())
	}
	leave, err := turns.acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := turns.acquire(impatient, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("want no turn before the end of the time, got %v", err)
	}
	leave()
	if n := len(turns.taken); n != 0 {
		t.Errorf("want nothing left, got %d", n)
	}
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// The windows of the first attempt to reach a store that is away, which doubles with every failure, and of the last.
const (
	firstWindow   = 100 * time.Millisecond
	longestWindow = 2 * time.Second
)

// Backoff spaces the attempts of one client to reach a store that is away. After each failure the next attempt is made at a random moment
// within a window twice as long as the previous one ("full jitter"), so that clients that lost the store together do not return together.
// Attempts that a client makes concurrently count as one. The zero Backoff is ready for use by several goroutines.
type Backoff struct {
	mu       sync.Mutex
	round    int // counts all failed attempts
	failures int // since Reached
	until    time.Time
}

// Round returns the number of the current attempt, for Failed.
func (b *Backoff) Round() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.round
}

// Failed records that an attempt begun in this round has failed. Only the first call of a round counts.
func (b *Backoff) Failed(round int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round != b.round {
		return
	}
	b.round++
	window := longestWindow
	if b.failures < 10 {
		window = min(longestWindow, firstWindow<<b.failures)
	}
	b.failures++
	b.until = time.Now().Add(rand.N(window))
}

// Reached records that the store answers: the windows start again at the shortest.
func (b *Backoff) Reached() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = 0
}

// Pause returns the time until the next attempt; 0 or less: it is due.
func (b *Backoff) Pause() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Until(b.until)
}

// Wait blocks until the next attempt is due, or ctx ends, and returns its round.
func (b *Backoff) Wait(ctx context.Context) (round int) {
	round = b.Round()
	t := time.NewTimer(b.Pause())
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	return round
}

package store

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Windows within which an attempt to reach a store that is away is made: the first, which doubles with every failure, and the
// longest.
const (
	firstWindow   = 100 * time.Millisecond
	longestWindow = 2 * time.Second
)

// Backoff spaces the attempts of one client to reach a store that is away. After each failure the next attempt is made at a
// random moment within a window twice as long as the one before ("full jitter"), so that clients that have lost the store
// together do not come back together. All that a client does at the same time counts as one attempt. The zero Backoff is ready
// for use, by several goroutines.
type Backoff struct {
	mu       sync.Mutex
	round    int // counts attempts that failed, for ever
	failures int // of them, since Reached
	until    time.Time
}

// Round names the attempt that is under way, for Failed.
func (b *Backoff) Round() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.round
}

// Failed says that an attempt begun in this round has failed. Only the first that says so counts.
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

// Reached says that the store answers: the next failure is the first again.
func (b *Backoff) Reached() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = 0
}

// Pause is how long the next attempt is off; 0 or less: it is due.
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

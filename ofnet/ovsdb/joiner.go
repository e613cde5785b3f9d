package ovsdb

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxJoined is how many changes share a transaction at most.
const maxJoined = 256

// joiner carries out changes in transactions, one at a time; changes that arrive meanwhile share the next one.
type joiner struct {
	commit func(ctx context.Context, changes []change) error

	mu      sync.Mutex
	queue   []*wish
	running bool
}

type wish struct {
	change
	done chan error // has room for one
}

// do returns when the change is carried out or refused, or ctx ends (then it may still happen).
func (j *joiner) do(ctx context.Context, c change) error {
	w := &wish{change: c, done: make(chan error, 1)}
	j.mu.Lock()
	j.queue = append(j.queue, w)
	if !j.running {
		j.running = true
		go j.drain()
	}
	j.mu.Unlock()
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain works until the queue is empty; every round is bounded, so it ends.
func (j *joiner) drain() {
	for {
		j.mu.Lock()
		round := j.take()
		if len(round) == 0 {
			j.running = false
			j.mu.Unlock()
			return
		}
		j.mu.Unlock()
		j.carryOut(round)
	}
}

// take removes the next changes from the queue: in order, each port once; j.mu is held.
func (j *joiner) take() []*wish {
	seen := map[string]bool{}
	n := 0
	for n < len(j.queue) && n < maxJoined && !seen[j.queue[n].name] {
		seen[j.queue[n].name] = true
		n++
	}
	round := j.queue[:n:n]
	j.queue = j.queue[n:]
	return round
}

func (j *joiner) carryOut(round []*wish) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	err := j.attempt(ctx, round)
	if err == nil || len(round) == 1 || ctx.Err() != nil {
		for _, w := range round {
			w.done <- err
		}
		return
	}
	// One bad change spoils the transaction of all: each by itself then.
	for _, w := range round {
		w.done <- j.attempt(ctx, []*wish{w})
	}
}

// attempt repeats a round whose outcome is unknown because the connection was lost: changes are idempotent.
func (j *joiner) attempt(ctx context.Context, round []*wish) error {
	changes := make([]change, len(round))
	for i, w := range round {
		changes[i] = w.change
	}
	for {
		err := j.commit(ctx, changes)
		if !errors.Is(err, ErrLost) {
			return err
		}
		// The client notices the loss and reconnects; until then its calls fail at once.
		t := time.NewTimer(retryMin)
		select {
		case <-ctx.Done():
			t.Stop()
			return err
		case <-t.C:
		}
	}
}

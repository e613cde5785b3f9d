// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxJoined is the maximum number of changes that share a transaction.
const maxJoined = 256

// attachTimeout is the maximum time that ovs-vswitchd may delay the next transaction.
const attachTimeout = time.Second

// joiner carries out changes in transactions, one at a time. Changes that arrive during a transaction, or while ovs-vswitchd attaches its
// ports, share the next one: each transaction makes ovs-vswitchd scan all ports.
type joiner struct {
	commit  func(ctx context.Context, changes []change) error
	resolve func(ctx context.Context, changes []change)

	mu      sync.Mutex
	queue   []*wish
	running bool
}

type wish struct {
	change
	done chan error // buffered
}

// do returns when the change is carried out or refused, or ctx ends (the change may still happen then).
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
		round := j.add()
		if len(round) == 0 {
			j.running = false
			j.mu.Unlock()
			return
		}
		j.mu.Unlock()
		j.carryOut(round)
	}
}

// add removes the next changes from the queue: in order, each port once; the caller holds j.mu.
func (j *joiner) add() []*wish {
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
	round = makeDevices(round)
	if len(round) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	err := j.attempt(ctx, round)
	if err == nil || len(round) == 1 || ctx.Err() != nil {
		for _, w := range round {
			w.done <- err
		}
	} else {
		// One refused change fails the transaction of all: send each by itself.
		for _, w := range round {
			w.done <- j.attempt(ctx, []*wish{w})
		}
	}
	limited, cancelSettle := context.WithTimeout(ctx, attachTimeout)
	defer cancelSettle()
	j.resolve(limited, changesOf(round))
}

// makeDevices makes the devices of a round in parallel and returns the round without the changes that failed.
func makeDevices(round []*wish) []*wish {
	errs := make([]error, len(round))
	var wg sync.WaitGroup
	for i, w := range round {
		if w.add != nil && w.add.Device != nil {
			wg.Go(func() { errs[i] = w.add.Device() })
		}
	}
	wg.Wait()
	made := make([]*wish, 0, len(round))
	for i, w := range round {
		if errs[i] != nil {
			w.done <- errs[i]
		} else {
			made = append(made, w)
		}
	}
	return made
}

func changesOf(round []*wish) []change {
	changes := make([]change, len(round))
	for i, w := range round {
		changes[i] = w.change
	}
	return changes
}

// attempt repeats a round whose outcome is unknown because the connection was lost: changes are idempotent.
func (j *joiner) attempt(ctx context.Context, round []*wish) error {
	changes := changesOf(round)
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

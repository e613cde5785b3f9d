// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"sync"
)

// turns let one question be asked of each agent at a time.
type turns struct {
	mu    sync.Mutex
	taken map[string]*turn // by address
}

// turn is that of an agent that is asked.
type turn struct {
	free    chan struct{} // holds one while no one asks
	waiting int           // who ask, and who want to
}

func newTurns() *turns { return &turns{taken: map[string]*turn{}} }

// acquire blocks until no one else asks the agent, or ctx ends. leave is called when its answer has been read.
func (t *turns) acquire(ctx context.Context, agent string) (leave func(), err error) {
	t.mu.Lock()
	one := t.taken[agent]
	if one == nil {
		one = &turn{free: make(chan struct{}, 1)}
		one.free <- struct{}{}
		t.taken[agent] = one
	}
	one.waiting++
	t.mu.Unlock()
	select {
	case <-one.free:
		return sync.OnceFunc(func() {
			one.free <- struct{}{}
			t.drop(agent, one)
		}), nil
	case <-ctx.Done():
		t.drop(agent, one)
		return nil, ctx.Err()
	}
}

// drop forgets a turn that no one waits for any more.
func (t *turns) drop(agent string, one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.waiting--; one.waiting == 0 {
		delete(t.taken, agent)
	}
}

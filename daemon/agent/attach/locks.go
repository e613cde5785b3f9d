// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"sync"
)

// locks are mutexes by endpoint, and the set of interface names that current operations create.
type locks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the holder is done
	busy map[string]bool
}

func newLocks() *locks {
	return &locks{held: map[string]chan struct{}{}, busy: map[string]bool{}}
}

// lock waits for key or for ctx.
func (l *locks) lock(ctx context.Context, key string) (unlock func(), err error) {
	for {
		unlock, held := l.tryLock(key)
		if held == nil {
			return unlock, nil
		}
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tryLock locks key, or returns a channel that is closed when its holder is done.
func (l *locks) tryLock(key string) (unlock func(), held <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held := l.held[key]; held != nil {
		return nil, held
	}
	mine := make(chan struct{})
	l.held[key] = mine
	return func() {
		l.mu.Lock()
		delete(l.held, key)
		l.mu.Unlock()
		close(mine)
	}, nil
}

// work marks an interface name as being created until done is called.
func (l *locks) work(name string) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy[name] = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.busy, name)
	}
}

func (l *locks) isBusy(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.busy[name]
}

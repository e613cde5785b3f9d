package attach

import (
	"context"
	"sync"
)

// locks are mutexes by endpoint, and the set of interface names that operations in flight are making.
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
		l.mu.Lock()
		held := l.held[key]
		if held == nil {
			mine := make(chan struct{})
			l.held[key] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.held, key)
				l.mu.Unlock()
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// work marks an interface name as being made until done.
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

// SPDX-License-Identifier: Apache-2.0

package widget

import "context"

// Background is where work is done that would hold up a frame. nil: it is done at once.
type Background struct {
	// Ready is called by other goroutines when there is a result to be fetched. It may block.
	Ready func()
}

// Task is work that is being done.
type Task[R any] struct {
	cancel context.CancelFunc
	done   chan struct{}
	result R
}

// Run starts work: in the background, or at once if that is nil. Work should end early when its ctx does, since its result is then not
// needed.
func Run[R any](b *Background, work func(ctx context.Context) R) *Task[R] {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Task[R]{cancel: cancel, done: make(chan struct{})}
	do := func() {
		defer cancel()
		t.result = work(ctx)
		close(t.done)
	}
	if b == nil {
		do()
		return t
	}
	go func() {
		do()
		b.Ready()
	}()
	return t
}

// Result is the result; ok is false while the work is being done.
func (t *Task[R]) Result() (result R, ok bool) {
	select {
	case <-t.done:
		return t.result, true
	default:
		return result, false
	}
}

// Cancel discards the result.
func (t *Task[R]) Cancel() { t.cancel() }

// Latest keeps a value up to date with the key that it follows from. Its zero value has none yet.
type Latest[K comparable, V any] struct {
	key   K
	value *V
	task  *Task[*V]
	next  K // of task
}

// Update starts computing the value of a key, and returns the newest computed one; nil: there is none yet. superseded reports whether the
// value of another key is useless now. compute returns nil when its ctx ends; it is called again with the next Update after that.
func (l *Latest[K, V]) Update(want K, superseded func(key K) bool, b *Background, compute func(ctx context.Context) *V) *V {
	l.fetch(superseded)
	switch {
	case l.value != nil && l.key == want:
		l.cancel()
	case l.task == nil || superseded(l.next):
		l.cancel()
		if l.task, l.next = Run(b, compute), want; b == nil {
			l.fetch(superseded)
		}
	}
	return l.value
}

// fetch takes the value that the task has made, if it is of use.
func (l *Latest[K, V]) fetch(superseded func(key K) bool) {
	if l.task == nil {
		return
	}
	if made, done := l.task.Result(); done {
		if l.task = nil; made != nil && !superseded(l.next) {
			l.value, l.key = made, l.next
		}
	}
}

func (l *Latest[K, V]) cancel() {
	if l.task != nil {
		l.task.Cancel()
		l.task = nil
	}
}

package widget

import "context"

// Desk is where work is done that would hold up a frame. nil: it is done at once.
type Desk struct {
	// Ready is called by other goroutines when there is something to be fetched. It may block.
	Ready func()
}

// Task is work that is being done.
type Task[R any] struct {
	cancel context.CancelFunc
	done   chan struct{}
	result R
}

// Do has work done: at the desk, or at once when that is nil. Work should end early when its ctx does: then nobody wants
// the result.
func Do[R any](d *Desk, work func(ctx context.Context) R) *Task[R] {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Task[R]{cancel: cancel, done: make(chan struct{})}
	do := func() {
		defer cancel()
		t.result = work(ctx)
		close(t.done)
	}
	if d == nil {
		do()
		return t
	}
	go func() {
		do()
		d.Ready()
	}()
	return t
}

// Result is what came of it; ok is false while it is being done.
func (t *Task[R]) Result() (result R, ok bool) {
	select {
	case <-t.done:
		return t.result, true
	default:
		return result, false
	}
}

// Cancel says that nobody wants the result any more.
func (t *Task[R]) Cancel() { t.cancel() }

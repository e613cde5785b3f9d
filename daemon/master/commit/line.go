package commit

import (
	"context"
	"errors"

	"github.com/contiv/contiv/daemon/store"
)

// line is the work of one term: requests that wait, and one transaction at a time.
type line struct {
	c     *Committer
	fence store.Fence
	held  []*request // taken from the queue
}

// run works until ctx ends (nil) or the term does.
func (l *line) run(ctx context.Context) error {
	for {
		if len(l.held) == 0 {
			select {
			case <-ctx.Done():
				return nil
			case r := <-l.c.queue:
				l.held = append(l.held, r)
			}
		}
		l.take()
		err := l.depart(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take takes what waits in the queue.
func (l *line) take() {
	for len(l.held) < maxRequests {
		select {
		case r := <-l.c.queue:
			l.held = append(l.held, r)
		default:
			return
		}
	}
}

// depart carries out a transaction of the requests that are first in line, as many as may share one. Its error ends the term.
func (l *line) depart(ctx context.Context) error {
	n, turn := 1, l.held[0].turn
	for turn != alone && n < len(l.held) && n < maxRequests && l.held[n].turn == turn {
		n++
	}
	f, left := l.c.build(l.fence, l.held[:n:n])
	l.held = append(left, l.held[n:]...)
	if len(f.tx.Ops()) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, commitLimit)
	defer cancel()
	rev, err := l.c.db.Commit(ctx, f.tx)
	if err == nil {
		l.c.committed(f, rev)
		return nil
	}
	l.c.failed(f, err)
	if errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrStuck reports that nothing was committed for too long, though requests wait.
var ErrStuck = errors.New("nothing was committed for too long, though requests wait")

// turn is the time at which the work on the current batch began.
type turn struct{ began atomic.Pointer[time.Time] }

func (t *turn) begin() {
	now := time.Now()
	t.began.Store(&now)
}

func (t *turn) end() { t.began.Store(nil) }

// lasts returns how long the current batch has taken; 0 if there is none.
func (t *turn) lasts() time.Duration {
	if began := t.began.Load(); began != nil {
		return time.Since(*began)
	}
	return 0
}

// Stalled returns how long nothing has been committed while requests wait, and how many wait. Both are 0 while there is nothing to do, and
// on a master that does not lead.
func (c *Committer) Stalled() (since time.Duration, waiting int) {
	term := c.term.Load()
	if term == nil {
		return 0, 0
	}
	if since = term.turn.lasts(); since > 0 {
		waiting = len(c.queue)
	}
	return since, waiting
}

// watchOver runs a batcher until it ends, or until a batch takes too long. The computation of a request cannot be stopped: it continues in
// the background, and commits nothing, because neither the fence nor the context of the ended term is valid.
func (c *Committer) watchOver(b *batcher, ctx context.Context) error {
	ran := make(chan error, 1)
	go func() { ran <- b.run(ctx) }()
	look := time.NewTicker(c.stuck / 10)
	defer look.Stop()
	for {
		select {
		case err := <-ran:
			return err
		case <-look.C:
		}
		if b.turn.lasts() > c.stuck {
			c.log.Error("nothing committed for too long: this netmaster's term ends", "duration", c.stuck, "requests", len(c.queue))
			return ErrStuck
		}
	}
}

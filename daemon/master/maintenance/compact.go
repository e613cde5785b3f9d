// SPDX-License-Identifier: Apache-2.0

package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// DefaultHistory is how long history is kept when nothing else compacts the store. It is longer than the usual interval of other
// compactors, five minutes to an hour, so that the two never compete.
const DefaultHistory = time.Hour

// steps is the number of steps in which the history of one period is compacted.
const steps = 4

// Compactor compacts a store. It is used by the leader only, though several do no harm.
type Compactor struct {
	db   store.Compacter
	now  func() store.Revision
	keep time.Duration
	log  *slog.Logger
}

// NewCompactor returns a Compactor that keeps the history of the period keep; known returns the newest known revision. It does nothing with
// a store that is no store.Compacter, or if keep is 0.
func NewCompactor(db store.Store, keep time.Duration, known func() store.Revision, log *slog.Logger) *Compactor {
	c := &Compactor{now: known, keep: keep, log: log}
	c.db, _ = db.(store.Compacter)
	return c
}

// Run compacts to the store's revision of keep ago, a quarter of keep at a time, until ctx ends. It accepts compactions by others. It
// compacts nothing before it has run for keep.
func (c *Compactor) Run(ctx context.Context) {
	if c.db == nil || c.keep == 0 {
		return
	}
	tick := time.NewTicker(c.keep / steps)
	defer tick.Stop()
	var was []store.Revision // at the ticks, the oldest first
	ours, failed := false, false
	for {
		if was = append(was, c.now()); len(was) > steps {
			already, err := c.db.Compact(ctx, was[0])
			switch {
			case ctx.Err() != nil:
				return
			case err != nil && !failed:
				c.log.Warn("compacting the store's history failed: it grows unless another client compacts it", "error", err)
			case err == nil && !already && was[0] < was[steps] && !ours:
				c.log.Info("compacting the store's history: no other client does", "duration", c.keep)
				ours = true
			}
			failed = err != nil
			was = was[1:]
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

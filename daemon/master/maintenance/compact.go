package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// DefaultHistory is for how long a store keeps its history when no one else has it forgotten. It is longer than what is usual where somebody
// does, from five minutes to an hour, so that they are never ahead of each other.
const DefaultHistory = time.Hour

// steps is in how many steps a time of history is forgotten.
const steps = 4

// Compactor has a store forget its history. It is used by the leader alone, though more than one do no harm.
type Compactor struct {
	db   store.Compacter
	now  func() store.Revision
	keep time.Duration
	log  *slog.Logger
}

// NewCompactor makes a Compactor that keeps the history of a time; known is the newest revision that is known. It does nothing with a store that is no
// store.Compacter, or when keep is 0.
func NewCompactor(db store.Store, keep time.Duration, known func() store.Revision, log *slog.Logger) *Compactor {
	c := &Compactor{now: known, keep: keep, log: log}
	c.db, _ = db.(store.Compacter)
	return c
}

// Run compacts to where the store was when keep had begun, a quarter of keep at a time, until ctx ends. What another has compacted
// meanwhile it leaves as it is. Nothing is forgotten before it has run for keep.
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
				c.log.Warn("the store's history was not compacted, so that it grows unless another does that", "error", err)
			case err == nil && !already && was[0] < was[steps] && !ours:
				c.log.Info("the store's history is compacted from here, since no one else does it", "duration", c.keep)
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

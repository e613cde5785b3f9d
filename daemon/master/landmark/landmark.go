// Package landmark keeps a recent change where every agent sees it.
//
// A client of the store that was away proves by the newest change it has seen that the history is still the same, and continues
// from there. Where nothing changes that agents watch, while all else continues, that change grows older than what the store keeps
// of its history, and after an outage all would have to read everything again. An agent that continues at another netmaster proves by the landmark
// that both know one history (package relay).
package landmark

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Every is how old the newest change may grow: twice, and a watch's minute for hearing how far it is, are within the ten minutes
// that the embedded store keeps.
const Every = 4 * time.Minute

// Committer is the part of commit.Committer that a Keeper needs.
type Committer interface {
	Do(ctx context.Context, fn func(*commit.Tx) error) (store.Revision, error)
}

// Keeper writes the landmark. It is used by the leader alone.
type Keeper struct {
	commit  Committer
	catalog *catalog.Catalog
	log     *slog.Logger
}

// New makes a Keeper.
func New(c Committer, known *catalog.Catalog, log *slog.Logger) *Keeper {
	return &Keeper{commit: c, catalog: known, log: log}
}

// Run writes a landmark whenever the store has changed since the one before, Every at the most, and at once where there is none, until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	none := false
	k.catalog.View(func(v *catalog.View) { none = v.KeyRevision(record.Landmark) == 0 })
	for last := store.Revision(0); ; none = false {
		if !none {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		if !none && k.catalog.Revision() <= last {
			continue
		}
		rev, err := k.commit.Do(ctx, func(tx *commit.Tx) error {
			return tx.Put(record.Landmark, &record.Nonce{ID: rand.Text()})
		})
		if err != nil {
			if ctx.Err() == nil {
				k.log.Warn("the landmark was not written; it is tried again", "retry", Every, "error", err)
			}
			continue
		}
		last = rev
	}
}

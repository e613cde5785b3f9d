// SPDX-License-Identifier: Apache-2.0

package maintenance

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

// A landmark is a recent change that every agent sees.
//
// A client of the store that was away proves by the newest change it has seen that the history is still the same, and continues from there.
// If nothing changes that agents watch, while other keys change, that change becomes older than the history that the store keeps, and after
// an outage all agents would have to read everything again. An agent that continues at another netmaster proves by the landmark that both
// have the same history (package relay).

// LandmarkInterval is the maximum age of the newest change: twice that, and the minute after which a watch learns its progress, are within
// the ten minutes that the embedded store keeps.
const LandmarkInterval = 4 * time.Minute

// Committer is the part of commit.Committer that Landmarks needs.
type Committer interface {
	Do(ctx context.Context, fn func(*commit.Tx) error) (store.Revision, error)
}

// Landmarks writes the landmark. Only the leader uses it.
type Landmarks struct {
	commit  Committer
	catalog *catalog.Catalog
	log     *slog.Logger
}

// NewLandmarks returns Landmarks.
func NewLandmarks(c Committer, known *catalog.Catalog, log *slog.Logger) *Landmarks {
	return &Landmarks{commit: c, catalog: known, log: log}
}

// Run writes a landmark if the store has changed since the previous one, at most every LandmarkInterval, and at once if there is none,
// until ctx ends.
func (l *Landmarks) Run(ctx context.Context) {
	tick := time.NewTicker(LandmarkInterval)
	defer tick.Stop()
	none := false
	l.catalog.View(func(v *catalog.View) { none = v.KeyRevision(record.Landmark) == 0 })
	for last := store.Revision(0); ; none = false {
		if !none {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		if !none && l.catalog.Revision() <= last {
			continue
		}
		rev, err := l.commit.Do(ctx, func(tx *commit.Tx) error {
			return tx.Put(record.Landmark, &record.Nonce{ID: rand.Text()})
		})
		if err != nil {
			if ctx.Err() == nil {
				l.log.Warn("cannot write the landmark; retrying", "retry", LandmarkInterval, "error", err)
			}
			continue
		}
		last = rev
	}
}

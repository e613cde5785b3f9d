// SPDX-License-Identifier: Apache-2.0

// Package maintenance keeps the store usable: it reports a lack of space, compacts old history if nothing else does, writes the
// landmark, and converts records of earlier builds.
package maintenance

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Interval is the time between two requests to the store's members for their space.
const Interval = 30 * time.Second

// Space watches the space of a store's members. Its methods are safe for concurrent use.
type Space struct {
	db   store.Observer // nil: the store does not report it
	log  *slog.Logger
	last atomic.Pointer[[]store.Member]
}

// NewSpace returns a Space of a store. A store that is no store.Observer does not report its space.
func NewSpace(db store.Store, log *slog.Logger) *Space {
	s := &Space{log: log}
	s.db, _ = db.(store.Observer)
	return s
}

// Run asks the members at once and then at each Interval, and logs each change of a member's state, until ctx ends.
func (s *Space) Run(ctx context.Context) {
	if s.db == nil {
		return
	}
	told := map[string]store.Space{}
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		if members, err := s.db.Members(ctx); err == nil {
			s.last.Store(&members)
			for _, m := range members {
				if m.Err == nil {
					s.logChange(&m, told)
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// logChange logs a member's state if it differs from the state logged before, which the map has by the names of members.
func (s *Space) logChange(m *store.Member, told map[string]store.Space) {
	before, now := told[m.Name], m.Space()
	if now == before {
		return
	}
	told[m.Name] = now
	log := s.log.With("member", m.Name, "bytes", m.Bytes, "used", m.InUse, "quota", m.Quota)
	switch now {
	case store.SpaceFull:
		log.Error("the store's quota is used up and it accepts no changes: compact, defragment and disarm it (docs/how-to/store-space.md)")
	case store.SpaceLow:
		log.Warn("the store's quota is nearly used up: compact and defragment the store, or raise the quota")
	case store.SpaceUnknown, store.SpaceAmple:
		if before != "" && before != store.SpaceUnknown {
			log.Info("the store has space again")
		} else if now == store.SpaceUnknown {
			log.Info("store quota unknown: a lack of space would go unnoticed")
		}
	}
}

// Members returns the members' last answers; none before the first.
func (s *Space) Members() []store.Member {
	if last := s.last.Load(); last != nil {
		return *last
	}
	return nil
}

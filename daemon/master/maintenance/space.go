// Package maintenance does what the store needs from time to time: it reports a lack of space, compacts old history where nothing else does, and writes the landmark.
package maintenance

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// Interval is how often the store's members are asked how much space they have.
const Interval = 30 * time.Second

// Space watches how much space the members of a store have. Its methods are safe for concurrent use.
type Space struct {
	db   store.Observer // nil: the store does not tell
	log  *slog.Logger
	last atomic.Pointer[[]store.Member]
}

// NewSpace makes a Space of a store. One that is no store.Observer does not tell.
func NewSpace(db store.Store, log *slog.Logger) *Space {
	s := &Space{log: log}
	s.db, _ = db.(store.Observer)
	return s
}

// Run asks the members at once and then every Every, and tells of each change of a member's state, until ctx ends.
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

// logChange logs what has changed for a member, given what was told last.
func (s *Space) logChange(m *store.Member, told map[string]store.Space) {
	before, now := told[m.Name], m.Space()
	if now == before {
		return
	}
	told[m.Name] = now
	log := s.log.With("member", m.Name, "bytes", m.Bytes, "used", m.InUse, "quota", m.Quota)
	switch now {
	case store.SpaceFull:
		log.Error("the store has used up its quota and takes no changes: compact, defragment and disarm it (docs/operations.md, A store without space)")
	case store.SpaceLow:
		log.Warn("the store will soon have used up its quota: compact and defragment it, or give it a larger one")
	case store.SpaceUnknown, store.SpaceAmple:
		if before != "" && before != store.SpaceUnknown {
			log.Info("the store has space again")
		} else if now == store.SpaceUnknown {
			log.Info("the store does not tell its quota, so that nothing tells when space runs short")
		}
	}
}

// Members are the members as they were when they answered last; none before.
func (s *Space) Members() []store.Member {
	if last := s.last.Load(); last != nil {
		return *last
	}
	return nil
}

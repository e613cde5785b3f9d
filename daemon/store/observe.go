package store

import (
	"context"
	"time"
)

// Observer is what a Store is besides when it can tell how it is. Stores that cannot do not implement it.
type Observer interface {
	// Members asks every server of the store how it is; one that does not answer is listed with the error. It blocks
	// until all have answered or a second has passed.
	Members(ctx context.Context) ([]Member, error)

	// Leases tells how long the keys that start with prefix live on, of those that are under a lease, ordered by key.
	Leases(ctx context.Context, prefix string) ([]KeyLease, error)
}

// Member is one server of a store.
type Member struct {
	Name    string
	Address string
	Leader  bool // of the store
	Version string
	Bytes   int64         // of its database
	InUse   int64         // of these bytes; the rest is free for what is stored next. 0: it does not tell
	Quota   int64         // bytes from which on it refuses what needs space; 0: it does not tell
	Full    bool          // it does: it has used up its quota
	Latency time.Duration // asking it
	Err     error         // why it did not answer
}

// Space says how much a member has left.
type Space string

// The states of space. SpaceUnknown is that of a member that does not tell its quota, and is not full.
const (
	SpaceUnknown Space = "unknown"
	SpaceAmple   Space = "ample"
	SpaceLow     Space = "low"  // four fifths of the quota are in use, or the file, which never shrinks by itself, has nearly reached it
	SpaceFull    Space = "full" // what needs space is refused
)

// Space says how much the member has left.
func (m *Member) Space() Space {
	switch {
	case m.Full:
		return SpaceFull
	case m.Err != nil || m.Quota <= 0:
		return SpaceUnknown
	case m.InUse >= m.Quota/5*4 || m.Bytes >= m.Quota/20*19:
		return SpaceLow
	}
	return SpaceAmple
}

// Compacter is what a Store is besides when it keeps the history of its changes until somebody has it forgotten.
type Compacter interface {
	// Compact has the store forget what was before rev; what there is at rev, and all that came since, stays. It reports whether that, or
	// more, had been forgotten already.
	Compact(ctx context.Context, rev Revision) (already bool, err error)
}

// KeyLease is how long a key lives on when no one refreshes its lease.
type KeyLease struct {
	Key           string
	Granted, Left time.Duration
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"
)

// Observer is implemented by Stores that can report their state.
type Observer interface {
	// Members asks every server of the store for its state; a server that does not answer is listed with the error. It blocks until all
	// have answered, at most one second.
	Members(ctx context.Context) ([]Member, error)

	// Leases returns the remaining lifetimes of the leased keys that start with prefix, ordered by key.
	Leases(ctx context.Context, prefix string) ([]KeyLease, error)
}

// Member is one server of a store.
type Member struct {
	Name    string
	Address string
	Leader  bool // of the store
	Version string
	Bytes   int64         // size of its database
	InUse   int64         // of these bytes; the rest can be reused. 0: unknown
	Quota   int64         // bytes above which it refuses what needs space; 0: unknown
	Full    bool          // the quota is used up
	Latency time.Duration // of the request
	Err     error         // why it did not answer
}

// Space is how much space a member has left.
type Space string

// The states of space. SpaceUnknown is that of a member that does not report its quota, and is not full.
const (
	SpaceUnknown Space = "unknown"
	SpaceAmple   Space = "ample"
	// four fifths of the quota are in use, or the file, which never shrinks by itself, has nearly reached it
	SpaceLow  Space = "low"
	SpaceFull Space = "full" // what needs space is refused
)

// Space returns how much space the member has left.
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

// Compacter is implemented by Stores that keep the history of their changes until a caller compacts it.
type Compacter interface {
	// Compact discards the history before rev; the contents at rev and all later changes stay. It reports whether the store had already
	// compacted to rev or later.
	Compact(ctx context.Context, rev Revision) (already bool, err error)
}

// KeyLease is the remaining lifetime of a key that no one refreshes.
type KeyLease struct {
	Key           string
	Granted, Left time.Duration
}

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
	Took    time.Duration // asking it
	Err     error         // why it did not answer
}

// KeyLease is how long a key lives on when no one refreshes its lease.
type KeyLease struct {
	Key           string
	Granted, Left time.Duration
}

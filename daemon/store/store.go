// SPDX-License-Identifier: Apache-2.0

// Package store holds the cluster's state: a small ordered key-value store with transactions, watches and leases, behind one interface with
// several implementations (etcd, Consul, embedded, memory). storetest is the conformance suite that all of them pass.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Revision orders all commits of one store. 0 is before everything. Revisions grow; they may have gaps.
type Revision uint64

// Item is one key with its value, the revision of its last change and the revision that created it.
type Item struct {
	Key      string
	Value    []byte
	Revision Revision
	Created  Revision
}

// Errors on which callers decide. Implementations wrap them with the key or the endpoint concerned.
var (
	ErrNotFound    = errors.New("key not found")
	ErrConflict    = errors.New("a key changed since it was read")
	ErrFenced      = errors.New("leadership was lost: the fence no longer holds")
	ErrUnavailable = errors.New("store is unreachable")
	ErrTooLarge    = errors.New("transaction is larger than the store permits")
	ErrLeaseLost   = errors.New("lease is lost: its keys are gone or will be")
	ErrNoSpace     = errors.New("the store has used up its quota")
	ErrClosed      = errors.New("store is closed")
)

// Store is a linearizable key-value store. All methods are safe for concurrent use, block until the store answers
// or ctx ends, and return ErrUnavailable (wrapped) when the store cannot be reached. No method ends the process.
type Store interface {
	// Read returns the item at key, or ErrNotFound.
	Read(ctx context.Context, key string) (Item, error)

	// List returns all items whose key starts with prefix, ordered by key, and the revision at which the list is true.
	List(ctx context.Context, prefix string) ([]Item, Revision, error)

	// Commit applies tx completely or not at all and returns the revision of its changes (of the store, if it had none). ErrConflict: a
	// guard did not hold. ErrFenced: the fence did not hold (it takes precedence over ErrConflict). ErrTooLarge: see Limits.
	// ErrLeaseLost: a lease of a put has ended. A put of the value that a key already has may keep its revision. ErrNoSpace: the store
	// refuses what needs space. The store may have applied the transaction in which it noticed that; the outcome is final, so a read
	// shows it. Deletions, reads, watches and existing leases continue. After ErrUnavailable or a context error the outcome is unknown:
	// the caller must read again before it decides.
	Commit(ctx context.Context, tx *Tx) (Revision, error)

	// Watch yields levels, not edges: first one Update with Full set and everything under prefix, then changes, which may be merged. It
	// ends when ctx ends or the caller stops iterating. A store that is away yields (Update{}, err) with ErrUnavailable once per
	// outage. Then Watch continues with the changes since the outage (possibly none, which reports that the store is back), if the
	// store can prove that its history is the same. Otherwise, or if that history is compacted, the next Update has Full set again.
	Watch(ctx context.Context, prefix string) iter.Seq2[Update, error]

	// Grant creates a lease: keys put with it are deleted if it is not kept alive for ttl. Stores may round ttl up. ErrNoSpace: as for
	// Commit.
	Grant(ctx context.Context, ttl time.Duration) (Lease, error)

	// Limits returns the limits of one transaction.
	Limits() Limits

	// String names the store for logs: kind and endpoints, without credentials.
	String() string

	// Close releases connections. Watches end; later calls return ErrClosed.
	Close() error
}

// Lease bounds the lifetime of keys. A key that was put under a lease must be put again under a lease, or deleted first: stores differ in
// the effect of a plain put on the lease of a key.
type Lease interface {
	ID() string
	TTL() time.Duration // as granted
	// KeepAlive refreshes the lease until ctx ends (nil) or the lease is lost (ErrLeaseLost, wrapped): the store reports that, or was
	// unreachable for the lease's TTL. It survives shorter outages.
	KeepAlive(ctx context.Context) error
	// Revoke ends the lease and deletes its keys at once.
	Revoke(ctx context.Context) error
}

// Limits of one transaction.
type Limits struct {
	Ops   int // operations and guards together
	Bytes int // keys and values together
}

// Update is one step of a watch. With Full set, Items is everything under the prefix at Revision and Gone is empty. Otherwise Items are the
// created or changed items and Gone the deleted keys since the last update; both may be empty.
//
// Revision is the store revision up to which the receiver now knows everything: a change with a lower revision that arrives later, by any
// other path, is older than what is known, even for an absent key. Revision never decreases, with one exception: with Full set, a lower
// Revision means that the store was recreated - its data was wiped, or an older backup restored - and that revisions start again. Revisions
// may also increase when a store is recreated, so with Full set the Items replace everything received before, whatever its revisions and
// values.
type Update struct {
	Full     bool
	Items    []Item
	Gone     []string
	Revision Revision
}

// Sort orders Items and Gone by key, as Watch yields them.
func (u *Update) Sort() {
	slices.SortFunc(u.Items, func(a, b Item) int { return strings.Compare(a.Key, b.Key) })
	slices.Sort(u.Gone)
}

// Fence proves leadership: the lock key still exists and was created at this revision.
type Fence struct {
	Key     string
	Created Revision
}

// Guard is a condition of a transaction: the key's last change was at Revision; 0: the key does not exist.
type Guard struct {
	Key      string
	Revision Revision
}

// Op is one change of a transaction.
type Op struct {
	Key    string
	Value  []byte
	Delete bool  // delete instead of put; deleting an absent key is success
	Lease  Lease // put under this lease; nil: no lease
}

// Tx is a transaction as a value: what to require and what to change. The zero Tx is empty and useful.
// A Tx is built by one goroutine and must not be changed after it is given to Commit.
type Tx struct {
	fence  *Fence
	guards []Guard
	ops    []Op
}

// Require adds a guard: Commit returns ErrConflict unless key was last changed at rev (0: unless key is absent).
func (t *Tx) Require(key string, rev Revision) { t.guards = append(t.guards, Guard{key, rev}) }

// Under sets the fence: Commit returns ErrFenced unless it holds.
func (t *Tx) Under(f Fence) { t.fence = &f }

// Put sets key to value. The last operation on a key wins.
func (t *Tx) Put(key string, value []byte) { t.set(Op{Key: key, Value: value}) }

// PutLeased sets key to value for as long as lease lives.
func (t *Tx) PutLeased(key string, value []byte, lease Lease) {
	t.set(Op{Key: key, Value: value, Lease: lease})
}

// Delete removes key.
func (t *Tx) Delete(key string) { t.set(Op{Key: key, Delete: true}) }

func (t *Tx) set(op Op) {
	for i := range t.ops {
		if t.ops[i].Key == op.Key {
			t.ops[i] = op
			return
		}
	}
	t.ops = append(t.ops, op)
}

// Check returns ErrTooLarge, wrapped, when tx is larger than l permits.
func (l Limits) Check(tx *Tx) error {
	n := len(tx.guards) + len(tx.ops)
	if tx.fence != nil {
		n++
	}
	if n > l.Ops {
		return fmt.Errorf("%d operations and guards, %d are permitted: %w", n, l.Ops, ErrTooLarge)
	}
	if size := tx.Size(); size > l.Bytes {
		return fmt.Errorf("%d bytes, %d are permitted: %w", size, l.Bytes, ErrTooLarge)
	}
	return nil
}

// Fence returns the transaction's fence, nil for none. Implementations of Store read it.
func (t *Tx) Fence() *Fence { return t.fence }

// Guards returns the transaction's conditions. Implementations of Store read them.
func (t *Tx) Guards() []Guard { return t.guards }

// Ops returns the transaction's changes. Implementations of Store read them.
func (t *Tx) Ops() []Op { return t.ops }

// Size returns the number of bytes of the transaction: keys and values of guards and operations.
func (t *Tx) Size() int {
	n := 0
	if t.fence != nil {
		n += len(t.fence.Key)
	}
	for _, g := range t.guards {
		n += len(g.Key)
	}
	for _, o := range t.ops {
		n += len(o.Key) + len(o.Value)
	}
	return n
}

// String prints the transaction as a script, one condition or change a line, for logs and tests.
func (t *Tx) String() string {
	s := ""
	if t.fence != nil {
		s += fmt.Sprintf("fence %s created@%d\n", t.fence.Key, t.fence.Created)
	}
	for _, g := range t.guards {
		s += fmt.Sprintf("require %s @%d\n", g.Key, g.Revision)
	}
	for _, o := range t.ops {
		if o.Delete {
			s += "delete " + o.Key + "\n"
		} else {
			s += fmt.Sprintf("put %s %s\n", o.Key, o.Value)
		}
	}
	return s
}

// Package store is the one place where the cluster's state lives: a small ordered key-value store with transactions,
// watches and leases, behind one interface with several implementations (etcd, Consul, embedded, memory).
// storetest is the conformance suite that all of them pass.
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

// Errors that callers decide on. Implementations wrap them with the key or the endpoint concerned.
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

	// Commit applies tx whole or not at all and returns the revision of its changes (of the store, if it had none).
	// ErrConflict: a guard did not hold. ErrFenced: the fence did not hold (told before ErrConflict when both apply).
	// ErrTooLarge: see Limits. ErrLeaseLost: a lease that it puts under has ended.
	// A put of the value that a key has already may leave its revision as it is.
	// ErrNoSpace: the store takes nothing that needs space. It may have carried out the transaction in which it found that out;
	// that is decided by then, so a read tells. Deletions, reads, watches and leases that there are go on.
	// After ErrUnavailable or a context error the outcome is unknown: the caller must read again before it decides.
	Commit(ctx context.Context, tx *Tx) (Revision, error)

	// Watch yields levels, not edges: first one Update with Full set and everything under prefix, then changes, which
	// may be merged. It ends when ctx ends or the caller stops iterating; a store that is away yields (Update{}, err) with
	// ErrUnavailable once per outage and then goes on: with what has changed meanwhile - nothing, too, says that the store
	// is back - if it can prove that its history is the one of before. Else, and when the history is not kept for so long
	// (compaction), the next Update has Full set again.
	Watch(ctx context.Context, prefix string) iter.Seq2[Update, error]

	// Grant makes a lease: keys put with it vanish when it is not kept alive for ttl. Stores may round ttl up. ErrNoSpace: as of Commit.
	Grant(ctx context.Context, ttl time.Duration) (Lease, error)

	// Limits are what one transaction may hold.
	Limits() Limits

	// String names the store for logs: kind and endpoints, without credentials.
	String() string

	// Close releases connections. Watches end; later calls return ErrClosed.
	Close() error
}

// Lease is a promise to stay alive. A key that was put under a lease is put again under a lease only, or deleted first:
// stores differ in what a plain put does to the lease of a key.
type Lease interface {
	ID() string
	TTL() time.Duration // as granted
	// KeepAlive refreshes the lease until ctx ends (nil) or the lease is lost (ErrLeaseLost, wrapped): the store says so,
	// or could not be reached for as long as the lease lives. It rides out shorter outages.
	KeepAlive(ctx context.Context) error
	// Revoke ends the lease and deletes its keys at once.
	Revoke(ctx context.Context) error
}

// Limits of one transaction.
type Limits struct {
	Ops   int // operations and guards together
	Bytes int // keys and values together
}

// Update is one step of a watch. With Full set, Items is everything under the prefix at Revision and Gone is empty.
// Otherwise Items are the created or changed items and Gone the deleted keys since the last update; there may be none.
//
// Revision is the store revision up to which the receiver now knows everything: what bears a lower one and comes later, by any
// other way, is older than what is known, be its key known or not. It never goes back, but for one case: with Full set, a
// Revision below that of an update before says that the store was made again - its data was wiped, or an older backup restored -
// and that revisions begin again. A store can be made again with revisions that go on, too, so with Full set the Items
// replace all that was told before, whatever their revisions and values were.
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
	Lease  Lease // put under this lease; nil for ever
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

// Fence is the transaction's fence, nil for none. Implementations of Store read it.
func (t *Tx) Fence() *Fence { return t.fence }

// Guards are the transaction's conditions. Implementations of Store read them.
func (t *Tx) Guards() []Guard { return t.guards }

// Ops are the transaction's changes. Implementations of Store read them.
func (t *Tx) Ops() []Op { return t.ops }

// Size is the number of bytes that the transaction carries: keys and values of guards and operations.
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

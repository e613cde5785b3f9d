package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Feed keeps a catalog up to date with a store. It is a task.Task.
type Feed struct {
	catalog *Catalog
	db      store.Store
	log     *slog.Logger
	ready   chan struct{}
	once    sync.Once
	away    atomic.Pointer[string] // why the store does not answer; nil while it does
}

// ErrAnew says that the store was made anew: what the catalog knows is of the one before.
var ErrAnew = errors.New("the store was made anew")

// NewFeed makes a Feed.
func NewFeed(c *Catalog, db store.Store, log *slog.Logger) *Feed {
	return &Feed{catalog: c, db: db, log: log, ready: make(chan struct{})}
}

// Run watches until ctx ends, or the store is made anew (ErrAnew); then subscriptions end too. A store that is away is logged once an outage.
func (f *Feed) Run(ctx context.Context) error {
	var last store.Revision
	for u, err := range f.db.Watch(ctx, record.Root) {
		if err != nil {
			if errors.Is(err, store.ErrClosed) {
				return err
			}
			why := fmt.Sprintf("the store %s: %v", f.db, err)
			if f.away.Swap(&why) == nil {
				f.log.Warn("lost the store; what is known stays", "store", f.db.String(), "err", err)
			}
			continue
		}
		if f.away.Swap(nil) != nil {
			f.log.Info("the store is back", "store", f.db.String(), "revision", u.Revision)
		}
		if u.Full && u.Revision < last {
			close(f.catalog.over)
			return fmt.Errorf("%w: its revision was %d and is %d", ErrAnew, last, u.Revision)
		}
		last = u.Revision
		f.catalog.Apply(u, f.log)
		f.once.Do(func() { close(f.ready) })
	}
	return nil
}

// Away says why the store does not answer; "" while it does.
func (f *Feed) Away() string {
	if why := f.away.Load(); why != nil {
		return *why
	}
	return ""
}

// Ready is closed after the first full list.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

// String names the task.
func (f *Feed) String() string { return "the content of the store" }

// Load reads the whole store into the catalog, for a leader that begins. What was doubted is made anew.
func (c *Catalog) Load(ctx context.Context, db store.Store, log *slog.Logger) error {
	items, rev, err := db.List(ctx, record.Root)
	if err != nil {
		return err
	}
	c.Apply(store.Update{Full: true, Items: items, Revision: rev}, log)
	c.settle(log)
	return nil
}

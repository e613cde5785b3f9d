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
	"github.com/contiv/contiv/daemon/store/mirror"
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

// NewFeed makes a Feed.
func NewFeed(c *Catalog, db store.Store, log *slog.Logger) *Feed {
	return &Feed{catalog: c, db: db, log: log, ready: make(chan struct{})}
}

// Run watches until ctx ends, or the store is made again (mirror.ErrReset); then subscriptions end too. A store that is away is logged once an outage.
func (f *Feed) Run(ctx context.Context) error {
	for {
		if done, err := f.follow(ctx); done || err != nil {
			return err
		}
	}
}

// follow takes in one watch. It ends with done unset when a list of the watch is older than what the catalog has come to know by
// Load meanwhile: it may have been made before, or of another store; the next list tells.
func (f *Feed) follow(ctx context.Context) (done bool, _ error) {
	f.catalog.watching()
	for u, err := range f.db.Watch(ctx, record.Root) {
		if err != nil {
			if errors.Is(err, store.ErrClosed) {
				return true, err
			}
			why := fmt.Sprintf("the store %s: %v", f.db, err)
			if f.away.Swap(&why) == nil {
				f.log.Warn("lost the store; what is known stays", "store", f.db.String(), "error", err)
			}
			continue
		}
		if f.away.Swap(nil) != nil {
			f.log.Info("the store is back", "store", f.db.String(), "revision", u.Revision)
		}
		switch err := f.catalog.Apply(u, f.log); {
		case errors.Is(err, mirror.ErrReset):
			close(f.catalog.reset)
			return true, err
		case err != nil:
			return false, nil
		}
		f.once.Do(func() { close(f.ready) })
	}
	return true, nil
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

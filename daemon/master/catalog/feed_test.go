// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// deaf is a store whose watches continue, while no read is answered: a member that hears its leader's heartbeats and gets no changes.
type deaf struct {
	store.Store
	silent atomic.Bool
}

func (d *deaf) Read(ctx context.Context, key string) (store.Item, error) {
	if d.silent.Load() {
		<-ctx.Done()
		return store.Item{}, fmt.Errorf("read %s: %w: %w", key, store.ErrUnavailable, ctx.Err())
	}
	return d.Store.Read(ctx, key)
}

// The state may be old if the store has not confirmed it for five seconds, until it confirms it again.
func TestUnconfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &deaf{Store: memory.New()}
		log := slog.New(slog.DiscardHandler)
		f := catalog.NewFeed(catalog.New(), db, log)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- f.Run(ctx) }()
		<-f.Ready()
		time.Sleep(time.Minute)
		if why := f.Away(); why != "" {
			t.Errorf("the store confirms: got %q", why)
		}
		db.silent.Store(true)
		time.Sleep(4 * time.Second)
		if why := f.Away(); why != "" {
			t.Errorf("after four seconds: got %q", why)
		}
		time.Sleep(3 * time.Second)
		if why := f.Away(); !strings.Contains(why, "has confirmed nothing since") {
			t.Errorf("after seven seconds: want that, got %q", why)
		}
		db.silent.Store(false)
		time.Sleep(5 * time.Second)
		if why := f.Away(); why != "" {
			t.Errorf("the store confirms again: got %q", why)
		}
		cancel()
		<-done
	})
}

// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// counted counts the lists of a store.
type counted struct {
	*memory.Store
	lists int
}

func (c *counted) List(ctx context.Context, prefix string) ([]store.Item, store.Revision, error) {
	c.lists++
	return c.Store.List(ctx, prefix)
}

// A new leader has the last writes of its predecessor: from its watch, or from a list if the watch is late.
func TestCatchUp(t *testing.T) {
	tests := []struct {
		name  string
		told  time.Duration // after which the watch reports; 0: it has reported before
		lists int
		took  time.Duration
	}{
		{"the watch has reported", 0, 0, 0},
		{"the watch reports", time.Second, 0, time.Second},
		{"the watch is late", time.Minute, 1, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, db := catalog.New(), &counted{Store: memory.New()}
				var tx store.Tx
				tx.Put(record.Tenants+"t", []byte(`{"id":"t"}`))
				rev, err := db.Commit(t.Context(), &tx)
				if err != nil {
					t.Fatal(err)
				}
				items, _, _ := db.Store.List(t.Context(), record.Root)
				told := store.Update{Full: true, Items: items, Revision: rev}
				// The leader knows one of its own commits already, which is newer.
				c.Committed(nil, []store.Op{{Key: record.Landmark, Value: []byte(`{}`)}}, rev+1, quiet)
				if tt.told == 0 {
					_ = c.Apply(told, quiet)
				} else {
					go func() { time.Sleep(tt.told); _ = c.Apply(told, quiet) }()
				}
				start := time.Now()
				if err := c.CatchUp(t.Context(), rev, 2*time.Second, db, quiet); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != tt.took || db.lists != tt.lists {
					t.Errorf("want %d lists after %s, got %d after %s", tt.lists, tt.took, db.lists, took)
				}
				c.View(func(v *catalog.View) {
					if v.Tenant("t") == nil {
						t.Error("what the predecessor wrote is not known")
					}
				})
				time.Sleep(time.Hour)
			})
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := catalog.New().CatchUp(ctx, 1, time.Hour, memory.New(), quiet); !errors.Is(err, context.Canceled) {
		t.Errorf("want %v, got %v", context.Canceled, err)
	}
}

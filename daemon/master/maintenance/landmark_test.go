// SPDX-License-Identifier: Apache-2.0

package maintenance_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A landmark is written at first and while other things change, a new one each time, and none in a cluster at rest.
func TestLandmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		db, known := memory.New(), catalog.New()
		put := func(key string) store.Revision {
			t.Helper()
			var tx store.Tx
			tx.Put(key, []byte(`{}`))
			rev, err := db.Commit(t.Context(), &tx)
			if err != nil {
				t.Fatal(err)
			}
			return rev
		}
		lock := put(record.LeaderKey)
		ctx, cancel := context.WithCancel(t.Context())
		c := commit.New(db, known, history.Keep{}, log)
		feed := catalog.NewFeed(known, db, log)
		done := make(chan error, 2)
		go func() { done <- feed.Run(ctx) }()
		go func() {
			done <- c.RunFrom(ctx, store.Fence{Key: record.LeaderKey, Created: lock}, func(*commit.Tx) error { return nil }, maintenance.NewLandmarks(c, known, log).Run)
		}()
		read := func() (string, store.Revision) {
			synctest.Wait()
			it, err := db.Read(t.Context(), record.Landmark)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			return string(it.Value), it.Revision
		}
		begin, _ := read()
		if begin == "" {
			t.Error("want one at the beginning, where there was none")
		}
		time.Sleep(5 * maintenance.LandmarkInterval)
		first, rev := read()
		if again, at := read(); again != first || at != rev {
			t.Errorf("nothing has changed: want %s at %d, got %s at %d", first, rev, again, at)
		}
		changed := put("/contiv.io/elsewhere")
		time.Sleep(maintenance.LandmarkInterval)
		if second, at := read(); second == first || at <= changed {
			t.Errorf("something has changed at %d: want another landmark than %s, got %s at %d", changed, first, second, at)
		}
		cancel()
		<-done
		<-done
	})
}

// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A leader's own first requests continue until there is nothing to do, as many in a transaction as it has room for; those of others begin
// after them.
func TestFirstRequests(t *testing.T) {
	const keys = 300
	ctx, cancel := context.WithCancel(t.Context())
	db, lock := memory.New(), &store.Tx{}
	lock.Put(record.LeaderKey, []byte("me"))
	rev, err := db.Commit(ctx, lock)
	if err != nil {
		t.Fatal(err)
	}
	c := New(db, catalog.New(), history.Keep{}, slog.New(slog.DiscardHandler))
	left, calls, begun, ended := keys, 0, -1, make(chan error, 1)
	go func() {
		ended <- c.RunFrom(ctx, store.Fence{Key: record.LeaderKey, Created: rev}, func(tx *Tx) error {
			for calls++; left > 0 && tx.Room() > 0; left-- {
				if err := tx.Put(fmt.Sprint("/contiv.io/x/", left), left); err != nil {
					return err
				}
			}
			return nil
		}, func(context.Context) { begun = left; cancel() })
	}()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	items, _, err := db.List(t.Context(), "/contiv.io/x/")
	room := db.Limits().Ops * 3 / 4
	if err != nil || len(items) != keys || begun != 0 || calls != (keys+room-1)/room+1 {
		t.Errorf("want %d keys before others begin, got %d in %d calls with %d left, %v", keys, len(items), calls, begun, err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A store that has used up its quota ends no term: changes are refused with a remedy, a change that the store carried out nevertheless is
// recognized, and once there is space, changes are accepted again.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, lock := memory.New(), &store.Tx{}
		lock.Put(record.LeaderKey, []byte("me"))
		rev, err := db.Commit(t.Context(), lock)
		if err != nil {
			t.Fatal(err)
		}
		var told bytes.Buffer
		c := New(db, catalog.New(), history.Keep{}, slog.New(slog.NewTextHandler(&told, nil)))
		db.Fill(0)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- c.RunFrom(ctx, store.Fence{Key: record.LeaderKey, Created: rev}, func(tx *Tx) error {
				if tx.Value("/contiv.io/x/first") != nil {
					return nil
				}
				return put("first")(tx)
			})
		}()
		synctest.Wait()
		if !c.Starved() {
			t.Fatal("what comes first does not wait for space")
		}
		db.Drain()
		time.Sleep(2 * fullPause)
		if !c.Active() || c.Full() {
			t.Fatal("what comes first was not made once there was space")
		}

		db.Fill(1)
		for _, tt := range []struct {
			key    string
			stored bool // though the store says that it is full
		}{{"a", true}, {"b", false}, {"c", false}} {
			rev, err := c.Do(t.Context(), put(tt.key))
			it, _ := db.Read(t.Context(), "/contiv.io/x/"+tt.key)
			var refusal *model.Error
			switch {
			case tt.stored && (err != nil || rev == 0 || rev != it.Revision):
				t.Errorf("%s is stored at %d: got %d, %v", tt.key, it.Revision, rev, err)
			case !tt.stored && (!errors.As(err, &refusal) || refusal.Code != model.CodeNoSpace || !errors.Is(err, store.ErrNoSpace) || it.Key != ""):
				t.Errorf("%s: want %s, got %v", tt.key, model.CodeNoSpace, err)
			}
		}
		if !c.Active() || !c.Full() {
			t.Error("the term ended, or the store does not count as full")
		}
		db.Drain()
		if _, err := c.Do(t.Context(), put("b")); err != nil || c.Full() {
			t.Errorf("with space again: %v", err)
		}
		if n := strings.Count(told.String(), "transaction was not committed"); n != 2 {
			t.Errorf("want each of two outages logged once, got\n%s", &told)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

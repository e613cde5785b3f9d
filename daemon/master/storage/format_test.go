// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/skew"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A netmaster waits, and writes nothing, while the store has records of a later format, and continues when it has those that the build knows.
func TestResolve_LaterFormat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memory.New()
		defer func() { _ = db.Close() }()
		put := func(format int) {
			var tx store.Tx
			tx.Put(record.FormatKey, []byte(fmt.Sprintf(`{"format":%d}`, format)))
			if _, err := db.Commit(t.Context(), &tx); err != nil {
				t.Fatal(err)
			}
		}
		put(skew.Records.Newest + 1)
		w := opener(embedded.Config{}, incarnation.File(t.TempDir()+"/cluster"))
		done := make(chan error, 1)
		go func() {
			_, err := w.Resolve(t.Context(), db)
			done <- err
		}()
		synctest.Wait()
		if got := w.what(); !strings.Contains(got, fmt.Sprintf("format %d, this netmaster knows", skew.Records.Newest+1)) {
			t.Errorf("want it to wait with the formats, got %q", got)
		}
		if _, err := db.Read(t.Context(), record.IncarnationKey); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("want nothing written meanwhile, got %v", err)
		}
		select {
		case err := <-done:
			t.Fatalf("want it to wait, got %v", err)
		default:
		}
		put(skew.Records.Newest)
		if err := <-done; err != nil {
			t.Errorf("with records that it knows: got %v", err)
		}
	})
}

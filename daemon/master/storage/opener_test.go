// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/daemon/storeconfig"
)

// waits is an Opener and what it reports that it waits for.
type waits struct {
	*Opener
	text atomic.Value
}

func opener(e embedded.Config, file incarnation.File) *waits {
	w := &waits{}
	w.text.Store("")
	report := func(what string) { w.text.Store(what) }
	w.Opener = NewOpener(Settings{Embedded: e, ClusterFile: file}, storeconfig.Config{}, nil, report, slog.New(slog.DiscardHandler))
	return w
}

func (w *waits) what() string { return w.text.Load().(string) }

func known(c string) incarnation.Known {
	return incarnation.Known{Incarnation: record.Incarnation{ID: strings.Repeat(c, 26), Cause: record.CauseInit}}
}

// A netmaster whose directory lacks the store that the host had starts no other store: it reports the remedy, and continues when the directory is there.
func TestAwaitMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := opener(embedded.Config{Dir: filepath.Join(dir, "store")}, incarnation.File(filepath.Join(dir, "cluster")))
		if err := w.awaitMember(t.Context()); err != nil {
			t.Fatalf("a host that knows no store: want it to start, got %v", err)
		}
		if err := w.ClusterFile.Write(known("a")); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- w.awaitMember(t.Context()) }()
		synctest.Wait()
		if got := w.what(); !strings.Contains(got, "mount the file system of "+w.Embedded.Dir) || !strings.Contains(got, "--new-store") {
			t.Errorf("want the remedy, got %q", got)
		}
		select {
		case err := <-done:
			t.Fatalf("want it to wait, got %v", err)
		default:
		}
		if err := os.MkdirAll(filepath.Join(w.Embedded.Dir, "member", "wal"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.Embedded.Dir, "member", "wal", "0000000000000000-0000000000000000.wal"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Errorf("a directory with data: want etcd to judge it, got %v", err)
		}
	})
}

// A netmaster whose store is missing or another cluster's reports the remedy, changes nothing in the store, and continues when its own store is back.
func TestResolveWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opener(embedded.Config{}, incarnation.File(filepath.Join(t.TempDir(), "cluster")))
		if err := w.ClusterFile.Write(known("a")); err != nil {
			t.Fatal(err)
		}
		db := memory.New()
		done := make(chan error, 1)
		go func() {
			got, err := w.Resolve(t.Context(), db)
			if err == nil && got.ID != known("b").ID {
				err = errors.New("another incarnation than the store's: " + got.ID)
			}
			done <- err
		}()
		synctest.Wait()
		if got := w.what(); !strings.Contains(got, "contiv snapshot restore") {
			t.Errorf("want the remedy, got %q", got)
		}
		if _, err := db.Read(t.Context(), record.IncarnationKey); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("want nothing written, got %v", err)
		}
		successor := known("b").Incarnation
		successor.Predecessors, successor.Cause = []string{known("a").ID}, record.CauseRestore
		text, err := json.Marshal(successor)
		if err != nil {
			t.Fatal(err)
		}
		var tx store.Tx
		tx.Put(record.IncarnationKey, text)
		if _, err := db.Commit(t.Context(), &tx); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got, err := w.ClusterFile.Read(); err != nil || got.Stored() != successor.ID || len(got.Predecessors) != 1 {
			t.Errorf("want the host to know the successor, got %+v, %v", got, err)
		}
	})
}

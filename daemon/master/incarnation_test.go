package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// says is what a front answers to everyone.
func says(f *front) string {
	w := httptest.NewRecorder()
	f.api.ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
	return w.Body.String()
}

func known(c string) incarnation.Known {
	return incarnation.Known{Incarnation: record.Incarnation{ID: strings.Repeat(c, 26), Cause: record.CauseInit}}
}

// A netmaster whose folder lacks the store that the host had does not begin another: it says what to do, and continues when the folder is there.
func TestAwaitMember(t *testing.T) {
	dir := t.TempDir()
	c := config{ClusterFile: incarnation.File(filepath.Join(dir, "cluster"))}
	c.Store.Embedded, c.Embedded.Dir = true, filepath.Join(dir, "store")
	f := newFront()
	f.waits("the start")
	if err := c.awaitMember(t.Context(), f, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatalf("a host that knows no store: want it to start, got %v", err)
	}
	if err := c.ClusterFile.Write(known("a")); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.awaitMember(t.Context(), f, slog.New(slog.DiscardHandler)) }()
	until(t, "it says what to do", func() bool {
		return strings.Contains(says(f), "mount the file system of "+c.Embedded.Dir) && strings.Contains(says(f), "--new-store")
	})
	select {
	case err := <-done:
		t.Fatalf("want it to wait, got %v", err)
	default:
	}
	if err := os.MkdirAll(filepath.Join(c.Embedded.Dir, "member", "wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Embedded.Dir, "member", "wal", "0000000000000000-0000000000000000.wal"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("a folder with data: want etcd to judge it, got %v", err)
	}
}

// A netmaster beside whose store another one, or none, has come says so, changes nothing in it, and continues when the store is back.
func TestSettleWaits(t *testing.T) {
	c := config{ClusterFile: incarnation.File(filepath.Join(t.TempDir(), "cluster"))}
	f := newFront()
	if err := c.ClusterFile.Write(known("a")); err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	done := make(chan error, 1)
	go func() {
		got, err := c.settle(t.Context(), db, f, slog.New(slog.DiscardHandler))
		if err == nil && got.ID != known("b").ID {
			err = errors.New("another incarnation than the store's: " + got.ID)
		}
		done <- err
	}()
	f.waits("the start")
	until(t, "it says what to do", func() bool { return strings.Contains(says(f), "contiv snapshot restore") })
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
	if got, err := c.ClusterFile.Read(); err != nil || got.Stored() != successor.ID || len(got.Predecessors) != 1 {
		t.Errorf("want the host to know the successor, got %+v, %v", got, err)
	}
}

// A store that gets another incarnation beneath a netmaster, without its revisions beginning again, is read again: what was known is of the one before.
func TestIncarnationChanges(t *testing.T) {
	db := memory.New()
	one := start(t, db)
	until(t, "it leads", func() bool { return one.role() == "leader" })
	id := func() string {
		var v model.Version
		if err := one.Raw(context.Background(), "/version", &v); err != nil {
			return err.Error()
		}
		return v.Incarnation
	}
	first := id()
	if len(first) != 26 {
		t.Fatalf("want an incarnation from the first moment, got %q", first)
	}
	next := known("b").Incarnation
	next.Predecessors, next.Cause = []string{first}, record.CauseRestore
	text, err := json.Marshal(next)
	if err != nil {
		t.Fatal(err)
	}
	var tx store.Tx
	tx.Put(record.IncarnationKey, text)
	if _, err := db.Open().Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	until(t, "it has the successor", func() bool { return id() == next.ID && one.role() == "leader" })
}

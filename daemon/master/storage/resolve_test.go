// SPDX-License-Identifier: Apache-2.0

package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func id(c byte) string { return strings.Repeat(string(c), 26) }

// put stores an incarnation; the zero value stores none.
func put(t *testing.T, db store.Store, i record.Incarnation) {
	t.Helper()
	if i.ID == "" {
		return
	}
	text, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	var tx store.Tx
	tx.Put(record.IncarnationKey, text)
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
}

// Netmaster uses or refuses a store according to the incarnation that the host knows and the one in the store. All later netmasters find
// the incarnation that it writes.
func TestResolve(t *testing.T) {
	first := record.NewIncarnation(id('a'), now)
	second := first.Successor(id('b'), record.CauseRestore, now)
	other := record.NewIncarnation(id('x'), now)
	knows := func(i record.Incarnation) incarnation.Known { return incarnation.Known{Incarnation: i} }
	for _, row := range []struct {
		name    string
		known   incarnation.Known
		store   record.Incarnation
		options storage.Decisions
		want    string // id, cause and predecessors; or part of the refusal
	}{
		{"a store and a host of an earlier build", incarnation.Known{}, record.Incarnation{}, storage.Decisions{}, id('n') + " init"},
		{"the first start after contiv init", incarnation.Known{Incarnation: first, Pending: true}, record.Incarnation{}, storage.Decisions{}, id('a') + " init"},
		{"contiv init with the store of an existing cluster", incarnation.Known{Incarnation: first, Pending: true}, other, storage.Decisions{}, id('x') + " init"},
		{"a host without a record", incarnation.Known{}, other, storage.Decisions{}, id('x') + " init"},
		{"the known one", knows(first), first, storage.Decisions{}, id('a') + " init"},
		{"the known one, and a flag that was left", knows(first), first, storage.Decisions{NewStore: true}, id('a') + " init"},
		{"a successor", knows(first), second, storage.Decisions{}, id('b') + " restore " + id('a')},
		{"a successor, and a flag that was left", knows(first), second, storage.Decisions{NewStore: true}, id('b') + " restore " + id('a')},
		{"one whose other members are lost", knows(first), first, storage.Decisions{Alone: true}, id('n') + " " + string(record.CauseAlone) + " " + id('a')},
		{"one that was restored by other tools", knows(first), first, storage.Decisions{NewStore: true, Restored: true}, id('n') + " restore " + id('a')},
		{"an empty one", knows(first), record.Incarnation{}, storage.Decisions{}, "it is empty, or not this cluster's, whose incarnation is " + id('a')},
		{"an empty one that others are lost of", knows(first), record.Incarnation{}, storage.Decisions{Alone: true}, "start netmaster once with --new-store"},
		{"an empty one that --new-store names", knows(second), record.Incarnation{}, storage.Decisions{NewStore: true}, id('n') + " new-store " + id('b') + " " + id('a')},
		{"one of before", knows(second), first, storage.Decisions{}, "it is older than incarnation " + id('b')},
		{"one of before that --new-store names", knows(second), first, storage.Decisions{NewStore: true}, id('n') + " new-store " + id('b') + " " + id('a')},
		{"another cluster's", knows(first), other, storage.Decisions{}, "got incarnation " + id('x') + ", want " + id('a') + " of this host's cluster"},
		{"another cluster's, which no flag accepts", knows(first), other, storage.Decisions{NewStore: true, Alone: true}, "contiv leave first"},
	} {
		t.Run(row.name, func(t *testing.T) {
			db := memory.New()
			put(t, db, row.store)
			row.options.Now, row.options.Random = func() time.Time { return now }, func() string { return strings.ToUpper(id('n')) }
			got, err := storage.ResolveIncarnation(t.Context(), db, row.known, row.options)
			text := strings.Join(append([]string{got.ID, string(got.Cause)}, got.Predecessors...), " ")
			if err != nil {
				if text = err.Error(); !errors.Is(err, storage.ErrAnother) {
					t.Errorf("want ErrAnother, got %v", err)
				}
			}
			if !strings.Contains(text, row.want) {
				t.Fatalf("want %s, got %s", row.want, text)
			}
			it, err := db.Read(t.Context(), record.IncarnationKey)
			there, _ := record.ParseIncarnation(it.Value)
			want := got
			if strings.Contains(row.want, "incarnation") || strings.Contains(row.want, "--") || strings.Contains(row.want, "contiv") {
				want = row.store
			}
			if err != nil && !errors.Is(err, store.ErrNotFound) || !reflect.DeepEqual(there, want) {
				t.Errorf("the store: want %+v, got %+v, %v", want, there, err)
			}
		})
	}
}

// overtaken is a store into which another netmaster writes between the first read and the first commit.
type overtaken struct {
	store.Store
	first func()
}

func (o *overtaken) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	if o.first != nil {
		o.first()
		o.first = nil
	}
	return o.Store.Commit(ctx, tx)
}

// If several netmasters find a store without an incarnation, one writes it and all get the same.
func TestResolveTogether(t *testing.T) {
	db := memory.New()
	theirs := record.NewIncarnation(id('t'), now)
	o := &overtaken{Store: db, first: func() { put(t, db, theirs) }}
	got, err := storage.ResolveIncarnation(t.Context(), o, incarnation.Known{}, storage.Decisions{Random: func() string { return id('n') }, Now: time.Now})
	if err != nil || got.ID != theirs.ID {
		t.Errorf("want %s, got %s, %v", theirs.ID, got.ID, err)
	}
}

// A store with a malformed incarnation is refused.
func TestResolveUnreadable(t *testing.T) {
	db := memory.New()
	var tx store.Tx
	tx.Put(record.IncarnationKey, []byte(`{"id":"x"}`))
	if _, err := db.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
	_, err := storage.ResolveIncarnation(t.Context(), db, incarnation.Known{}, storage.Decisions{NewStore: true})
	if !errors.Is(err, storage.ErrAnother) || !strings.Contains(err.Error(), "restore the store from a snapshot") {
		t.Errorf("want a refusal with the remedy, got %v", err)
	}
}

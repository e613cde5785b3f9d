// SPDX-License-Identifier: Apache-2.0

package snapshot_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/snapshot"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
)

var quiet = slog.New(slog.DiscardHandler)

func begin(t *testing.T, dir string) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t *testing.T, s store.Store, key, value string) {
	t.Helper()
	var tx store.Tx
	tx.Put(key, []byte(value))
	if _, err := s.Commit(t.Context(), &tx); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s store.Store, key string) string {
	t.Helper()
	item, err := s.Read(t.Context(), key)
	if errors.Is(err, store.ErrNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(item.Value)
}

// identified stores an incarnation in a store and returns it.
func identified(t *testing.T, s store.Store) record.Incarnation {
	t.Helper()
	out := record.NewIncarnation(rand.Text(), time.Now())
	text, err := json.Marshal(&out)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, record.IncarnationKey, string(text))
	return out
}

func save(t *testing.T, s snapshot.Source, dir string) snapshot.Info {
	t.Helper()
	out, err := snapshot.Save(t.Context(), s, dir, snapshot.ByHand, snapshot.Header{Contiv: "test", Host: "h1", Store: snapshot.Embedded, Authority: "aa:bb"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A lost store is restored from its snapshot as the successor of the saved store: with later revisions than that ever had, and without
// writes after the snapshot.
func TestSaveAndRestore(t *testing.T) {
	dir, backups := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "snapshots")
	s := begin(t, dir)
	was := identified(t, s)
	put(t, s, "/a", "1")
	saved := save(t, s, backups)
	put(t, s, "/a", "2")
	put(t, s, "/b", "later")
	if info, err := os.Stat(saved.Path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != saved.Size {
		t.Errorf("want a file that only its owner can read, got %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(backups, ".*")); len(left) > 0 {
		t.Errorf("want no other file, got %v", left)
	}
	if saved.Incarnation == nil || saved.Incarnation.ID != was.ID || saved.Revision == 0 || saved.Keys != 2 || saved.Authority != "aa:bb" {
		t.Errorf("want the incarnation %s, a revision and 2 keys, got %+v", was.ID, saved.Header)
	}
	if got, err := snapshot.Verify(saved.Path); err != nil || !reflect.DeepEqual(got, saved) {
		t.Errorf("verify: want %+v, got %+v, %v", saved, got, err)
	}
	to := embedded.Config{Dir: dir, Name: "h1", PeerURL: "http://192.0.2.7:2380"}
	if _, err := snapshot.Restore(t.Context(), saved.Path, to, record.Incarnation{}, true); err == nil || !strings.Contains(err.Error(), "in use by a netmaster") {
		t.Errorf("over a running store: want it refused, got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Restore(t.Context(), saved.Path, to, record.Incarnation{}, false); !errors.Is(err, snapshot.ErrHolds) {
		t.Errorf("over a store with data: want ErrHolds, got %v", err)
	}
	to.PeerURL = ""
	out, err := snapshot.Restore(t.Context(), saved.Path, to, record.Incarnation{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out.Aside, "snap", "db")); err != nil {
		t.Errorf("want the previous data moved aside, got %q, %v", out.Aside, err)
	}
	s, err = embedded.Start(t.Context(), embedded.Config{Dir: dir, Name: "h1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if a, b := get(t, s, "/a"), get(t, s, "/b"); a != "1" || b != "" {
		t.Errorf("want the saved values, got %q and %q", a, b)
	}
	now, err := record.ParseIncarnation([]byte(get(t, s, record.IncarnationKey)))
	if err != nil || !reflect.DeepEqual(now, out.Successor) || record.RelationOf(was.ID, &now) != record.Successor || now.Cause != record.CauseRestore {
		t.Errorf("want a successor of %s, got %+v, %v", was.ID, now, err)
	}
	item, err := s.Read(t.Context(), record.IncarnationKey)
	if err != nil || uint64(item.Revision) < saved.Revision+1_000_000 {
		t.Errorf("want revisions beyond all of the lost store, got %d after %d, %v", item.Revision, saved.Revision, err)
	}
	put(t, s, "/c", "3")
	older, err := snapshot.Restore(t.Context(), saved.Path, embedded.Config{Dir: t.TempDir() + "/store", Name: "h1"}, out.Successor, false)
	if err != nil || record.RelationOf(now.ID, &older.Successor) != record.Successor || record.RelationOf(was.ID, &older.Successor) != record.Successor {
		t.Errorf("restored once more, from before: want it to follow what hosts know by now, got %+v, %v", older.Successor, err)
	}
}

// A restore on an empty machine, of a snapshot from a build without incarnations, creates a store without a predecessor. A restore that
// fails changes nothing.
func TestRestoreElsewhere(t *testing.T) {
	s := begin(t, t.TempDir())
	put(t, s, "/a", "1")
	saved := save(t, s, t.TempDir())
	if saved.Incarnation != nil {
		t.Errorf("want no incarnation, got %+v", saved.Incarnation)
	}
	dir := filepath.Join(t.TempDir(), "new", "store")
	out, err := snapshot.Restore(t.Context(), saved.Path, embedded.Config{Dir: dir, Name: "h9"}, record.Incarnation{}, false)
	if err != nil || len(out.Successor.Predecessors) != 0 || out.Successor.ID == "" || out.Aside != "" {
		t.Fatalf("want a store that follows none, got %+v, %v", out, err)
	}
	before := names(t, dir)
	if _, err := snapshot.Restore(t.Context(), saved.Path, embedded.Config{Dir: dir, Name: "h9", PeerURL: "none"}, record.Incarnation{}, true); err == nil {
		t.Error("a member without a URL: want it refused")
	}
	if got := names(t, dir); !slices.Equal(got, before) {
		t.Errorf("a restore that failed: want %v as before, got %v", before, got)
	}
	if got := get(t, begin(t, dir), "/a"); got != "1" {
		t.Errorf("want the saved value, got %q", got)
	}
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		out = append(out, f.Name())
	}
	return out
}

// A file with a flipped bit, an early end or extra bytes is not restored.
func TestDamage(t *testing.T) {
	s := begin(t, t.TempDir())
	put(t, s, "/a", "1")
	saved := save(t, s, t.TempDir())
	whole, err := os.ReadFile(saved.Path)
	if err != nil {
		t.Fatal(err)
	}
	random := mathrand.New(mathrand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "damaged"+snapshot.Suffix)
	refused := func(what string, file []byte) {
		t.Helper()
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := snapshot.Verify(path); !errors.Is(err, snapshot.ErrDamaged) && !errors.Is(err, snapshot.ErrFormat) {
			t.Errorf("%s: want it refused, got %v", what, err)
		}
	}
	for i := range 60 {
		at := random.IntN(len(whole))
		if i%2 == 0 {
			at = random.IntN(1000) // the header, and what comes before it
		}
		file := slices.Clone(whole)
		file[at] ^= 1 << random.IntN(8)
		refused(fmt.Sprintf("a bit of byte %d flipped", at), file)
	}
	for range 20 {
		cut := random.IntN(len(whole))
		refused(fmt.Sprintf("cut off at %d", cut), whole[:cut])
	}
	refused("longer", append(slices.Clone(whole), 0))
	refused("another file", []byte("SQLite format 3\x00"))
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("want nothing left, got %v", left)
	}
}

// The authority's key is part of a snapshot only if requested, and only readable with the passphrase.
func TestKey(t *testing.T) {
	sealed, err := snapshot.SealKey([]byte("CERTIFICATE\n"), []byte("KEY\n"), "correct horse battery")
	if err != nil || strings.Contains(sealed, "KEY\n") {
		t.Fatalf("want it encrypted, got %s, %v", sealed, err)
	}
	h := snapshot.Header{AuthorityKey: sealed}
	if got, err := h.OpenKey("correct horse battery"); err != nil || string(got) != "CERTIFICATE\nKEY\n" {
		t.Errorf("want both, got %q, %v", got, err)
	}
	if got, err := h.OpenKey("incorrect horse battery"); err == nil || got != nil {
		t.Errorf("another passphrase: want an error, got %q", got)
	}
	if _, err := (&snapshot.Header{}).OpenKey("correct horse battery"); !errors.Is(err, snapshot.ErrNoKey) {
		t.Errorf("want ErrNoKey, got %v", err)
	}
	if _, err := snapshot.SealKey(nil, nil, "short"); err == nil {
		t.Error("a short passphrase: want it refused")
	}
}

// flaky is a store whose snapshots may fail.
type flaky struct {
	*embedded.Server
	fails bool
}

func (f *flaky) Snapshot(ctx context.Context) (io.ReadCloser, error) {
	if f.fails {
		return nil, errors.New("it is away")
	}
	return f.Server.Snapshot(ctx)
}

// A Keeper saves when a snapshot is due, keeps the configured number, does not remove those of operators, and reports its status.
func TestKeeper(t *testing.T) {
	s := &flaky{Server: begin(t, t.TempDir())}
	put(t, s, "/a", "1")
	dir := t.TempDir()
	mine := save(t, s, dir)
	k := &snapshot.Saver{Schedule: snapshot.Schedule{Dir: dir, Interval: time.Hour, Keep: 2}, From: s, Log: quiet}
	now := time.Now().Add(-10 * time.Hour)
	k.Of = func() snapshot.Header {
		now = now.Add(time.Hour)
		return snapshot.Header{Store: snapshot.Embedded, Created: now}
	}
	for range 4 {
		if wait := snapshot.SaveNow(t.Context(), k); wait != time.Hour {
			t.Errorf("want the next in an hour, got %v", wait)
		}
	}
	all, unread, err := snapshot.List(dir)
	if err != nil || len(unread) != 0 || len(all) != 3 || all[0].Path != mine.Path || !all[1].Created.Equal(now.Truncate(time.Second)) {
		t.Errorf("want the newest two, and mine, got %v, %v, %v", all, unread, err)
	}
	if got := k.Status(); !got.Old || got.Last == "" || got.Error != "" {
		t.Errorf("want the last to be old, got %+v", got)
	}
	s.fails = true
	for i, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		if wait := snapshot.SaveNow(t.Context(), k); wait != want {
			t.Errorf("after %d failures: want a retry in %v, got %v", i+1, want, wait)
		}
	}
	if got := k.Status(); !strings.Contains(got.Error, "it is away") || k.Failures() != 8 {
		t.Errorf("want the failure reported, got %+v", got)
	}
	s.fails, k.Room = false, func(string) (uint64, error) { return 1 << 20, nil }
	snapshot.SaveNow(t.Context(), k)
	if got := k.Status(); !strings.Contains(got.Error, "room in") {
		t.Errorf("a full file system: want that reported, got %+v", got)
	}
	k.Room, now = nil, time.Now().Add(-time.Hour)
	snapshot.SaveNow(t.Context(), k)
	if got := k.Status(); got.Old || got.Error != "" {
		t.Errorf("want all well, got %+v", got)
	}
}

// copied is a store that returns the same snapshot each time, and records the time.
type copied struct {
	body []byte
	at   []time.Time
}

func (c *copied) Snapshot(context.Context) (io.ReadCloser, error) {
	c.at = append(c.at, time.Now())
	return io.NopCloser(bytes.NewReader(c.body)), nil
}

func (c *copied) Read(context.Context, string) (store.Item, error) {
	return store.Item{}, store.ErrNotFound
}

// A netmaster that starts without a snapshot saves one within a minute, and then one each interval. If there is one, it waits until the next
// is due, and at most an interval even if the clock was ahead before.
func TestSchedule(t *testing.T) {
	s := begin(t, t.TempDir())
	put(t, s, "/a", "1")
	in, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(in)
	_ = in.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		last time.Duration // before the start that there is one; 0: there is none
		want []time.Duration
	}{
		{"there is none", 0, []time.Duration{time.Minute, 61 * time.Minute, 121 * time.Minute}},
		{"one of twenty minutes ago", 20 * time.Minute, []time.Duration{40 * time.Minute, 100 * time.Minute}},
		{"one that is old", 100 * time.Hour, []time.Duration{time.Minute, 61 * time.Minute, 121 * time.Minute}},
		{"one of the future", -100 * time.Hour, []time.Duration{time.Hour, 2 * time.Hour}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				from, began := &copied{body: body}, time.Now()
				if row.last != 0 {
					h := snapshot.Header{Store: snapshot.Embedded, Created: began.Add(-row.last)}
					if _, err := snapshot.Save(t.Context(), from, dir, snapshot.Scheduled, h); err != nil {
						t.Fatal(err)
					}
					from.at = nil
				}
				k := &snapshot.Saver{Schedule: snapshot.Schedule{Dir: dir, Interval: time.Hour, Keep: 5}, From: from, Of: func() snapshot.Header { return snapshot.Header{Store: snapshot.Embedded} }, Log: quiet}
				ctx, cancel := context.WithTimeout(t.Context(), 121*time.Minute+time.Second)
				defer cancel()
				if err := k.Run(ctx); err != nil {
					t.Fatal(err)
				}
				var got []time.Duration
				for _, at := range from.at {
					got = append(got, at.Sub(began).Round(time.Second))
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("want one saved after %v, got %v", row.want, got)
				}
			})
		})
	}
}

// A file that is not a snapshot is refused with an error, without a panic and without more memory than the file's size; an accepted header
// has a known format.
func FuzzHeader(f *testing.F) {
	f.Add([]byte("contiv snapshot\n\x00\x00\x00\x02{}"))
	f.Add([]byte("contiv snapshot\n\xff\xff\xff\xff"))
	h := snapshot.Header{Format: 1, Store: snapshot.Embedded, SHA256: strings.Repeat("a", 64)}
	if text, err := snapshot.HeaderText(&h); err == nil {
		f.Add(text)
		f.Add(text[:len(text)-1])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := snapshot.ReadHeader(bytes.NewReader(file))
		switch {
		case err != nil && !errors.Is(err, snapshot.ErrFormat) && !errors.Is(err, snapshot.ErrDamaged):
			t.Fatalf("want it refused as damaged or another format, got %v", err)
		case err == nil && (h.Format != 1 || h.Store == "" || len(h.SHA256) != 64):
			t.Fatalf("want a header of ours, got %+v", h)
		}
	})
}

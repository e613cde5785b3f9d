// SPDX-License-Identifier: Apache-2.0

package etcd_test

import (
	"context"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// A watch continues after an outage exactly if the store has the same history; in any case it ends with the contents of the store.
func TestHistory(t *testing.T) {
	put := func(tb testing.TB, s store.Store, pairs ...string) {
		tb.Helper()
		for _, pair := range pairs {
			key, value, ok := strings.Cut(pair, "=")
			var tx store.Tx
			if ok {
				tx.Put(key, []byte(value))
			} else {
				tx.Delete(key)
			}
			if _, err := s.Commit(tb.Context(), &tx); err != nil {
				tb.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		seen  []string                         // changes after the backup, seen by the watch
		other []string                         // changes outside its prefix
		data  func(backups, *testing.T) string // the directory with which the store restarts
		then  []string                         // changes meanwhile
		fulls int
	}{
		{"the same store", []string{"w/x=1"}, nil, backups.same, []string{"w/y=1", "w/a"}, 1},
		{"the same store, where nothing happened", nil, nil, backups.same, nil, 1},
		{"the same store, all that was seen has changed", []string{"w/x=1"}, nil, backups.same, []string{"w/a=7", "w/b=7", "w/c=7", "w/x", "w/x=1"}, 1},
		{"the same store, whose newest changes are deletions", []string{"w/a", "w/b"}, nil, backups.same, []string{"w/b=9"}, 1},
		{"wiped", []string{"w/x=1"}, nil, backups.none, []string{"w/x=1"}, 2},
		{"wiped and filled again, one value apart", []string{"w/x=1"}, nil, backups.none, []string{"w/a=1", "w/b=1", "w/c=2", "w/x=1", "w/y=1"}, 2},
		{"wiped and filled again, with as many deletions", []string{"w/a", "w/b", "w/c"}, nil, backups.none,
			[]string{"o/a=1", "o/b=1", "o/c=1", "o/d=1", "o/a", "o/b", "o/c", "o/e=1", "w/y=1"}, 2},
		{"a backup", []string{"w/x=1", "w/y=1"}, nil, backups.old, nil, 2},
		{"a backup that grew as far, to the same newest change", []string{"w/x=1", "w/y=1"}, nil, backups.old, []string{"w/x=2", "w/y=1"}, 2},
		{"a backup that grew farther", []string{"w/x=1", "w/y=1"}, nil, backups.old, []string{"w/x=2", "w/y=1", "w/z=1"}, 2},
		{"a backup without a change that is not of the watch", nil, []string{"o/x=1", "o/y=1", "o/z=1"}, backups.old, []string{"w/z=1", "o/y=1", "o/z=1", "o/zz=1"}, 2},
		{"a backup with raised revisions", []string{"w/x=1", "w/a"}, nil, backups.bumped, nil, 2},
		{"... that grew", []string{"w/x=1", "w/a"}, nil, backups.bumped, []string{"w/z=1"}, 2},
		{"a backup with raised revisions, marked as compacted", []string{"w/x=1", "w/a"}, nil, backups.compacted, nil, 2},
		{"... that holds all that was seen", nil, nil, backups.compacted, []string{"w/z=1"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := embedded.Config{Dir: t.TempDir()}
			server := serve(t, c)
			c.ClientURL = server.ClientURL()
			put(t, server, "w/a=1", "w/b=1", "w/c=1")
			if err := server.Close(); err != nil {
				t.Fatal(err)
			}
			b := backups{now: c.Dir, before: t.TempDir()}
			if err := os.CopyFS(b.before, os.DirFS(c.Dir)); err != nil {
				t.Fatal(err)
			}
			server = serve(t, c)
			put(t, server, tt.other...)
			proxy := storetest.NewProxy(t, strings.TrimPrefix(c.ClientURL, "http://"))
			client := open(t, "http://"+proxy.Address())
			t.Cleanup(func() { _ = client.Close() })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p := follow(t, client.Watch(ctx, "w/"))
			p.step()
			put(t, server, tt.seen...)
			p.until(contents(t, server))
			proxy.Cut()
			for p.away == 0 {
				p.step()
			}
			if err := server.Close(); err != nil {
				t.Fatal(err)
			}
			c.Dir = tt.data(b, t)
			server = serve(t, c)
			put(t, server, tt.then...)
			proxy.Mend(t)
			p.step() // the store is back, with or without a change
			want := contents(t, server)
			p.until(want)
			if p.fulls != tt.fulls {
				t.Errorf("want %d full updates, got %d", tt.fulls, p.fulls)
			}
			put(t, server, "w/last=1")
			want["w/last"] = "1"
			p.until(want)
		})
	}
}

// backups are data with which a store can be restarted.
type backups struct{ now, before string }

func (b backups) same(*testing.T) string   { return b.now }
func (b backups) old(*testing.T) string    { return b.before }
func (b backups) none(t *testing.T) string { return t.TempDir() }
func (b backups) bumped(t *testing.T) string {
	raise(t, b.before, false)
	return b.before
}
func (b backups) compacted(t *testing.T) string {
	raise(t, b.before, true)
	return b.before
}

// raise does what etcdutl snapshot restore --bump-revision and --mark-compacted do to the data of a store.
func raise(t *testing.T, dir string, compacted bool) {
	t.Helper()
	const by = 1000
	db := backend.NewDefaultBackend(zap.NewNop(), filepath.Join(dir, "member", "snap", "db"))
	defer db.Close()
	tx := db.BatchTx()
	tx.LockInsideApply()
	defer tx.Unlock()
	var latest mvcc.Revision
	err := tx.UnsafeForEach(schema.Key, func(k, _ []byte) error {
		latest = mvcc.BytesToRev(k)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	latest = mvcc.Revision{Main: latest.Main + by}
	tx.UnsafePut(schema.Key, mvcc.RevToBytes(latest, mvcc.NewRevBytes()), []byte{})
	if compacted {
		mvcc.UnsafeSetScheduledCompact(tx, latest.Main)
	}
}

// pupil has the state that a watch has sent.
type pupil struct {
	testing.TB
	next        func() (store.Update, error, bool)
	knows       map[string]string
	rev         store.Revision
	fulls, away int
}

func follow(tb testing.TB, watch func(func(store.Update, error) bool)) *pupil {
	next, stop := iter.Pull2(iter.Seq2[store.Update, error](watch))
	tb.Cleanup(stop)
	return &pupil{TB: tb, next: next, knows: map[string]string{}}
}

func (p *pupil) step() {
	p.Helper()
	u, err, ok := p.next()
	switch {
	case !ok:
		p.Fatalf("the watch ended; it reported %v", p.knows)
	case err != nil:
		p.away++
		return
	case u.Full:
		p.fulls++
		clear(p.knows)
	case u.Revision < p.rev:
		p.Errorf("the revision goes back from %d to %d", p.rev, u.Revision)
	}
	p.rev = u.Revision
	for _, i := range u.Items {
		p.knows[i.Key] = string(i.Value)
	}
	for _, key := range u.Gone {
		delete(p.knows, key)
	}
}

func (p *pupil) until(want map[string]string) {
	p.Helper()
	for !maps.Equal(p.knows, want) {
		p.step()
	}
}

func contents(tb testing.TB, s store.Store) map[string]string {
	tb.Helper()
	items, _, err := s.List(tb.Context(), "w/")
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string]string{}
	for _, i := range items {
		out[i.Key] = string(i.Value)
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package maintenance_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// etcd is a store in memory that reports its state and compacts its history on request.
type etcd struct {
	*memory.Store
	mu        sync.Mutex // guards the rest
	member    store.Member
	forgotten store.Revision
	asked     []store.Revision
	away      bool
}

func (e *etcd) Members(context.Context) ([]store.Member, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.away {
		return nil, store.ErrUnavailable
	}
	return []store.Member{e.member}, nil
}

func (e *etcd) Compact(_ context.Context, rev store.Revision) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, rev)
	if e.away {
		return false, store.ErrUnavailable
	}
	already := rev <= e.forgotten
	e.forgotten = max(e.forgotten, rev)
	return already, nil
}

// with changes the store.
func (e *etcd) with(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

// A writer of log lines, which keeps those since the last call of take. It is safe for concurrent use.
type told struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (w *told) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (w *told) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.out.Reset()
	return w.out.String()
}

// Each change of a member's state is logged once, with the remedy; nothing is logged while the store is down.
func TestSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const quota = 100
		var out told
		db := &etcd{Store: memory.New()}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		space := maintenance.NewSpace(db, slog.New(slog.NewTextHandler(&out, nil)))
		began := false
		for _, tt := range []struct {
			member store.Member
			away   bool
			want   string
		}{
			{store.Member{Bytes: 10, InUse: 5}, false, "quota unknown"},
			{store.Member{Bytes: 10, InUse: 5, Quota: quota}, false, ""},
			{store.Member{Bytes: 90, InUse: 60, Quota: quota}, false, ""},
			{store.Member{Bytes: 95, InUse: 60, Quota: quota}, false, "nearly used up"},
			{store.Member{Bytes: 85, InUse: 80, Quota: quota}, false, ""},
			{store.Member{Bytes: 100, InUse: 90, Quota: quota, Full: true}, false, "accepts no changes"},
			{store.Member{Bytes: 10, InUse: 5, Quota: quota}, true, ""},
			{store.Member{Err: errors.New("no answer")}, false, ""},
			{store.Member{Bytes: 10, InUse: 5, Quota: quota}, false, "has space again"},
			{store.Member{Bytes: 100, InUse: 90, Full: true}, false, "accepts no changes"},
			{store.Member{Bytes: 10, InUse: 5}, false, "has space again"},
		} {
			db.with(func() { db.member, db.away = tt.member, tt.away })
			if !began {
				go space.Run(ctx)
				began = true
			} else {
				time.Sleep(maintenance.Interval)
			}
			synctest.Wait()
			if got := out.take(); tt.want == "" && got != "" || strings.Count(got, "msg=") > 1 || !strings.Contains(got, tt.want) {
				t.Errorf("%+v: want %q logged, got %q", tt.member, tt.want, got)
			}
			if last := space.Members(); !tt.away && (len(last) != 1 || last[0] != tt.member) {
				t.Errorf("%+v: want it known, got %v", tt.member, last)
			}
		}
		cancel()
		synctest.Wait()
	})
}

// The compactor keeps the history of an hour and removes older revisions, unless another client has done so. If the store is down, the
// compactor retries, and logs the outage once.
func TestCompactor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out told
		db := &etcd{Store: memory.New()}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var known atomic.Uint64
		known.Store(100)
		c := maintenance.NewCompactor(db, time.Hour, func() store.Revision { return store.Revision(known.Load()) }, slog.New(slog.NewTextHandler(&out, nil)))
		go c.Run(ctx)
		for _, tt := range []struct {
			others store.Revision // how far another has compacted
			away   bool
			asked  store.Revision
			told   string
		}{
			{0, false, 0, ""}, {0, false, 0, ""}, {0, false, 0, ""}, // a quarter of an hour each
			{0, false, 100, "no other client does"},
			{0, false, 110, ""},
			{0, true, 120, "history failed"},
			{0, true, 130, ""},
			{145, false, 140, ""},
		} {
			synctest.Wait()
			known.Add(10)
			db.with(func() { db.forgotten, db.away, db.asked = max(db.forgotten, tt.others), tt.away, nil })
			time.Sleep(15 * time.Minute)
			synctest.Wait()
			want := []store.Revision{tt.asked}
			if tt.asked == 0 {
				want = nil
			}
			var asked []store.Revision
			db.with(func() { asked = db.asked })
			if got := out.take(); !slices.Equal(asked, want) || tt.told == "" && got != "" || !strings.Contains(got, tt.told) {
				t.Errorf("at %d: want %v compacted and %q logged, got %v and %q", known.Load(), want, tt.told, asked, got)
			}
		}
		cancel()
		synctest.Wait()
		for name, none := range map[string]*maintenance.Compactor{
			"a store that keeps no history": maintenance.NewCompactor(memory.New(), time.Hour, nil, slog.New(slog.DiscardHandler)),
			"disabled":                      maintenance.NewCompactor(db, 0, nil, slog.New(slog.DiscardHandler)),
		} {
			done := make(chan struct{})
			go func() { none.Run(t.Context()); close(done) }()
			synctest.Wait()
			select {
			case <-done:
			default:
				t.Errorf("%s: there is nothing to do", name)
			}
		}
	})
}

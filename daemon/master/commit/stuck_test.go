// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// A request that computes without an end holds up the others for a bounded time: then the term ends, so that another netmaster is to lead,
// and what it has computed in the end is not committed.
func TestStuck(t *testing.T) {
	db := memory.New()
	lock := &store.Tx{}
	lock.Put(record.LeaderKey, []byte("me"))
	rev, err := db.Commit(t.Context(), lock)
	if err != nil {
		t.Fatal(err)
	}
	fence := store.Fence{Key: record.LeaderKey, Created: rev}
	c := New(db, catalog.New(), history.Keep{}, slog.New(slog.DiscardHandler))
	c.stuck = 50 * time.Millisecond
	ended := make(chan error, 1)
	run := func(ctx context.Context) {
		go func() { ended <- c.Run(ctx, fence) }()
		for !c.Active() {
			runtime.Gosched()
		}
	}
	run(t.Context())
	if since, waiting := c.Stalled(); since != 0 || waiting != 0 {
		t.Errorf("nothing is asked: got %v, %d", since, waiting)
	}
	computes, through := make(chan struct{}), make(chan struct{})
	endless := make(chan error, 1)
	go func() {
		_, err := c.Do(context.Background(), func(tx *Tx) error {
			close(computes)
			<-through
			return put("late")(tx)
		})
		endless <- err
	}()
	<-computes
	behind := make(chan error, 1)
	go func() { _, err := c.Do(context.Background(), put("behind")); behind <- err }()
	for since, waiting := c.Stalled(); since == 0 || waiting == 0; since, waiting = c.Stalled() {
		if len(ended) > 0 {
			t.Fatal("the term has ended before anyone was seen to wait")
		}
		runtime.Gosched()
	}
	if err := <-ended; !errors.Is(err, ErrStuck) || c.Active() {
		t.Errorf("want the term to end, got %v", err)
	}
	for _, err := range []error{<-endless, <-behind} {
		if e := (*model.Error)(nil); !errors.As(err, &e) || e.Code != model.CodeUnavailable {
			t.Errorf("want a refusal after which clients ask the next leader, got %v", err)
		}
	}

	ctx, stop := context.WithCancel(t.Context())
	c.stuck = time.Minute
	run(ctx) // as if it led again
	if _, err := c.Do(ctx, put("next")); err != nil {
		t.Errorf("the next term: %v", err)
	}
	close(through)
	if _, err := c.Do(ctx, put("after")); err != nil {
		t.Errorf("after the one of the last term: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := db.Read(t.Context(), "/contiv.io/x/late"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what was computed in an earlier term is not committed, got %v", err)
	}
}

// A dry run waits for no commit and holds none up, sees what is known, and leaves nothing.
func TestTry(t *testing.T) {
	b := start(t, 100)
	first := make(chan error, 1)
	go func() { _, err := b.Do(context.Background(), taking(put("a"))); first <- err }()
	<-b.db.entered // and it stays there
	try := func() (taken int, err error) {
		_, err = b.Try(t.Context(), func(tx *Tx) error {
			taken = tx.Numbers().VRFs.InUse()
			return taking(put("b"))(tx)
		})
		return taken, err
	}
	if n, err := try(); err != nil || n != 0 {
		t.Errorf("while a transaction is on its way: got %d taken, %v", n, err)
	}
	computes, through, tried := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := b.Try(context.Background(), func(*Tx) error {
			close(computes)
			<-through
			return nil
		})
		tried <- err
	}()
	<-computes
	b.db.through <- nil
	if err := <-first; err != nil {
		t.Errorf("a transaction beside a dry run: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Try(ctx, put("x")); err == nil {
		t.Error("one dry run computes at a time")
	}
	close(through)
	if err := <-tried; err != nil {
		t.Error(err)
	}
	if n, err := try(); err != nil || n != 1 || b.taken() != 1 {
		t.Errorf("after the commit: got %d taken for it and %d for all, %v", n, b.taken(), err)
	}
	b.stop()
	<-b.ended
	if _, err := b.Try(t.Context(), put("x")); err == nil {
		t.Error("who does not lead computes nothing")
	}
}

// A request that writes more than a transaction holds is refused as soon as it does.
func TestTooMuch(t *testing.T) {
	b := start(t, 4)
	tried := 0
	_, err := b.Do(t.Context(), func(tx *Tx) error {
		for range 1000 {
			if err := tx.Put("/contiv.io/x/y", tried); err != nil {
				return err
			}
			tried++
		}
		return nil
	})
	if e := (*model.Error)(nil); !errors.As(err, &e) || e.Code != model.CodeTooLarge || tried != 4 {
		t.Errorf("want too-large after 4 operations, got %v after %d", err, tried)
	}
}

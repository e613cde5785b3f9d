// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// queued is a store whose commits wait until the test releases them.
type queued struct {
	*memory.Store
	entered chan int // operations of each commit that arrives
	through chan error
	limits  store.Limits
}

func (h *queued) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	h.entered <- len(tx.Ops())
	var err error
	select {
	case err = <-h.through:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	return h.Store.Commit(ctx, tx)
}

func (h *queued) Limits() store.Limits { return h.limits }

type bench struct {
	*Committer
	db    *queued
	stop  context.CancelFunc
	ended chan error
}

func start(t *testing.T, ops int) *bench {
	t.Helper()
	db := &queued{Store: memory.New(), entered: make(chan int, 100), through: make(chan error, 100), limits: store.Limits{Ops: ops, Bytes: 1 << 20}}
	lock := &store.Tx{}
	lock.Put(record.LeaderKey, []byte("me"))
	rev, err := db.Store.Commit(context.Background(), lock)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Committer: New(db, catalog.New(), history.Keep{}, slog.New(slog.DiscardHandler)), db: db, ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { b.ended <- b.Run(ctx, store.Fence{Key: record.LeaderKey, Created: rev}) }()
	b.stop = cancel
	t.Cleanup(cancel)
	for !b.Active() {
		runtime.Gosched()
	}
	return b
}

func put(keys ...string) func(*Tx) error {
	return func(tx *Tx) error {
		for _, k := range keys {
			if err := tx.Put("/contiv.io/x/"+k, k); err != nil {
				return err
			}
		}
		return nil
	}
}

// many joins n requests and waits until they are queued behind the one in progress.
func (b *bench) many(t *testing.T, fns ...func(*Tx) error) (*sync.WaitGroup, []error) {
	t.Helper()
	errs := make([]error, len(fns))
	var wait sync.WaitGroup
	for i, fn := range fns {
		wait.Go(func() { _, errs[i] = b.Join(context.Background(), fn) })
		for len(b.queue) != i+1 {
			runtime.Gosched()
		}
	}
	return &wait, errs
}

func TestRequestsJoin(t *testing.T) {
	b := start(t, 100)
	first := make(chan error, 1)
	go func() { _, err := b.Do(context.Background(), put("first")); first <- err }()
	<-b.db.entered // it is on its way; what comes now waits
	bad := errors.New("bad")
	wait, errs := b.many(t, put("a"), func(tx *Tx) error {
		_ = taking(put("half"))(tx)
		return bad
	}, put("b"), func(tx *Tx) error {
		if tx.Numbers().VRFs.InUse() != 0 || tx.Value("/contiv.io/x/half") != nil || tx.Value("/contiv.io/x/b") == nil {
			return errors.New("want only the changes of accepted requests visible")
		}
		return nil
	})
	b.db.through <- nil
	if err := <-first; err != nil {
		t.Error(err)
	}
	if n := <-b.db.entered; n != 2 {
		t.Errorf("want one transaction with the 2 good requests, got %d operations", n)
	}
	b.db.through <- nil
	wait.Wait()
	if errs[0] != nil || !errors.Is(errs[1], bad) || errs[2] != nil || errs[3] != nil || b.taken() != 0 {
		t.Errorf("want only the bad request refused, and nothing of it left, got %v, %d taken", errs, b.taken())
	}
	if _, err := b.db.Read(context.Background(), "/contiv.io/x/half"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a refused request must leave nothing, got %v", err)
	}
	if got := b.Stats().Transactions.Load(); got != 2 {
		t.Errorf("want 2 transactions for 4 requests, got %d", got)
	}
}

func TestLimits(t *testing.T) {
	b := start(t, 4) // the fence takes one
	first := make(chan error, 1)
	go func() { _, err := b.Do(context.Background(), put("first")); first <- err }()
	<-b.db.entered
	wait, errs := b.many(t, put("a", "b"), put("c", "d"), put("1", "2", "3", "4"), put("e"))
	for range 4 {
		b.db.through <- nil
	}
	wait.Wait()
	if errs[0] != nil || errs[1] != nil || errs[3] != nil {
		t.Errorf("each request that fits into a transaction must be committed, in another one if needed: %v", errs)
	}
	var e *model.Error
	if !errors.As(errs[2], &e) || e.Code != model.CodeTooLarge {
		t.Errorf("a request that fits nowhere: want too-large, got %v", errs[2])
	}
}

// The store may permit less than it declares. If it finds a shared transaction too large, its requests are tried one by one; a request that
// is too large by itself is refused permanently, since a retry would not help.
func TestStoreFindsTooLarge(t *testing.T) {
	b := start(t, 100)
	first := make(chan error, 1)
	go func() { _, err := b.Do(context.Background(), put("first")); first <- err }()
	<-b.db.entered
	wait, errs := b.many(t, put("a"), put("large"), put("b"))
	tooLarge := fmt.Errorf("commit: %w", store.ErrTooLarge)
	for _, answer := range []error{nil, tooLarge, nil, tooLarge, nil} { // the first, the three together, each of them
		b.db.through <- answer
	}
	wait.Wait()
	if err := <-first; err != nil || errs[0] != nil || errs[2] != nil {
		t.Errorf("what fits by itself is stored, got %v and %v", err, errs)
	}
	var e *model.Error
	if !errors.As(errs[1], &e) || e.Code != model.CodeTooLarge || strings.Contains(e.Remedy, "repeat") || !strings.Contains(e.Remedy, "smaller") {
		t.Errorf("want too-large with a remedy that helps, got %v (%+v)", errs[1], e)
	}
	for key, want := range map[string]error{"a": nil, "b": nil, "large": store.ErrNotFound} {
		if _, err := b.db.Read(context.Background(), "/contiv.io/x/"+key); !errors.Is(err, want) {
			t.Errorf("key %s: got %v, want %v", key, err, want)
		}
	}
	if !b.Active() {
		t.Error("the term has ended")
	}
}

// A transaction whose outcome is unknown, or that is fenced, ends the term; all waiting requests are refused with the advice to retry.
func TestTermEnds(t *testing.T) {
	for _, failure := range []error{fmt.Errorf("away: %w", store.ErrUnavailable), fmt.Errorf("late: %w", store.ErrFenced)} {
		b := start(t, 100)
		first := make(chan error, 1)
		go func() {
			_, err := b.Do(context.Background(), taking(put("first")))
			first <- err
		}()
		<-b.db.entered
		wait, errs := b.many(t, put("a"))
		b.db.through <- failure
		for _, err := range []error{<-first, func() error { wait.Wait(); return errs[0] }()} {
			var e *model.Error
			if !errors.As(err, &e) || e.Code != model.CodeUnavailable {
				t.Errorf("%v: want unavailable, got %v", failure, err)
			}
		}
		if n := b.taken(); n != 0 {
			t.Errorf("%v: want nothing taken, got %d", failure, n)
		}
		if err := <-b.ended; !errors.Is(err, failure) {
			t.Errorf("the term must end with %v, got %v", failure, err)
		}
		if _, err := b.Do(context.Background(), put("later")); err == nil || b.Active() {
			t.Error("nothing may be committed after the term")
		}
	}
}

// The error of a cancelled request reports whether the request may have been stored; a request that was in no transaction was not.
func TestCancelledRequest(t *testing.T) {
	const inDoubt, inVain = "may or may not have been stored", "was not stored, for others were before it"
	check := func(what string, err error, want string) {
		t.Helper()
		var e *model.Error
		if !errors.As(err, &e) || e.Code != model.CodeUnavailable || !strings.Contains(e.Message, want) || e.Remedy == "" || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: want unavailable, %q and a remedy, got %v", what, want, err)
		}
	}
	over, end := context.WithCancel(context.Background())
	end()
	b := start(t, 100)
	var ran atomic.Bool
	ask := func(key string) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			_, err := b.Do(ctx, func(tx *Tx) error { ran.Store(key == "never"); return put(key)(tx) })
			return err
		}
	}
	check("at once", ask("never")(over), inVain)
	begin := func(do func(context.Context) error) (cancel func(), out chan error) {
		ctx, cancel := context.WithCancel(context.Background())
		out = make(chan error, 1)
		go func() { out <- do(ctx) }()
		return cancel, out
	}
	first, firstOut := begin(ask("first"))
	<-b.db.entered
	second, secondOut := begin(ask("never"))
	for len(b.queue) != 1 {
		runtime.Gosched()
	}
	second()
	check("behind another", <-secondOut, inVain)
	first()
	check("in progress", <-firstOut, inDoubt)
	b.db.through <- nil
	third, thirdOut := begin(ask("third"))
	defer third()
	<-b.db.entered
	b.db.through <- nil
	if err := <-thirdOut; err != nil || ran.Load() {
		t.Errorf("want the next one stored and the one that gave up not, got %v, ran: %t", err, ran.Load())
	}
}

// A cancelled request that did not fit into a transaction is in no later one.
func TestCancelledWhileLeftOver(t *testing.T) {
	b := start(t, 4)
	out := make(chan error, 3)
	join := func(ctx context.Context, keys ...string) {
		queued := len(b.queue)
		go func() { _, err := b.Join(ctx, put(keys...)); out <- err }()
		for len(b.queue) == queued && len(b.db.entered) == 0 {
			runtime.Gosched()
		}
	}
	join(context.Background(), "first")
	<-b.db.entered
	ctx, cancel := context.WithCancel(context.Background())
	join(context.Background(), "a", "b")
	join(ctx, "c", "d")
	b.db.through <- nil
	if err := <-out; err != nil {
		t.Fatal(err)
	}
	<-b.db.entered // that of a and b, since there is room for only these two
	cancel()
	var e *model.Error
	if err := <-out; !errors.As(err, &e) || !strings.Contains(e.Message, "was not stored, for others were before it") {
		t.Errorf("left over: want an error that it was not stored, got %v", err)
	}
	b.db.through <- nil
	if err := <-out; err != nil {
		t.Error(err)
	}
}

// The history record of a transaction takes part of its space; without enough space, the record lacks the differences, but the change is
// made.
func TestHistoryFits(t *testing.T) {
	b := start(t, 8)
	b.db.limits.Bytes = 3000
	for range 3 {
		b.db.through <- nil
	}
	small := func(n int) func(*Tx) error {
		return func(tx *Tx) error {
			for i := range n {
				if err := tx.Put(fmt.Sprintf("%sx/%d-%d", record.Objects, n, i), map[string]string{"a": strings.Repeat("x", 300)}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, n := range []int{2, 6} {
		if _, err := b.Do(By(context.Background(), model.Actor{Claimed: "ann"}), small(n)); err != nil {
			t.Errorf("%d objects, with space left for their history: %v", n, err)
		}
	}
	var e *model.Error
	if _, err := b.Do(context.Background(), small(7)); !errors.As(err, &e) || e.Code != model.CodeTooLarge {
		t.Errorf("7 objects, the fence and a record are 9 operations of 8: want too-large, got %v", err)
	}
	var told []model.HistoryEntry
	b.catalog.View(func(v *catalog.View) { told = history.Open(v, history.Keep{}).List(history.Filter{By: "ann"}) })
	if len(told) != 8 || told[0].Cut || len(told[0].Changes) != 1 || !told[7].Cut || told[7].Changes != nil {
		t.Errorf("want 2 objects recorded completely and 6 without differences, got %+v", told)
	}
}

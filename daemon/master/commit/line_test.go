package commit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
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

// joined sends requests that may share a transaction.
func (b *bench) joined(fns ...func(*Tx) error) chan error {
	errs := make(chan error, len(fns))
	for _, fn := range fns {
		go func() { _, err := b.Join(context.Background(), fn); errs <- err }()
	}
	return errs
}

// taken counts how often it was taken and not given back.
func taken(n *atomic.Int32, then func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		n.Add(1)
		tx.OnAbort(func() { n.Add(-1) })
		return then(tx)
	}
}

// Two transactions that have nothing to do with each other are under way at once, and never three; each stands for itself,
// but for one after another whose outcome nobody knows.
func TestTwoUnderWay(t *testing.T) {
	unknown := fmt.Errorf("away: %w", store.ErrUnavailable)
	tests := []struct {
		name          string
		first, second error // what the store says
		one, two, end bool  // refused; the term ends
	}{
		{"both are carried out", nil, nil, false, false, false},
		{"the first is refused", store.ErrConflict, nil, true, false, false},
		{"the second is refused", nil, store.ErrConflict, false, true, false},
		{"nobody knows of the first", unknown, nil, true, true, true},
		{"nobody knows of the second", nil, unknown, false, true, true},
		{"the first is fenced", store.ErrFenced, nil, true, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := start(t, 100)
			var held atomic.Int32
			first := b.joined(taken(&held, put("a")))
			<-b.db.entered
			second := b.joined(taken(&held, put("b")), taken(&held, put("c")))
			<-b.db.entered
			third := b.joined(taken(&held, put("d")), taken(&held, put("e")))
			for len(b.queue) > 0 { // they are seen, and wait
				runtime.Gosched()
			}
			if n := len(b.db.entered); n != 0 {
				t.Fatalf("want 2 transactions under way, got %d more", n)
			}
			(<-b.db.arrived) <- test.first
			one := <-first
			(<-b.db.arrived) <- test.second
			var two error
			for range 2 {
				two = errors.Join(two, <-second)
			}
			if (one != nil) != test.one || (two != nil) != test.two {
				t.Errorf("refused: want %t and %t, got %v and %v", test.one, test.two, one, two)
			}
			left := int32(0) // taken for good
			for _, refused := range []bool{test.one, test.two, test.two} {
				if !refused {
					left++
				}
			}
			if !test.end {
				for range 2 { // they may have departed together or not
					b.db.through <- nil
				}
				left += 2
			}
			for range 2 {
				if err := <-third; (err != nil) != test.end {
					t.Errorf("those behind: refused is to be %t, got %v", test.end, err)
				}
			}
			if test.end {
				if err := <-b.ended; err == nil {
					t.Error("the term must end")
				}
			}
			if n := held.Load(); n != left {
				t.Errorf("want %d taken for good, got %d", left, n)
			}
		})
	}
}

// What needs what is under way waits for it, and then sees it; what does not goes past.
func TestDependentWaits(t *testing.T) {
	b := start(t, 100)
	const id = "n.t-c"
	first := b.joined(func(tx *Tx) error { return tx.PutEndpoint(&record.Endpoint{ID: id, NetID: "n.t", HomingHost: "h1"}) })
	<-b.db.entered
	var saw string
	second := b.joined(func(tx *Tx) error {
		e := tx.Endpoint(id)
		if e == nil {
			return model.NotFound(model.KindEndpoint(), id)
		}
		saw = e.HomingHost
		tx.DeleteEndpoint(id)
		return nil
	})
	third := b.joined(put("x"), put("y"))
	if n := <-b.db.entered; n > 2 { // perhaps one of the others came too late for it
		t.Errorf("want a transaction of what does not depend, got %d operations", n)
	}
	b.db.through <- nil
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b.db.through <- nil
	}
	if err := errors.Join(<-second, <-third, <-third); err != nil || saw != "h1" {
		t.Errorf("want the endpoint seen and deleted, saw %q, %v", saw, err)
	}
	if _, err := b.db.Read(context.Background(), record.Endpoints+id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the endpoint must be gone, got %v", err)
	}
}

// shuffled carries transactions out in any order, and refuses some.
type shuffled struct {
	*memory.Store
	mu  sync.Mutex
	rnd *rand.Rand
	at  atomic.Int32 // the most that were under way
	now atomic.Int32
}

func (s *shuffled) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	n := s.now.Add(1)
	defer s.now.Add(-1)
	for most := s.at.Load(); n > most && !s.at.CompareAndSwap(most, n); most = s.at.Load() {
	}
	s.mu.Lock()
	pauses, refuse := s.rnd.IntN(200), s.rnd.IntN(20) == 0
	s.mu.Unlock()
	for range pauses {
		runtime.Gosched()
	}
	if refuse {
		return 0, store.ErrConflict
	}
	return s.Store.Commit(ctx, tx)
}

// Many clients count in the same few records: no count is lost or made twice, whatever order the store chooses; the master's
// memory is what is stored; and the history's records have numbers of their own.
func TestNothingIsLost(t *testing.T) {
	db := &shuffled{Store: memory.New(), rnd: rand.New(rand.NewPCG(1, 2))}
	lock := &store.Tx{}
	lock.Put(record.LeaderKey, []byte("me"))
	fence, err := db.Store.Commit(context.Background(), lock)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	known := catalog.New()
	c := New(db, known, history.Keep{Records: 40}, quiet)
	c.depth = 2
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, store.Fence{Key: record.LeaderKey, Created: fence}) }()
	for !c.Active() {
		runtime.Gosched()
	}
	const clients, rounds, records = 24, 60, 5
	var counted [records]atomic.Int64
	var wait sync.WaitGroup
	for client := range clients {
		wait.Go(func() {
			for round := range rounds {
				i := (client*rounds + round*7) % records
				id := fmt.Sprintf("n.t-c%d", i)
				do := c.Join
				switch {
				case round%13 == 0:
					do = c.Do
				case round >= 40: // those before have two under way
					do = c.InTurn
				}
				_, err := do(context.Background(), func(tx *Tx) error {
					e := record.Endpoint{ID: id, NetID: "n.t", HomingHost: "0"}
					if old := tx.Endpoint(id); old != nil {
						e = *old
					}
					n, err := strconv.Atoi(e.HomingHost)
					e.HomingHost = strconv.Itoa(n + 1)
					return errors.Join(err, tx.PutEndpoint(&e))
				})
				if err == nil {
					counted[i].Add(1)
				}
			}
		})
	}
	wait.Wait()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	items, rev, err := db.List(context.Background(), record.Root)
	if err != nil {
		t.Fatal(err)
	}
	fresh := catalog.New()
	fresh.Apply(store.Update{Full: true, Items: items, Revision: rev}, quiet)
	for i := range records {
		id, want := fmt.Sprintf("n.t-c%d", i), strconv.FormatInt(counted[i].Load(), 10)
		for name, view := range map[string]*catalog.Catalog{"the master's memory": known, "the store": fresh} {
			view.View(func(v *catalog.View) {
				if e := v.Endpoint(id); e == nil || e.HomingHost != want {
					t.Errorf("%s: want %s counted to %s, got %+v", name, id, want, e)
				}
			})
		}
	}
	var told []string
	fresh.View(func(v *catalog.View) {
		for _, it := range v.History() {
			told = append(told, it.Key)
		}
	})
	if sorted := slices.Compact(slices.Clone(told)); len(told) < 40 || len(told) > 44 || len(sorted) != len(told) {
		t.Errorf("want about 40 records of the history, each with a number of its own, got %d: %v", len(told), told)
	}
	if n := db.at.Load(); n > 2 {
		t.Errorf("want 2 transactions under way at the most, got %d", n)
	}
}

// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/contiv/contiv/daemon/store/storetest"
	"github.com/contiv/contiv/identity"
)

// taking returns a request that allocates the lowest free number for a tenant, and then calls a function.
func taking(then func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		n, err := tx.Numbers().VRFs.First()
		name := fmt.Sprint("tenant", n)
		return errors.Join(err, tx.Put(record.Tenants+name, &record.Tenant{ID: name, Tenant: name, VRF: uint16(n)}), then(tx))
	}
}

// taken returns the number of allocated numbers that other requests see.
func (b *bench) taken() (n int) {
	b.catalog.View(func(v *catalog.View) { n = v.Numbers().VRFs.InUse() })
	return n
}

// One transaction is in progress at a time, and requests that arrive meanwhile share the next one. A refused transaction leaves nothing
// behind and affects no other; a transaction with an unknown outcome ends the term.
func TestOneUnderWay(t *testing.T) {
	tests := []struct {
		name    string
		outcome error // what the store says of the first
		ends    bool  // the term
	}{
		{"it is carried out", nil, false},
		{"it conflicts", store.ErrConflict, false},
		{"it is too large", store.ErrTooLarge, false},
		{"unknown", fmt.Errorf("away: %w", store.ErrUnavailable), true},
		{"it is fenced", store.ErrFenced, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := start(t, 100)
			first := make(chan error, 1)
			go func() { _, err := b.Join(context.Background(), taking(put("a"))); first <- err }()
			<-b.db.entered
			wait, errs := b.many(t, taking(put("b")), taking(put("c")))
			if n := len(b.db.entered); n != 0 {
				t.Errorf("want 1 transaction in progress, got %d more", n)
			}
			if n := b.taken(); n != 0 {
				t.Errorf("want nothing taken before it is stored, got %d", n)
			}
			b.db.through <- test.outcome
			if err := <-first; (err != nil) != (test.outcome != nil) {
				t.Errorf("want the first to end with %v, got %v", test.outcome, err)
			}
			left := 0 // taken for good
			if test.outcome == nil {
				left++
			}
			if !test.ends {
				if n := <-b.db.entered; n != 4 {
					t.Errorf("want the other two together, got %d operations", n)
				}
				b.db.through <- nil
				left += 2
			} else if err := <-b.ended; !errors.Is(err, test.outcome) {
				t.Errorf("the term must end with %v, got %v", test.outcome, err)
			}
			wait.Wait()
			for i, err := range errs {
				if (err != nil) != test.ends {
					t.Errorf("those behind, %d: refused is to be %t, got %v", i, test.ends, err)
				}
			}
			if n := b.taken(); n != left {
				t.Errorf("want %d taken for good, got %d", left, n)
			}
		})
	}
}

// If the leadership ends during a transaction, the transaction is given up, and the run ends without an error.
func TestEndUnderWay(t *testing.T) {
	b := start(t, 100)
	first := make(chan error, 1)
	go func() { _, err := b.Join(context.Background(), put("a")); first <- err }()
	<-b.db.entered
	b.stop()
	if err := <-b.ended; err != nil {
		t.Errorf("want the run to end without an error, got %v", err)
	}
	var e *model.Error
	if err := <-first; !errors.As(err, &e) || e.Code != model.CodeUnavailable {
		t.Errorf("want unavailable, got %v", err)
	}
}

// counter returns the endpoint whose record has the count.
func counter(i int) identity.Endpoint {
	return identity.Endpoint{Network: identity.Network{Tenant: "t", Name: "n"}, Endpoint: fmt.Sprint("c", i)}
}

// Many clients count in the same few records: no count is lost or done twice, whatever the store refuses. The master's memory equals
// the store, and the records of the history have distinct numbers.
func TestNothingIsLost(t *testing.T) {
	db := storetest.NewUnsteady(memory.New(), 200, 20)
	lock := &store.Tx{}
	lock.Put(record.LeaderKey, []byte("me"))
	fence, err := db.Commit(context.Background(), lock)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	known := catalog.New()
	c := New(db, known, history.Keep{Records: 40}, quiet)
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
				id := counter(i)
				do := c.Join
				switch {
				case round%13 == 0:
					do = c.Do
				case round >= 40:
					do = c.InTurn
				}
				_, err := do(context.Background(), func(tx *Tx) error {
					e := record.Endpoint{ID: id, Host: "0"}
					if old := tx.Endpoint(id); old != nil {
						e = *old
					}
					n, err := strconv.Atoi(e.Host)
					e.Host = strconv.Itoa(n + 1)
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
		id, want := counter(i), strconv.FormatInt(counted[i].Load(), 10)
		for name, view := range map[string]*catalog.Catalog{"the master's memory": known, "the store": fresh} {
			view.View(func(v *catalog.View) {
				if e := v.Endpoint(id); e == nil || e.Host != want {
					t.Errorf("%s: want %s counted to %s, got %+v", name, id, want, e)
				}
			})
		}
	}
	var told []string
	fresh.View(func(v *catalog.View) {
		for it := range v.History() {
			told = append(told, it.Key)
		}
	})
	if sorted := slices.Compact(slices.Clone(told)); len(told) < 40 || len(told) > 44 || len(sorted) != len(told) {
		t.Errorf("want about 40 records of the history, each with a number of its own, got %d: %v", len(told), told)
	}
}

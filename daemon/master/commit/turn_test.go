// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// turns makes requests in turn and waits until they are queued, in order, behind one in progress.
func (b *bench) turns(t *testing.T, fns ...func(*Tx) error) (*sync.WaitGroup, []error) {
	t.Helper()
	first := make(chan error, 1)
	go func() { _, err := b.Do(context.Background(), put("first")); first <- err }()
	<-b.db.entered
	errs := make([]error, len(fns))
	var wait sync.WaitGroup
	for i, fn := range fns {
		wait.Go(func() { _, errs[i] = b.InTurn(context.Background(), fn) })
		for len(b.queue) != i+1 {
			runtime.Gosched()
		}
	}
	b.db.through <- nil
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	return &wait, errs
}

func addTenant(name string, vrf uint16) func(*Tx) error {
	return func(tx *Tx) error {
		if tx.Tenant(name) != nil {
			return model.Errorf(model.CodeConflict, "", "tenant %s is there", name)
		}
		return tx.Put(record.Tenants+name, &record.Tenant{ID: name, Tenant: name, VRF: vrf})
	}
}

// Requests in turn share a transaction, and each sees the changes of those before it. All are answered when the transaction is carried out,
// including those that are refused because of it; if it fails, all get its error.
func TestInTurn(t *testing.T) {
	code := func(err error) string {
		if e := (*model.Error)(nil); errors.As(err, &e) {
			return string(e.Code)
		}
		return fmt.Sprint(err)
	}
	for _, test := range []struct {
		outcome error
		want    []string
	}{
		{nil, []string{"<nil>", string(model.CodeConflict), "<nil>", "<nil>", "<nil>"}},
		{store.ErrConflict, []string{string(model.CodeUnavailable), string(model.CodeUnavailable), string(model.CodeUnavailable),
			string(model.CodeUnavailable), "<nil>"}},
	} {
		b := start(t, 100)
		wait, errs := b.turns(t, addTenant("a", 1), addTenant("a", 2), addTenant("b", 3),
			func(tx *Tx) error { // of no use, but for what is not stored yet
				if tx.Tenant("b") == nil || tx.Tenant("a") == nil {
					return errors.New("it does not see what was before it")
				}
				return nil
			}, func(tx *Tx) error { // what is written already waits for the next transaction
				tx.Delete(record.Tenants + "a")
				return nil
			})
		if n := <-b.db.entered; n != 2 {
			t.Errorf("want one transaction of two tenants, got %d operations", n)
		}
		b.catalog.View(func(v *catalog.View) {
			if v.Tenant("a") != nil || v.Tenant("b") != nil {
				t.Error("what is not carried out must not be seen")
			}
		})
		b.db.through <- test.outcome
		if n := <-b.db.entered; n != 1 {
			t.Errorf("want the deletion in a transaction of its own, got %d operations", n)
		}
		b.db.through <- nil
		wait.Wait()
		for i, err := range errs {
			if code(err) != test.want[i] {
				t.Errorf("outcome %v, request %d: want %s, got %v", test.outcome, i, test.want[i], err)
			}
		}
		b.catalog.View(func(v *catalog.View) {
			taken := 0
			if test.outcome == nil {
				taken = 1
			}
			if v.Tenant("a") != nil || (v.Tenant("b") != nil) != (taken == 1) || v.Numbers().VRFs.InUse() != taken {
				t.Errorf("outcome %v: %d numbers are in use", test.outcome, v.Numbers().VRFs.InUse())
			}
		})
	}
}

// A request that does not fit goes into the next transaction, and no other overtakes it.
func TestInTurnKeepsOrder(t *testing.T) {
	b := start(t, 4) // the fence takes one
	var order []int
	nth := func(i int, keys ...string) func(*Tx) error {
		calls := 0
		return func(tx *Tx) error {
			if calls++; calls == 1 || i == 1 && calls == 2 {
				order = append(order, i)
			}
			return put(keys...)(tx)
		}
	}
	wait, errs := b.turns(t, nth(0, "a", "b"), nth(1, "c", "d"), nth(2, "e"))
	if n := <-b.db.entered; n != 2 {
		t.Errorf("want only the first, got %d operations", n)
	}
	b.db.through <- nil
	if n := <-b.db.entered; n != 3 {
		t.Errorf("want the other two together, got %d operations", n)
	}
	b.db.through <- nil
	wait.Wait()
	if err := errors.Join(errs...); err != nil || fmt.Sprint(order) != "[0 1 1 2]" {
		t.Errorf("want the second asked again before the third, got %v, %v", order, err)
	}
}

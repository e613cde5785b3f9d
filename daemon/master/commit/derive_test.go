package commit

import (
	"context"
	"errors"
	"testing"

	"github.com/contiv/contiv/daemon/store"
)

// What is derived is carried when there is room for all of it, and not at all otherwise; what causes it always is.
func TestDerived(t *testing.T) {
	b := start(t, 4) // the fence takes one
	for range 2 {
		b.db.through <- nil
	}
	change := func(name string, derived ...string) (postponed bool) {
		t.Helper()
		_, err := b.Do(context.Background(), func(tx *Tx) error {
			tx.OnPostpone(func() { postponed = true })
			for _, key := range derived {
				if err := tx.Derive("/contiv.io/x/"+key, key); err != nil {
					return err
				}
			}
			return put(name)(tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		return postponed
	}
	has := func(key string) bool {
		_, err := b.db.Read(context.Background(), "/contiv.io/x/"+key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	if change("small", "s1", "s2") || !has("small") || !has("s1") || !has("s2") {
		t.Error("a small change must carry what is derived from it")
	}
	if !change("large", "l1", "l2", "l3") || !has("large") || has("l1") || has("l3") {
		t.Error("a large change must be stored alone, and say so")
	}
	postponed := false
	rev, err := b.Do(context.Background(), func(tx *Tx) error { // nothing but what is derived
		tx.OnPostpone(func() { postponed = true })
		for _, key := range []string{"1", "2", "3", "4"} {
			tx.DeriveDelete("/contiv.io/x/" + key)
		}
		return nil
	})
	if err != nil || rev == 0 || !postponed {
		t.Errorf("a request that has only what comes later must be answered, got %d, %v", rev, err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"context"
	"errors"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// A request that finds its endpoint made by another of the same transaction is answered with that transaction's outcome, and so is
// one that is refused because of it.
func TestJoinedDuplicates(t *testing.T) {
	create := func(tx *Tx) error {
		if tx.Endpoint(counter(1)) != nil {
			return nil // it is there already
		}
		return tx.PutEndpoint(&record.Endpoint{ID: counter(1)})
	}
	exclusive := func(tx *Tx) error {
		if tx.Endpoint(counter(1)) != nil {
			return model.Errorf(model.CodeConflict, "", "it is another's")
		}
		return nil
	}
	for _, row := range []struct {
		outcome error
		want    [3]model.Code
	}{
		{nil, [3]model.Code{"", "", model.CodeConflict}},
		{store.ErrConflict, [3]model.Code{model.CodeUnavailable, model.CodeUnavailable, model.CodeUnavailable}},
	} {
		b := start(t, 100)
		first := make(chan error, 1)
		go func() { _, err := b.Do(context.Background(), put("first")); first <- err }()
		<-b.db.entered
		wait, errs := b.many(t, create, create, exclusive)
		b.db.through <- nil
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		<-b.db.entered
		b.db.through <- row.outcome
		wait.Wait()
		for i, err := range errs {
			var e *model.Error
			if errors.As(err, &e); e == nil && row.want[i] != "" || e != nil && e.Code != row.want[i] {
				t.Errorf("transaction %v, request %d: want %q, got %v", row.outcome, i, row.want[i], err)
			}
		}
	}
}

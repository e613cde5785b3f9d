// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"errors"
	"testing"

	"github.com/contiv/contiv/daemon/store"
)

func TestTx(t *testing.T) {
	var tx store.Tx
	tx.Under(store.Fence{Key: "lock", Created: 3})
	tx.Require("a", 5)
	tx.Put("a", []byte("1"))
	tx.Put("b", []byte("1"))
	tx.Put("a", []byte("22"))
	tx.Delete("b")
	want := "fence lock created@3\nrequire a @5\nput a 22\ndelete b\n"
	if got := tx.String(); got != want {
		t.Errorf("want\n%s, got\n%s", want, got)
	}
	if got := tx.Size(); got != 4+1+3+1 {
		t.Errorf("size: want 9, got %d", got)
	}
	for _, tt := range []struct {
		limits store.Limits
		want   error
	}{
		{store.Limits{Ops: 4, Bytes: 9}, nil},
		{store.Limits{Ops: 3, Bytes: 9}, store.ErrTooLarge},
		{store.Limits{Ops: 4, Bytes: 8}, store.ErrTooLarge},
	} {
		if err := tt.limits.Check(&tx); !errors.Is(err, tt.want) {
			t.Errorf("%+v: want %v, got %v", tt.limits, tt.want, err)
		}
	}
}

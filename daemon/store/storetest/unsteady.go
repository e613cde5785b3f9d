// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/contiv/contiv/daemon/store"
)

// Unsteady is a store with slow transactions, so that requests share them, which refuses some with store.ErrConflict. It is safe for
// concurrent use.
type Unsteady struct {
	store.Store
	pauses int
	refuse uint64
	fenced atomic.Uint64 // transactions under a fence
}

// NewUnsteady wraps s. Each transaction waits for up to pauses turns of the scheduler; one in refuse of those under a fence is refused,
// never the first.
func NewUnsteady(s store.Store, pauses, refuse int) *Unsteady {
	return &Unsteady{Store: s, pauses: pauses, refuse: uint64(refuse)}
}

// Commit delays or refuses the store's Commit.
func (u *Unsteady) Commit(ctx context.Context, tx *store.Tx) (store.Revision, error) {
	for range rand.IntN(u.pauses) {
		runtime.Gosched()
	}
	if tx.Fence() != nil && u.fenced.Add(1)%u.refuse == 0 {
		return 0, fmt.Errorf("an unsteady store: %w", store.ErrConflict)
	}
	return u.Store.Commit(ctx, tx)
}

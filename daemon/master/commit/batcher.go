// SPDX-License-Identifier: Apache-2.0

package commit

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// batcher does the work of one term: it queues requests and commits one batch of them at a time.
type batcher struct {
	c      *Committer
	fence  store.Fence
	queued []*request // received from Committer.queue
	turn   turn
}

// run works until ctx ends (nil) or the term does.
func (b *batcher) run(ctx context.Context) error {
	for {
		if len(b.queued) == 0 {
			select {
			case <-ctx.Done():
				return nil
			case r := <-b.c.queue:
				b.queued = append(b.queued, r)
			}
		}
		b.drain()
		b.turn.begin()
		err := b.commit(ctx)
		b.turn.end()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// drain receives the requests in the queue. It does not block.
func (b *batcher) drain() {
	for len(b.queued) < maxRequests {
		select {
		case r := <-b.c.queue:
			b.queued = append(b.queued, r)
		default:
			return
		}
	}
}

// commit commits a batch of the first requests, as many as may share a transaction. Its error ends the term.
func (b *batcher) commit(ctx context.Context) error {
	n, sharing := 1, b.queued[0].sharing
	for sharing != exclusive && n < len(b.queued) && n < maxRequests && b.queued[n].sharing == sharing {
		n++
	}
	next, left := b.c.build(b.fence, b.queued[:n:n])
	b.queued = append(left, b.queued[n:]...)
	if len(next.tx.Ops()) == 0 || ctx.Err() != nil { // requests computed until after the term commit nothing
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	rev, err := b.c.db.Commit(ctx, next.tx)
	if errors.Is(err, store.ErrNoSpace) {
		rev, err = b.resolveOutcome(ctx, next, err)
	}
	if err == nil {
		b.c.committed(next, rev)
		return nil
	}
	b.queued = append(b.c.failed(next, err), b.queued...)
	if errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrNoSpace) {
		return nil
	}
	return err
}

// resolveOutcome determines the outcome of a transaction that reached the store's quota: etcd applies the one that exceeds the quota, but
// answers it like those that it refuses afterwards. A transaction is applied as a whole, so one key decides. If it was not applied, the
// error is refusal.
func (b *batcher) resolveOutcome(ctx context.Context, next *batch, refusal error) (store.Revision, error) {
	for _, op := range next.tx.Ops() {
		if op.Delete {
			continue
		}
		it, err := b.c.db.Read(ctx, op.Key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return 0, refusal
		case err != nil:
			return 0, err
		case it.Revision > next.draft.KeyRevision(op.Key) && bytes.Equal(it.Value, op.Value):
			return it.Revision, nil
		}
		return 0, refusal
	}
	return 0, refusal
}

// pause waits for d, and reports whether ctx is still valid.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

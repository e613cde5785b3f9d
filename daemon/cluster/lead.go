// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// lead is a running term.
type lead struct {
	term   Term
	lease  store.Lease
	cancel func()
	ended  chan struct{} // closed when the Lead has returned and the lease is no longer renewed
}

func (r *race) end(ctx context.Context, lease store.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTime)
	defer cancel()
	if err := lease.Revoke(ctx); err != nil {
		r.log.Debug("leaving a lease to expire", "error", err)
	}
}

// begin starts the leader's work and renews its lease.
func (r *race) begin(ctx context.Context, lease store.Lease, t Term) {
	r.log.Info("this process leads", "term", t.Fence.Created)
	ctx, cancel := context.WithCancel(ctx)
	l := &lead{term: t, lease: lease, cancel: cancel, ended: make(chan struct{})}
	r.lead = l
	r.set(Holder{Address: t.Leader, Created: t.Fence.Created, Revision: t.Fence.Created}, &t)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer cancel()
		if err := lease.KeepAlive(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("lost leadership", "error", err)
		}
	})
	wg.Go(func() {
		defer cancel()
		if err := r.does(ctx, t); err != nil && ctx.Err() == nil {
			r.log.Error("the leader's work failed", "error", err)
		}
	})
	if r.c.History != "" {
		wg.Go(func() {
			if err := enter(ctx, r.c.Store, r.c.History, t); err != nil && ctx.Err() == nil {
				r.log.Warn("cannot record the term", "error", err)
			}
		})
	}
	go func() { wg.Wait(); close(l.ended) }()
}

// resign ends the term, if there is one: the work first, then the lock.
func (r *race) resign(ctx context.Context) {
	l := r.lead
	if l == nil {
		return
	}
	l.cancel()
	<-l.ended
	r.lead = nil
	r.log.Info("this process no longer leads", "term", l.term.Fence.Created)
	rctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resignTime)
	defer cancel()
	var tx store.Tx
	tx.Under(l.term.Fence)
	tx.Delete(r.c.Key)
	if rev, err := r.c.Store.Commit(rctx, &tx); err == nil {
		r.at, r.lock, r.why = rev, store.Item{}, ""
		r.ended, r.free = l.term.Fence.Created, time.Now()
	} else if !errors.Is(err, store.ErrFenced) {
		r.log.Warn("leaving the leader's lock to expire", "error", err)
	}
	r.end(ctx, l.lease)
	h := Holder{Address: string(r.lock.Value), Created: r.lock.Created, Revision: r.lock.Revision}
	if h.Created == l.term.Fence.Created {
		h = Holder{}
	}
	r.set(h, nil)
}

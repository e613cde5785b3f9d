// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/contiv/contiv/daemon/store"
)

func item(kv *mvccpb.KeyValue) store.Item {
	return store.Item{
		Key: string(kv.Key), Value: kv.Value,
		Revision: store.Revision(kv.ModRevision), Created: store.Revision(kv.CreateRevision),
	}
}

// Watch implements store.Store. It lists, then follows the history from the revision of the list. When the stream breaks - a server that
// does not answer, a lost connection - it continues at the same revision, once the store has proved that its history is still the same. It
// lists again if that cannot be proved, or if the server has compacted the changes since.
func (s *Store) Watch(ctx context.Context, prefix string) iter.Seq2[store.Update, error] {
	return func(yield func(store.Update, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		w := &watch{Store: s, prefix: prefix, yield: yield}
		for round := s.pace.Round(); ctx.Err() == nil; round = s.pace.Wait(ctx) {
			err := w.turn(ctx)
			if w.left || ctx.Err() != nil {
				return
			}
			s.pace.Failed(round)
			if err == nil || w.away {
				continue
			}
			w.away = true
			if !yield(store.Update{}, fmt.Errorf("watch %s: %w", prefix, err)) {
				return
			}
		}
	}
}

// watch is one Watch.
type watch struct {
	*Store
	prefix string
	yield  func(store.Update, error) bool
	left   bool // the caller has stopped iterating

	number int       // of the history that the caller knows; 0: none, or too little of it
	known  int64     // it is complete up to this revision
	broke  time.Time // when the stream that delivered it broke
	away   bool      // the caller knows that the store is away, and not yet that it is back
}

// turn follows the store until the stream breaks (nil) or cannot be opened (an error).
func (w *watch) turn(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from := w.history.resumable(w.number, w.known)
	if from != 0 {
		// This comes first, because it reports at once that a store is away, while a new stream would wait for it.
		if ok, err := w.confirm(ctx, w.number, w.known, w.broke); err != nil {
			return err
		} else if !ok {
			from = 0
		}
	}
	if from == 0 {
		return w.begin(ctx)
	}
	changes, err := w.open(ctx, from)
	if err != nil {
		return err
	}
	if ok, err := w.confirm(ctx, w.number, w.known, time.Now()); err != nil || !ok {
		return err
	}
	if w.away && !w.send(store.Update{Revision: store.Revision(w.known)}) {
		return nil
	}
	return w.follow(ctx, changes)
}

// begin lists the store and follows it from there.
func (w *watch) begin(ctx context.Context) error {
	l, err := w.list(ctx, w.prefix)
	if err != nil {
		return err
	}
	changes, err := w.open(ctx, l.header.Revision)
	if err != nil {
		return err
	}
	// Between the list and the stream another store may have replaced that of the list.
	number, ok, err := w.adopt(ctx, l, w.prefix)
	if err != nil || !ok {
		return err
	}
	w.number, w.known = number, l.header.Revision
	if !w.send(store.Update{Full: true, Items: l.items, Revision: store.Revision(w.known)}) {
		return nil
	}
	l = nil // it is the caller's now, and may be large
	return w.follow(ctx, changes)
}

// send yields an update and reports whether the caller continues.
func (w *watch) send(u store.Update) bool {
	w.away = false
	w.left = !w.yield(u, nil)
	return !w.left
}

// open opens a stream of the changes after rev. It blocks until the server has confirmed it.
func (w *watch) open(ctx context.Context, rev int64) (<-chan clientv3.WatchResponse, error) {
	opening, cancel := context.WithCancel(ctx) // Watch itself also blocks
	late := time.AfterFunc(w.config.Timeout, cancel)
	changes := w.watches.Watch(clientv3.WithRequireLeader(opening), w.prefix, clientv3.WithPrefix(),
		clientv3.WithRev(rev+1), clientv3.WithCreatedNotify())
	r, ok := <-changes
	if !ok || r.Err() != nil || !late.Stop() {
		cancel()
		err := r.Err()
		if err == nil {
			err = fmt.Errorf("no answer within %s", w.config.Timeout)
		}
		return nil, w.fault(ctx, "open a watch", err)
	}
	context.AfterFunc(ctx, cancel)
	return changes, nil
}

// follow yields the changes until the stream breaks or the caller leaves.
func (w *watch) follow(ctx context.Context, changes <-chan clientv3.WatchResponse) error {
	defer func() { w.broke = time.Now() }()
	tick := time.NewTicker(w.config.Timeout)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case r, ok := <-changes:
			if !ok || r.Err() != nil {
				if errors.Is(r.Err(), rpctypes.ErrCompacted) {
					w.number = 0
				}
				return nil
			}
			w.pace.Reached()
			if !w.receive(r) {
				return nil
			}
		case <-tick.C:
			w.watches.ask(clientv3.WithRequireLeader(ctx), w.config.Timeout)
			if w.watches.silent() < 2*w.config.Timeout {
				continue
			}
			// A busy server may delay its progress report; only a server that answers nothing is away.
			if ok, err := w.confirm(ctx, w.number, w.known, time.Now().Add(-w.config.Timeout)); err != nil || !ok {
				return err
			}
		}
	}
}

// receive yields the changes in one response of the stream, and reports whether to continue. Changes at revisions that are already complete
// are of another history.
func (w *watch) receive(r clientv3.WatchResponse) bool {
	if r.IsProgressNotify() {
		w.known = max(w.known, r.Header.Revision)
		return true
	}
	if len(r.Events) == 0 {
		return true
	}
	if r.Events[0].Kv.ModRevision <= w.known {
		w.number = 0
		return false
	}
	w.history.add(w.number, r.Events)
	u := update(r)
	w.known = int64(u.Revision)
	return w.send(u)
}

// update merges the events of one response: the last event of a key counts. The revision is that of the last event, because the header may
// be ahead while the server sends a long history in parts.
func update(resp clientv3.WatchResponse) store.Update {
	u := store.Update{}
	last := map[string]*clientv3.Event{}
	for _, e := range resp.Events {
		last[string(e.Kv.Key)] = e
		u.Revision = max(u.Revision, store.Revision(e.Kv.ModRevision))
	}
	for key, e := range last {
		if e.Type == clientv3.EventTypeDelete {
			u.Gone = append(u.Gone, key)
		} else {
			u.Items = append(u.Items, item(e.Kv))
		}
	}
	u.Sort()
	return u
}

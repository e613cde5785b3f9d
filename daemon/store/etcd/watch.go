package etcd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/connectivity"

	"github.com/contiv/contiv/daemon/store"
)

func item(kv *mvccpb.KeyValue) store.Item {
	return store.Item{
		Key: string(kv.Key), Value: kv.Value,
		Revision: store.Revision(kv.ModRevision), Created: store.Revision(kv.CreateRevision),
	}
}

// Watch is store.Store's. It lists, then follows the history from the revision of the list. When the history breaks
// off - compaction, a server that does not answer, no connection left - it lists again: what answers after that may be
// another store, made anew in place of the one before, which has another history.
func (s *Store) Watch(ctx context.Context, prefix string) iter.Seq2[store.Update, error] {
	return func(yield func(store.Update, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		away := false
		for ctx.Err() == nil {
			connected, leave := s.whileConnected(ctx)
			items, rev, err := s.List(ctx, prefix)
			if ctx.Err() != nil {
				leave()
				return
			}
			if err == nil {
				away = false
				goOn := yield(store.Update{Full: true, Items: items, Revision: rev}, nil) && s.follow(connected, prefix, rev, yield)
				leave()
				if !goOn {
					return
				}
				// The history broke off: either the list works at once or it says that the store is away.
				continue
			}
			leave()
			if !away {
				away = true
				if !yield(store.Update{}, fmt.Errorf("watch %s: %w", prefix, err)) {
					return
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(store.Retry):
			}
		}
	}
}

// whileConnected is a context that ends when the client has lost all its connections, which its watches survive by themselves.
// leave ends it, and waits until nothing is left of it.
func (s *Store) whileConnected(ctx context.Context) (connected context.Context, leave func()) {
	connected, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel()
		conn := s.client.ActiveConnection()
		for state := conn.GetState(); conn.WaitForStateChange(connected, state); state = conn.GetState() {
			if state == connectivity.Ready {
				return
			}
		}
	}()
	return connected, func() { cancel(); <-done }
}

// follow yields the changes after rev until the history breaks off (true) or the caller leaves (false).
func (s *Store) follow(ctx context.Context, prefix string, rev store.Revision, yield func(store.Update, error) bool) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Watch itself blocks until the server has answered.
	answered := time.AfterFunc(s.config.Timeout, cancel)
	changes := s.client.Watch(clientv3.WithRequireLeader(ctx), prefix, clientv3.WithPrefix(),
		clientv3.WithRev(int64(rev)+1), clientv3.WithCreatedNotify())
	silence := time.NewTicker(s.config.Timeout)
	defer silence.Stop()
	silent := 0
	for {
		select {
		case <-ctx.Done():
			return true // the outer loop tells an end from a server that did not answer
		case resp, ok := <-changes:
			if !ok || resp.Err() != nil {
				return true
			}
			silent = 0
			answered.Stop()
			if resp.Header.Revision < int64(rev) {
				return true // a member that is behind, or another store
			}
			if len(resp.Events) == 0 {
				continue
			}
			u := update(resp)
			rev = u.Revision
			if !yield(u, nil) {
				return false
			}
		case <-silence.C:
			if silent++; silent == 1 {
				// An answer, which ends the silence, or none is all that counts here.
				rctx, cancel := s.request(ctx)
				_ = s.client.RequestProgress(clientv3.WithRequireLeader(rctx))
				cancel()
				continue
			}
			// A busy server may owe its progress report; only one that does not answer at all is away.
			if _, err := s.Read(ctx, prefix); err != nil && !errors.Is(err, store.ErrNotFound) {
				return true
			}
		}
	}
}

// update merges the events of one response: the last one of a key counts. Its revision is that of the last event: the
// header may be ahead of it while the server sends a long history in parts.
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

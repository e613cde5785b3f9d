// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"

	"github.com/contiv/contiv/daemon/store"
)

// sighting is the lock at one revision of the store.
type sighting struct {
	at        store.Revision
	lock      store.Item // Key "": it is free
	successor Successor  // the latest
}

// watch sends the state of the lock after every change.
func (e *Election) watch(ctx context.Context, to chan<- sighting) {
	var lock store.Item
	var heir Successor
	for u, err := range e.c.Store.Watch(ctx, e.c.Key) {
		if err != nil {
			e.c.Log.Warn("cannot watch the leader's lock", "error", err)
			continue
		}
		if u.Full {
			lock = store.Item{}
		}
		for _, key := range u.Gone {
			if key == e.c.Key {
				lock = store.Item{}
			}
		}
		for _, i := range u.Items {
			switch i.Key {
			case e.c.Key:
				lock = i
			case e.c.Successor:
				heir = e.named(i)
			}
		}
		select {
		case to <- sighting{u.Revision, lock, heir}:
		case <-ctx.Done():
			return
		}
	}
}

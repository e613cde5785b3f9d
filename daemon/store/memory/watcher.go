// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"strings"

	"github.com/contiv/contiv/daemon/store"
)

// watcher has what one Watch must still yield: everything, or the changed keys. data.mu guards it.
type watcher struct {
	prefix string
	full   bool
	back   bool // the store is back, which the watch must report
	keys   map[string]struct{}
	wake   chan struct{} // holds one token while an update may be pending
}

func newWatcher(prefix string) *watcher {
	w := &watcher{prefix: prefix, wake: make(chan struct{}, 1)}
	w.gap()
	return w
}

// gap makes the next update a full one.
func (w *watcher) gap() {
	w.full, w.keys = true, map[string]struct{}{}
	w.rouse()
}

func (w *watcher) changed(key string) {
	if strings.HasPrefix(key, w.prefix) {
		w.keys[key] = struct{}{}
		w.rouse()
	}
}

func (w *watcher) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// receive returns the next update; several changes of one key are merged.
func (w *watcher) receive(d *data) store.Update {
	u := store.Update{Full: w.full, Revision: d.revision}
	if w.full {
		u.Items = d.list(w.prefix)
	} else {
		for key := range w.keys {
			if e, ok := d.items[key]; ok {
				u.Items = append(u.Items, clone(e.Item))
			} else {
				u.Gone = append(u.Gone, key)
			}
		}
		u.Sort()
	}
	w.full, w.back, w.keys = false, false, map[string]struct{}{}
	return u
}

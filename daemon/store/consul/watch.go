// SPDX-License-Identifier: Apache-2.0

package consul

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// blockTime is how long Consul holds a blocking query without changes; it adds up to a sixteenth of it.
const blockTime = 30 * time.Second

// merge is how long a watch collects changes: every answer of Consul has everything under the prefix, or of a part of it.
const merge = 10 * time.Millisecond

// Watch implements store.Store. Consul has no history: the watch is a blocking query of the whole prefix that returns when its index has
// moved, and the difference to the previous answer is the update. If the prefix has much data, the watch queries only the index, and then
// reads the changed parts.
func (s *Store) Watch(ctx context.Context, prefix string) iter.Seq2[store.Update, error] {
	return func(yield func(store.Update, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		var seen picture
		away := false
		for round := s.pace.Round(); ctx.Err() == nil; round = s.pace.Wait(ctx) {
			u, ok, err := s.next(ctx, prefix, &seen)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				seen.forget() // the next answer arrives at once, as a full update
				if !away && !yield(store.Update{}, s.fault(ctx, "watch "+prefix, err)) {
					return
				}
				away = true
				s.pace.Failed(round)
				continue
			}
			away = false
			s.pace.Reached()
			if ok && !yield(u, nil) {
				return
			}
			pause(ctx, merge)
		}
	}
}

// next waits for the next update; ok is false if there is nothing new.
func (s *Store) next(ctx context.Context, prefix string, seen *picture) (u store.Update, ok bool, err error) {
	if seen.parts != nil {
		if u, ok, err = seen.parts.next(ctx, seen); !errors.Is(err, errAgain) {
			return u, ok, err
		}
		seen.forget()
	}
	rctx, done := s.lengthy(ctx, s.config.Timeout+blockTime+blockTime/16)
	defer done()
	o := options(rctx)
	o.WaitIndex, o.WaitTime = seen.index, blockTime
	items, index, err := s.list(prefix, o)
	if err != nil {
		return u, false, err
	}
	size := 0
	for _, it := range items {
		size += len(it.Key) + len(it.Value)
	}
	if size >= s.large && len(path(prefix)) > 1 && strings.HasSuffix(prefix, "/") {
		seen.parts = s.divide(prefix, items, index)
	}
	u, ok = seen.next(items, index)
	return u, ok, nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// picture is the state of a watch's receiver. The zero picture is empty.
type picture struct {
	index uint64
	known bool               // the receiver has keys; if not, the next answer is a full update
	keys  map[string]version // of the last answer
	sent  store.Revision     // the highest revision sent
	parts *parts             // nil: there is so little data that every answer is complete
}

// forget makes the next answer a full update. The keys stay, to detect a recreated store.
func (p *picture) forget() { p.index, p.known, p.parts = 0, false, nil }

// version identifies one value of a key.
type version struct{ created, changed store.Revision }

// next turns an answer into an update; ok is false if it has nothing new. If the index went back, the update is full, as Consul's manual of
// blocking queries requires.
func (p *picture) next(items []store.Item, index uint64) (u store.Update, ok bool) {
	index = max(index, 1)
	u.Full = !p.known || index < p.index
	keys := make(map[string]version, len(items))
	for _, i := range items {
		keys[i.Key] = version{i.Created, i.Revision}
		if u.Full || p.keys[i.Key].changed != i.Revision {
			u.Items = append(u.Items, i)
		}
		// Consul's index of a prefix may be behind a key that was created and deleted with a session.
		u.Revision = max(u.Revision, i.Revision)
	}
	if !u.Full {
		for key := range p.keys {
			if _, still := keys[key]; !still {
				u.Gone = append(u.Gone, key)
			}
		}
	}
	u.Revision = max(u.Revision, store.Revision(index))
	if !u.Full || !p.another(items, u.Revision) {
		u.Revision = max(u.Revision, p.sent)
	}
	p.index, p.known, p.keys, p.sent = index, true, keys, u.Revision
	u.Sort()
	return u, u.Full || len(u.Items)+len(u.Gone) > 0
}

// another reports whether a complete answer certainly comes from a recreated store. A lower index does not prove that: that of a prefix
// decreases when Consul forgets that keys were deleted. But within one store no key becomes older than it was when last seen, every earlier
// key was seen too, and without keys the index is that of the whole table, which grows.
func (p *picture) another(items []store.Item, rev store.Revision) bool {
	if rev >= p.sent {
		return false
	}
	for _, i := range items {
		before := p.keys[i.Key]
		if i.Revision < before.changed || i.Created <= p.sent && i.Created != before.created {
			return true
		}
	}
	return len(items) == 0
}

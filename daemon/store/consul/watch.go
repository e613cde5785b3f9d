package consul

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// blockTime is how long Consul holds a blocking query when nothing changes; it adds up to a sixteenth of it.
const blockTime = 30 * time.Second

// merge is how long a watch lets changes gather: every answer of Consul carries everything under the prefix, or of a part of it.
const merge = 10 * time.Millisecond

// Watch is store.Store's. Consul has no history: the watch is a blocking query of the whole prefix that returns when its
// index has moved, and the difference to the answer before is the update. Where there is much below the prefix it asks for the
// index alone, and then for the parts that have changed.
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
				seen.forget() // the next answer comes at once and is told whole
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

// next waits for the next update; ok is false when there is nothing new.
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

// picture is what the receiver of a watch knows. The zero picture is nothing.
type picture struct {
	index uint64
	known bool               // the receiver knows keys; if not, the next answer is told whole
	keys  map[string]version // of the last answer
	sent  store.Revision     // the highest that was told
	parts *parts             // nil: there is so little that every answer is whole
}

// forget has the next answer told whole. What keys there were stays known, to tell a store made again.
func (p *picture) forget() { p.index, p.known, p.parts = 0, false, nil }

// version tells one content of a key from others.
type version struct{ created, changed store.Revision }

// next turns an answer into an update; ok is false when it tells nothing new. An index that went back is told whole, as
// Consul's manual of blocking queries demands.
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

// another reports whether a whole answer certainly comes from a store made again. A lower index alone does not say so: that
// of a prefix goes back when Consul forgets that keys were deleted. But in one store no key is older than when it was seen
// last, whatever was created before that was seen too, and without keys the index is that of the whole table, which grows.
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

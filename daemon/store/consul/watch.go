package consul

import (
	"context"
	"iter"
	"time"

	"github.com/contiv/contiv/daemon/store"
)

// blockTime is how long Consul holds a blocking query when nothing changes; it adds up to a sixteenth of it.
const blockTime = 30 * time.Second

// merge is how long a watch lets changes gather: every answer of Consul carries everything under the prefix.
const merge = 10 * time.Millisecond

// Watch is store.Store's. Consul has no history: the watch is a blocking query of the whole prefix that returns when its
// index has moved, and the difference to the answer before is the update.
func (s *Store) Watch(ctx context.Context, prefix string) iter.Seq2[store.Update, error] {
	return func(yield func(store.Update, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		var seen picture
		away := false
		for ctx.Err() == nil {
			rctx, done := s.request(ctx, s.config.Timeout+blockTime+blockTime/16)
			o := options(rctx)
			o.WaitIndex, o.WaitTime = seen.index, blockTime
			items, index, err := s.list(prefix, o)
			done()
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				seen = picture{}
				if !away && !yield(store.Update{}, s.fault(ctx, "watch "+prefix, err)) {
					return
				}
				away = true
				pause(ctx, store.Retry)
				continue
			}
			away = false
			if u, ok := seen.next(items, index); ok && !yield(u, nil) {
				return
			}
			pause(ctx, merge)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// picture is what the receiver of a watch knows: the index of every key. The zero picture is nothing.
type picture struct {
	index uint64
	keys  map[string]store.Revision
}

// next turns an answer into an update; ok is false when it tells nothing new. An index that went back, as after a
// restored backup, begins anew: so Consul's manual of blocking queries demands.
func (p *picture) next(items []store.Item, index uint64) (u store.Update, ok bool) {
	index = max(index, 1)
	full := p.keys == nil || index < p.index
	keys := make(map[string]store.Revision, len(items))
	for _, i := range items {
		keys[i.Key] = i.Revision
		if full || p.keys[i.Key] != i.Revision {
			u.Items = append(u.Items, i)
		}
		// Consul's index of a prefix may be behind a key that was created and deleted with a session.
		u.Revision = max(u.Revision, i.Revision)
	}
	if !full {
		for key := range p.keys {
			if _, still := keys[key]; !still {
				u.Gone = append(u.Gone, key)
			}
		}
	}
	u.Full, u.Revision = full, max(u.Revision, store.Revision(index))
	p.index, p.keys = index, keys
	u.Sort()
	return u, full || len(u.Items)+len(u.Gone) > 0
}

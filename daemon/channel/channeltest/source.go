// Package channeltest tells agents what a store holds, as a netmaster does, but without one: all of it to every host.
package channeltest

import (
	"context"
	"iter"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Source tells what a store holds.
type Source struct{ Store store.Store }

// update is one of a watch.
type update struct {
	shard channel.Shard
	store.Update
	err error
}

// Follow yields everything of the store that concerns agents, and then each change, until ctx ends. An outage of the store is one error.
func (s Source) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		updates := make(chan update)
		prefixes := []string{record.State, record.Config, record.Services}
		for _, prefix := range prefixes {
			go s.watch(ctx, prefix, updates)
		}
		var first channel.Batch
		var mark channel.Mark
		listed, away := map[channel.Shard]struct{}{}, false
		for {
			select {
			case <-ctx.Done():
				return
			case u := <-updates:
				switch {
				case u.err != nil && !away:
					away = true
					if !yield(channel.Batch{}, u.err) {
						return
					}
					continue
				case u.err != nil:
					continue
				}
				away = false
				listed[u.shard] = struct{}{}
				mark.Reset = u.Full && uint64(u.Revision) < mark.Revision
				if u.shard == record.State { // how far the others are does not count
					mark.Revision, mark.Complete = uint64(u.Revision), uint64(u.Revision)
				}
				b := batch(u, mark)
				if len(listed) < len(prefixes) || first.Updates != nil {
					first.Updates, first.Mark = append(first.Updates, b.Updates...), b.Mark
					if len(listed) < len(prefixes) {
						continue
					}
					b, first = first, channel.Batch{}
				}
				if !yield(b, nil) {
					return
				}
			}
		}
	}
}

// watch passes on what a watch tells.
func (s Source) watch(ctx context.Context, prefix string, to chan<- update) {
	for u, err := range s.Store.Watch(ctx, prefix) {
		select {
		case to <- update{channel.Shard(prefix), u, err}:
		case <-ctx.Done():
			return
		}
	}
}

func batch(u update, mark channel.Mark) channel.Batch {
	out := channel.Update{Shard: u.shard, Full: u.Full, Gone: u.Gone}
	for _, i := range u.Items {
		out.Items = append(out.Items, channel.Item{Key: i.Key, Value: i.Value, Revision: uint64(i.Revision)})
	}
	return channel.Batch{Updates: []channel.Update{out}, Mark: mark}
}

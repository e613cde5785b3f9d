// SPDX-License-Identifier: Apache-2.0

// Package channeltest sends agents the content of a store as a netmaster does, but without one: all of it to every host.
package channeltest

import (
	"context"
	"iter"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Source sends the content of a store.
type Source struct{ Store store.Store }

// update is an update of a watch.
type update struct {
	shard channel.Shard
	store.Update
	err error
}

// Follow yields everything of the store that concerns agents, and then each change, until ctx ends. An outage of the store is one error. If
// the store was recreated, everything is yielded again.
func (s Source) Follow(ctx context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		t := teller{yield: yield}
		for t.follow(ctx, s) {
			t.mark.Reset = true
		}
	}
}

// teller sends to one agent.
type teller struct {
	yield func(channel.Batch, error) bool
	mark  channel.Mark
	away  bool // whether the last message was that the store is away
}

// follow sends until ctx ends or the agent stops, and reports whether the reason was that the store was recreated. Its watches do not
// receive that at the same moment, and late events of the old store must not come between: so new watches replace them.
func (t *teller) follow(ctx context.Context, s Source) (again bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	updates := make(chan update)
	prefixes := []string{record.State, record.Config, record.Services}
	for _, prefix := range prefixes {
		go s.watch(ctx, prefix, updates)
	}
	var first []channel.Update // until all have been listed
	last := map[channel.Shard]store.Revision{}
	for {
		var u update
		select {
		case <-ctx.Done():
			return false
		case u = <-updates:
		}
		if u.err != nil {
			told := t.away
			t.away = true
			if !told && !t.yield(channel.Batch{}, u.err) {
				return false
			}
			continue
		}
		t.away = false
		if u.Full && u.Revision < last[u.shard] {
			return true
		}
		last[u.shard] = u.Revision
		if u.shard == record.State { // only the revision of State counts as the position
			t.mark.Revision, t.mark.Complete = uint64(u.Revision), uint64(u.Revision)
		}
		first = append(first, shardUpdate(u))
		if len(last) < len(prefixes) {
			continue
		}
		if !t.yield(channel.Batch{Updates: first, Mark: t.mark}, nil) {
			return false
		}
		first, t.mark.Reset = nil, false
	}
}

// watch forwards the events of a watch.
func (s Source) watch(ctx context.Context, prefix string, to chan<- update) {
	for u, err := range s.Store.Watch(ctx, prefix) {
		select {
		case to <- update{channel.Shard(prefix), u, err}:
		case <-ctx.Done():
			return
		}
	}
}

func shardUpdate(u update) channel.Update {
	out := channel.Update{Shard: u.shard, Full: u.Full, Gone: u.Gone}
	for _, i := range u.Items {
		out.Items = append(out.Items, channel.Item{Key: i.Key, Value: i.Value, Revision: uint64(i.Revision)})
	}
	return out
}
